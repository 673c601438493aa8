"""Lints of queues with limits of users: closed queues, limits without effect, and usage."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import QUEUE_BECOMES_PARENT, QUOTA_BELOW_USAGE
from console.dialects.lints.hierarchy.access import lint_access
from console.dialects.lints.hierarchy.limits import lint_limits
from console.dialects.lints.hierarchy.requests import lint_requests
from console.dialects.lints.wording import quoted
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory
from console.engine.disciplines.hierarchy.ledger import HierarchyLedger
from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.wording.words import amount as in_words


class HierarchyLints:
    """The lints of the queues of one policy."""

    def __init__(self, policy: Policy) -> None:
        self._spec = hierarchy_of(policy)

    def lint_policy(self, places: PlaceFinder, findings: Findings) -> None:
        """Report queues to which no user may submit, and limits without effect."""
        lint_access(self._spec, places, findings)
        lint_limits(self._spec, places, findings)

    def lint_past(self, past: RoutedHistory, places: PlaceFinder, findings: Findings) -> None:
        """Report recorded workloads that exceed the maximum of a queue alone."""
        for name, kinds in past.by_queue().items():
            lint_requests(self._spec, name, kinds, past, places, findings)

    def lint_live(self, live: Live, places: PlaceFinder, findings: Findings) -> None:
        """Report workloads in queues that are only for others, and usage above a maximum."""
        self._lint_parents(live, places, findings)
        ledger = HierarchyLedger(self._spec)
        for name, usage in live.usage.items():
            ledger.add(name, usage)
        for queue in self._spec.queues.values():
            account = ledger.queue(queue.name)
            for key in ledger.keys:
                used, maximum = account.used(key), ledger.limit(queue.name, key)
                if used > maximum:
                    findings.add(
                        QUOTA_BELOW_USAGE,
                        places.last_name(queue.origin, queue.spelling),
                        f"Queue {quoted(queue.name)} uses {in_words(used, key[1])}, and its "
                        f"maximum is {in_words(maximum, key[1])}.",
                        "Raise the maximum, or accept that nothing starts until workloads end.",
                    )

    def lint_inventory(self, inventory: Inventory, places: PlaceFinder, findings: Findings) -> None:
        """Report nothing: no queue names nodes."""

    def _lint_parents(self, live: Live, places: PlaceFinder, findings: Findings) -> None:
        for queue in self._spec.queues.values():
            running, pending = live.running.get(queue.name, 0), live.pending.get(queue.name, 0)
            if queue.is_leaf or not running + pending:
                continue
            counts = ((running, "run"), (pending, "wait"))
            parts = [
                f"{count:,} {verb if count > 1 else verb + 's'}" for count, verb in counts if count
            ]
            findings.add(
                QUEUE_BECOMES_PARENT,
                places.last_name(queue.origin, queue.spelling),
                f"Queue {quoted(queue.name)} is only for queues below it, and "
                f"{' and '.join(parts)} in it now.",
                "Add a queue below it for its workloads, or keep it without queues below.",
            )
