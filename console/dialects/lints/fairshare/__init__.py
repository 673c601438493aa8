"""Lints of queues with fair shares: workloads that cannot start, and usage above a limit."""

from __future__ import annotations

from collections.abc import Mapping

from console.dialects.findings import Findings
from console.dialects.lints.codes import (
    QUEUE_WITH_CHILDREN,
    QUOTA_BELOW_USAGE,
)
from console.dialects.lints.fairshare.requests import lint_requests
from console.dialects.lints.wording import quoted, window, workloads
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.disciplines.fairshare.spec import POOL, fairshare_of
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.wording.words import amount as in_words


class FairshareLints:
    """The lints of the queues of one policy."""

    def __init__(self, policy: Policy) -> None:
        self._spec = fairshare_of(policy)

    def lint_policy(self, places: PlaceFinder, findings: Findings) -> None:
        """Report nothing: the dialect has checked what the text alone shows."""

    def lint_past(self, past: RoutedHistory, places: PlaceFinder, findings: Findings) -> None:
        """Report recorded workloads in queues with children, or that exceed a limit alone."""
        for name, kinds in past.by_queue().items():
            if self._has_children(name):
                runs = sum(kind.runs for kind in kinds)
                self._note_children(
                    name, f"{workloads(runs)} of {window(past)} named it", places, findings
                )
            else:
                lint_requests(self._spec, name, kinds, past, places, findings)

    def lint_live(self, live: Live, places: PlaceFinder, findings: Findings) -> None:
        """Report workloads in queues with children, and usage above a limit."""
        for name in self._spec.queues:
            waiting = live.pending.get(name, 0)
            if waiting and self._has_children(name):
                verb = "waits" if waiting == 1 else "wait"
                text = f"{workloads(waiting)} {verb} in it now"
                self._note_children(name, text, places, findings)
        used = self._usage(live)
        for name, amounts in used.items():
            queue = self._spec.queues[name]
            for resource, limit in zip(RESOURCES, queue.limit, strict=True):
                amount = amounts.get(resource, 0)
                if amount > limit:
                    findings.add(
                        QUOTA_BELOW_USAGE,
                        places.name(queue.origin, name),
                        f"Queue {quoted(name)} uses {in_words(amount, resource)}, and its limit is "
                        f"{in_words(limit, resource)}.",
                        "Raise the limit, or accept that nothing starts until workloads end.",
                    )

    def lint_inventory(self, inventory: Inventory, places: PlaceFinder, findings: Findings) -> None:
        """Report nothing: no queue names nodes."""

    def _has_children(self, name: str) -> bool:
        members = self._spec.tree.members
        return name in members and not self._spec.takes_workloads(name)

    def _note_children(self, name: str, what: str, places: PlaceFinder, findings: Findings) -> None:
        findings.add(
            QUEUE_WITH_CHILDREN,
            places.name(self._spec.queues[name].origin, name),
            f"Queue {quoted(name)} has child queues, so it runs no workloads, and {what}.",
            "Submit workloads to one of its children, or remove these.",
        )

    def _usage(self, live: Live) -> Mapping[str, Mapping[str, int]]:
        """Return the usage of each queue with those below it."""
        found: dict[str, dict[str, int]] = {}
        for name, usage in live.usage.items():
            for above in (name, *self._spec.path(name)) if name in self._spec.queues else ():
                total = found.setdefault(above, {})
                for (pool, resource), amount in usage.items():
                    if pool == POOL:
                        total[resource] = total.get(resource, 0) + amount
        return {name: found[name] for name in self._spec.queues if name in found}
