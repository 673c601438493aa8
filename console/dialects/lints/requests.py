"""Recorded requests that the queue they are led to can never hold, whatever else runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from console.dialects.findings import Findings
from console.dialects.lints.codes import NEVER_FITS
from console.dialects.lints.past import Kind, Past
from console.dialects.lints.spots import Spots
from console.dialects.lints.wording import quoted, window, workloads
from console.dialects.wording import shorten
from console.engine.amounts import SCALE, Amount
from console.engine.ledger import Ledger, Node
from console.engine.matching import Matcher
from console.engine.origin import Origin
from console.engine.policy import Policy, Queue, ResourceGroup, Undeclared
from console.engine.words import amount
from console.engine.workload import PODS, PodSet, Workload

#: A resource, and the flavor that has most of it for those who ask; None: no group has it.
_Place: TypeAlias = tuple[str, str | None]


@dataclass(slots=True)
class _Asked:
    """What was asked for in vain: the most at once, and by how many workloads."""

    most: int = 0
    runs: int = 0


def lint_requests(
    policy: Policy, ledger: Ledger, past: Past, spots: Spots, findings: Findings
) -> None:
    """Note, for each queue and resource, the largest recorded request that can never fit."""
    matcher = Matcher(policy)
    for name, kinds in past.by_queue().items():
        queue, node = policy.queues[name], ledger.queue(name)
        if queue.is_passthrough:
            continue
        judge = _Judge(policy, queue, node, matcher)
        for (resource, flavor), asked in judge.in_vain(kinds).items():
            place, has = spots.name(queue.origin, name), "has none"
            if flavor is not None:
                place = spots.head(judge.origin(resource, flavor))
                most = amount(node.potential((flavor, resource)), shorten(resource))
                has = f"can never have more than {most} for them, in flavor {quoted(flavor)}"
            findings.add(
                NEVER_FITS,
                place,
                f"{workloads(asked.runs)} of {window(past)} asked for up to "
                f"{amount(asked.most, shorten(resource))} here, and queue {quoted(name)} {has}.",
                "Raise a quota or a borrowing limit, or lead them to another queue.",
            )


class _Judge:
    """Says which requests one queue could hold if nothing else ran."""

    def __init__(self, policy: Policy, queue: Queue, node: Node, matcher: Matcher) -> None:
        self._queue = queue
        self._node = node
        self._matcher = matcher
        self._blocks = policy.settings.undeclared is Undeclared.BLOCK
        self._covered = {resource: group for group in queue.groups for resource in group.resources}
        #: What every flavor has room for, so that most requests need no closer look.
        self._least: dict[str, Amount] = {
            resource: min(
                (node.potential((entry.flavor, resource)) for entry in group.flavors), default=0
            )
            for resource, group in self._covered.items()
        }

    def origin(self, resource: str, flavor: str) -> Origin | None:
        """Return where the quota of a resource in a flavor is written."""
        (entry,) = (each for each in self._covered[resource].flavors if each.flavor == flavor)
        return entry.quotas[resource].origin if resource in entry.quotas else entry.origin

    def in_vain(self, kinds: list[Kind]) -> dict[_Place, _Asked]:
        """Return what is asked for in vain."""
        found: dict[_Place, _Asked] = {}
        for kind in kinds:
            # Shapes of one kind that ask for the same differ in nothing that matters here.
            judged: dict[int, tuple[_Place, int] | None] = {}
            for shape in kind.shapes:
                key = id(shape.workload.pod_sets)
                if key not in judged:
                    judged[key] = self._judge(shape.workload)
                verdict = judged[key]
                if verdict is not None:
                    place, most = verdict
                    asked = found.setdefault(place, _Asked())
                    asked.runs += shape.runs
                    asked.most = max(asked.most, most)
        return found

    def _judge(self, workload: Workload) -> tuple[_Place, int] | None:
        """Return what a workload asks for in vain, and how much; None: it could fit."""
        total = workload.total()
        if all(asked <= self._least.get(resource, -1) for resource, asked in total.items()):
            return None
        for resource, asked in total.items():
            if resource not in self._covered and self._blocks:
                return (resource, None), asked
        open_to = self._matcher.obstacles(workload, self._queue)
        for pod_set, obstacles in zip(workload.pod_sets, open_to, strict=True):
            for group, against in zip(self._queue.groups, obstacles, strict=True):
                flavors = [
                    entry.flavor
                    for entry, obstacle in zip(group.flavors, against, strict=True)
                    if obstacle is None
                ]
                # Without a flavor it is not quota that it lacks.
                found = self._in_vain(pod_set, group, flavors) if flavors else None
                if found is not None:
                    return found
        return None

    def _in_vain(
        self, pod_set: PodSet, group: ResourceGroup, flavors: list[str]
    ) -> tuple[_Place, int] | None:
        """Return the first resource that is short although all of *flavors* are open."""
        count = pod_set.min_count or pod_set.count
        asked = {
            resource: count * (SCALE if resource == PODS else pod_set.requests.get(resource, 0))
            for resource in group.resources
        }
        short = [
            next(
                (
                    resource
                    for resource, needed in asked.items()
                    if needed > self._node.potential((flavor, resource))
                ),
                None,
            )
            for flavor in flavors
        ]
        if None in short:
            return None
        resource = short[0]
        assert resource is not None
        best = max(flavors, key=lambda flavor: self._node.potential((flavor, resource)))
        return (resource, best), asked[resource]
