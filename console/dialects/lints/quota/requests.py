"""Recorded requests that can never fit the queue they are routed to, even if nothing else runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from console.dialects.findings import Findings
from console.dialects.lints.codes import NEVER_FITS, RECORDED_WITHOUT_FLAVOR
from console.dialects.lints.wording import describe_kind, quoted, window, workloads
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory, WorkloadKind
from console.dialects.wording import shorten
from console.engine.disciplines.quota.flavor_matching import Matcher
from console.engine.disciplines.quota.ledger import Ledger, Node
from console.engine.disciplines.quota.spec import QueueSpec, ResourceGroup, Undeclared, spec_of
from console.engine.model.amounts import SCALE
from console.engine.model.obstacles import Obstacle
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.model.workload import PODS, PodSet, Workload
from console.engine.wording.words import amount

#: A resource, and the flavor with the largest amount of it; None if no group covers it.
_Place: TypeAlias = tuple[str, str | None]


class _Verdict(NamedTuple):
    """Why a workload can never run: the resource that is short, or None if no flavor accepts it."""

    place: _Place | None
    requested: int = 0


_REFUSED: Final = _Verdict(None)


@dataclass(slots=True)
class _Unsatisfiable:
    """Workloads that never fit for the same cause: their number, and the largest request."""

    #: The kind of the first of them.
    kind: WorkloadKind
    runs: int = 0
    most: int = 0


def lint_requests(
    policy: Policy, ledger: Ledger, past: RoutedHistory, places: PlaceFinder, findings: Findings
) -> None:
    """Report, for each queue, recorded requests that can never fit or that no flavor accepts."""
    matcher = Matcher(policy)
    for name, kinds in past.by_queue().items():
        queue, node = spec_of(policy).queues[name], ledger.queue(name)
        if queue.is_passthrough:
            continue
        checker = _FitChecker(policy, queue, node, matcher)
        for where, found in checker.unsatisfiable(kinds).items():
            of = f"{workloads(found.runs)} of {window(past)}"
            if where is None:
                end = "wait forever" if checker.blocks else "be rejected"
                findings.add(
                    RECORDED_WITHOUT_FLAVOR,
                    places.name(queue.origin, name),
                    f"No flavor of {quoted(name)} accepts {of} that would be routed here: a "
                    f"similar workload would {end}. Some of them had {describe_kind(found.kind)}.",
                    "Add a flavor for them, widen a selector, or route them to another queue.",
                )
                continue
            (resource, flavor), place, has = where, places.name(queue.origin, name), "has none"
            if flavor is not None:
                place = places.head(checker.origin(resource, flavor))
                most = amount(node.potential((flavor, resource)), shorten(resource))
                has = f"can never have more than {most} for them, in flavor {quoted(flavor)}"
            findings.add(
                NEVER_FITS,
                place,
                f"{of} requested up to {amount(found.most, shorten(resource))} here, and queue "
                f"{quoted(name)} {has}.",
                "Raise a quota or a borrowing limit, or route them to another queue.",
            )


class _FitChecker:
    """Finds the requests that one queue could not admit even if nothing else ran."""

    def __init__(self, policy: Policy, queue: QueueSpec, node: Node, matcher: Matcher) -> None:
        self._queue = queue
        self._node = node
        self._matcher = matcher
        #: Whether a workload that cannot be admitted waits forever; else it is rejected.
        self.blocks = spec_of(policy).settings.undeclared is Undeclared.BLOCK
        self._covered = {resource: group for group in queue.groups for resource in group.resources}

    def origin(self, resource: str, flavor: str) -> Origin | None:
        """Return the origin of the quota of a resource in a flavor."""
        (entry,) = (each for each in self._covered[resource].flavors if each.flavor == flavor)
        return entry.quotas[resource].origin if resource in entry.quotas else entry.origin

    def unsatisfiable(self, kinds: list[WorkloadKind]) -> dict[_Place | None, _Unsatisfiable]:
        """Return requests that never fit, by missing resource; None if no flavor is available."""
        found: dict[_Place | None, _Unsatisfiable] = {}
        for kind in kinds:
            # Shapes of one kind that share their pod sets have the same result.
            checked: dict[int, _Verdict | None] = {}
            for shape in kind.shapes:
                key = id(shape.workload.pod_sets)
                if key not in checked:
                    checked[key] = self._check(shape.workload)
                verdict = checked[key]
                if verdict is not None:
                    group = found.setdefault(verdict.place, _Unsatisfiable(kind))
                    group.runs += shape.runs
                    group.most = max(group.most, verdict.requested)
        return found

    def _check(self, workload: Workload) -> _Verdict | None:
        """Return why a workload can never run, or None if it could."""
        total = workload.total()
        for resource, requested in total.items():
            if resource not in self._covered and self.blocks:
                return _Verdict((resource, None), requested)
        open_to = self._matcher.obstacles(workload, self._queue)
        if not any(None in group for pod_set in open_to for group in pod_set):
            return _REFUSED
        wanted = [
            (_minimum_request(pod_set, group), _open_flavors(group, against))
            for pod_set, obstacles in zip(workload.pod_sets, open_to, strict=True)
            for group, against in zip(self._queue.groups, obstacles, strict=True)
        ]
        # A workload that does not fit into one group is rejected, independent of other groups.
        if any(not flavors and any(requested.values()) for requested, flavors in wanted):
            return _REFUSED
        found = (
            self._short_everywhere(requested, flavors) for requested, flavors in wanted if flavors
        )
        return next((each for each in found if each is not None), None)

    def _short_everywhere(
        self, requested: Mapping[str, int], flavors: Sequence[str]
    ) -> _Verdict | None:
        """Return the resource short for *requested* in all *flavors*; None if one has enough."""
        short = [list(self._short(requested, flavor)) for flavor in flavors]
        if not all(short):
            return None
        resource = short[0][0]
        # Other flavors may have enough of it, but too little of another resource.
        lacking = [
            flavor for flavor, lacks in zip(flavors, short, strict=True) if resource in lacks
        ]
        best = max(lacking, key=lambda flavor: self._node.potential((flavor, resource)))
        return _Verdict((resource, best), requested[resource])

    def _short(self, requested: Mapping[str, int], flavor: str) -> Iterator[str]:
        for resource, needed in requested.items():
            if needed > self._node.potential((flavor, resource)):
                yield resource


def _minimum_request(pod_set: PodSet, group: ResourceGroup) -> dict[str, int]:
    """Return the minimum request of a pod set for a group."""
    count = pod_set.min_count or pod_set.count
    return {
        resource: count * (SCALE if resource == PODS else pod_set.requests.get(resource, 0))
        for resource in group.resources
    }


def _open_flavors(group: ResourceGroup, against: Sequence[Obstacle | None]) -> list[str]:
    """Return the flavors of a group that accept a pod set."""
    return [
        entry.flavor
        for entry, obstacle in zip(group.flavors, against, strict=True)
        if obstacle is None
    ]
