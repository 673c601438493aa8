"""Flavor assignment: the flavor of each resource group that a workload would take, and its mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.levels import borrow_level
from console.engine.disciplines.quota.modes import (
    WORST,
    Check,
    Choice,
    Mode,
    NoFit,
    Nominated,
    ends_search,
    rank,
)
from console.engine.disciplines.quota.pod_set_requests import PodSetRequest, flavor_sharing_groups
from console.engine.disciplines.quota.spec import FlavorQuotas, ResourceGroup
from console.engine.model.amounts import FlavorResource
from console.engine.model.obstacles import Obstacle
from console.engine.pending.pending_class import ScanPosition

#: Searches for victims for one flavor-resource alone: returns the mode and the borrowing level.
Oracle = Callable[[FlavorResource, int], tuple[Mode, int]]


@dataclass(slots=True)
class ExaminedFlavor:
    """One flavor that a walk examined."""

    entry: FlavorQuotas
    obstacle: Obstacle | None = None
    #: Excluded because another flavor was nominated.
    not_nominated: bool = False
    #: Resources requested from this flavor.
    requested: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    mode: Mode = Mode.NO_FIT
    level: int = 0


@dataclass(slots=True)
class Walk:
    """The walk over the flavors of one resource group, for pod sets that take the same flavors."""

    pod_sets: tuple[PodSetRequest, ...]
    group: ResourceGroup
    #: Index of the first flavor examined: an earlier turn examined the ones before.
    start: int
    examined: list[ExaminedFlavor]
    #: The flavor that would be taken; None when no flavor is usable.
    best: ExaminedFlavor | None


@dataclass(slots=True)
class PodSetResult:
    """The request of one pod set, and the flavor that each of its resources would take."""

    request: PodSetRequest
    #: By resource, without resources that no group covers.
    choices: dict[str, Choice] = field(default_factory=dict)


@dataclass(slots=True)
class AssignmentResult:
    """The flavors a workload would take, and the mode and level of the worst of them."""

    #: In the order of examination; a pod set that fails ends the list.
    pod_sets: list[PodSetResult]
    walks: list[Walk]
    mode: Mode
    level: int
    #: Usage if admitted, in thousandths; for a workload that does not fit, of the part that fits.
    usage: dict[FlavorResource, int]
    #: Flavor-resources available only by preemption.
    short: frozenset[FlavorResource]
    #: The reason of mode NO_FIT; None for a better mode.
    no_fit: NoFit | None = None
    #: The requested resource that no group covers, if that blocks the workload.
    undeclared: str | None = None
    #: Pod sets that failed; later ones were not examined.
    failed: tuple[PodSetRequest, ...] = ()
    #: Whether a walk took a flavor without examining the flavors after it.
    stopped_early: bool = False

    def tried(self) -> dict[str, dict[str, int]]:
        """Return per pod set and resource the index of the last flavor examined."""
        return {
            each.request.name: {resource: choice.tried for resource, choice in each.choices.items()}
            for each in self.pod_sets
        }

    def nominated(self) -> dict[str, dict[str, str]]:
        """Return per pod set and resource the flavor it would take."""
        return {
            each.request.name: {
                resource: choice.flavor for resource, choice in each.choices.items()
            }
            for each in self.pod_sets
        }


class Assigner:
    """Assigns flavors to one workload of a queue (Kueue's flavor assigner, spec 6.1 to 6.6)."""

    def __init__(
        self,
        queue: QuotaQueue,
        oracle: Oracle,
        *,
        preempts_while_borrowing: bool,
        ignores_undeclared: bool,
        scan: ScanPosition | None = None,
        nominated: Nominated | None = None,
    ) -> None:
        assert queue.policy is not None
        self._policy = queue.policy
        self._node = queue.account
        self._oracle = oracle
        self._preempts_while_borrowing = preempts_while_borrowing
        self._ignores_undeclared = ignores_undeclared
        self._scan = scan
        self._nominated = nominated
        self._assumed: dict[FlavorResource, int] = {}

    def assign(self, pod_sets: tuple[PodSetRequest, ...]) -> AssignmentResult:
        """
        Return the flavors that *pod_sets* would take.

        Pod sets are examined in order, and each sees the usage of the earlier ones. The first
        that fails ends the search; the reason is that of its last walk.
        """
        found = AssignmentResult([], [], Mode.FIT, 0, self._assumed, frozenset())
        short: set[FlavorResource] = set()
        for members in flavor_sharing_groups(pod_sets):
            choices = self._choose(members, found)
            if choices is None:
                found.mode, found.failed = Mode.NO_FIT, members
                break
            for member in members:
                own = PodSetResult(member, {r: choices[r] for r in member.requests if r in choices})
                found.pod_sets.append(own)
                for resource, choice in own.choices.items():
                    key = (choice.flavor, resource)
                    amount = member.requests[resource]
                    self._assumed[key] = self._assumed.get(key, 0) + amount
                    if choice.mode < found.mode:
                        found.mode = choice.mode
                    if choice.level > found.level:
                        found.level = choice.level
                    if choice.mode is not Mode.FIT:
                        short.add(key)
                    if choice.tried >= 0:
                        found.stopped_early = True
        if short:
            found.short = frozenset(short)
        return found

    def _choose(
        self, members: tuple[PodSetRequest, ...], found: AssignmentResult
    ) -> dict[str, Choice] | None:
        requests = members[0].requests if len(members) == 1 else _sum(members)
        chosen: dict[str, Choice] = {}
        first = len(found.walks)
        for resource in requests if len(requests) == 1 else sorted(requests, key=_upstream_order):
            if resource in chosen:
                continue
            index = self._policy.covers.get(resource)
            if index is None:
                if not requests[resource] or self._ignores_undeclared:
                    continue
                found.undeclared = resource
                found.no_fit = _no_fit(found.walks[first:])
                return None
            group = self._policy.groups[index]
            requested = {r: amount for r, amount in requests.items() if r in group.resources}
            walk, last = self._walk(members, resource, index, requested)
            found.walks.append(walk)
            if walk.best is None:
                found.no_fit = _no_fit(found.walks[first:])
                return None
            for check in walk.best.checks:
                chosen[check.key[1]] = Choice(walk.best.entry.flavor, check.mode, check.level, last)
        return chosen

    def _walk(
        self,
        members: tuple[PodSetRequest, ...],
        resource: str,
        index: int,
        requested: dict[str, int],
    ) -> tuple[Walk, int]:
        group = self._policy.groups[index]
        fungibility = self._policy.fungibility
        start = self._start(members[0].name, resource)
        examined: list[ExaminedFlavor] = []
        best: ExaminedFlavor | None = None
        best_rank, last = WORST, start
        for last in range(start, len(group.flavors)):
            each = self._examine(members, index, group.flavors[last], last, requested)
            examined.append(each)
            if each.mode is Mode.NO_FIT:
                continue
            if ends_search(each.mode, each.level, fungibility):
                best = each
                break
            its_rank = rank(each.mode, each.level, fungibility.preference)
            if its_rank > best_rank:
                best, best_rank = each, its_rank
        tried = -1 if last >= len(group.flavors) - 1 else last
        return Walk(members, group, start, examined, best), tried

    def _start(self, pod_set: str, resource: str) -> int:
        if self._scan is None:
            return 0
        return self._scan.tried.get(pod_set, {}).get(resource, -1) + 1

    def _examine(
        self,
        members: tuple[PodSetRequest, ...],
        group: int,
        entry: FlavorQuotas,
        index: int,
        requested: dict[str, int],
    ) -> ExaminedFlavor:
        examined = ExaminedFlavor(entry, requested=tuple(requested))
        if self._nominated is not None and self._is_not_nominated(members, entry.flavor, requested):
            examined.not_nominated = True
            return examined
        for member in members:
            obstacle = member.obstacles[group][index]
            if obstacle is not None:
                examined.obstacle = obstacle
                return examined
        preference = self._policy.fungibility.preference
        checks = []
        worst: tuple[int, int, int] | None = None
        for resource, amount in requested.items():
            check = self._check((entry.flavor, resource), amount)
            checks.append(check)
            its_rank = rank(check.mode, check.level, preference)
            if worst is None or its_rank < worst:
                worst = its_rank
                examined.mode, examined.level = check.mode, check.level
        examined.checks = tuple(checks)
        return examined

    def _is_not_nominated(
        self, members: tuple[PodSetRequest, ...], flavor: str, requested: dict[str, int]
    ) -> bool:
        assert self._nominated is not None
        nominated = self._nominated.get(members[0].name, {})
        return any(nominated.get(resource) != flavor for resource in requested)

    def _check(self, key: FlavorResource, requested: int) -> Check:
        assumed = self._assumed.get(key, 0)
        cell = self._node.cell(key)
        free = cell.available
        # A queue over its quota has nothing available, even for a request of zero.
        available = free if free > 0 else 0
        check = Check(key, requested, assumed, Mode.FIT, cell.used, available, cell.potential)
        amount = assumed + requested
        if amount > cell.potential:
            check.mode, check.no_fit = Mode.NO_FIT, NoFit.EXCEEDS_MAX
            return check
        check.level, may_reclaim = borrow_level(self._node, key, amount)
        if amount <= available:
            return check
        if amount <= cell.nominal or may_reclaim or self._preempts_while_borrowing:
            check.mode, check.level = self._oracle(key, amount)
            if check.mode is Mode.NO_CANDIDATES:
                check.level = borrow_level(self._node, key, amount)[0]
            return check
        check.mode, check.no_fit = Mode.NO_FIT, NoFit.WAITING_FOR_QUOTA
        return check


def _sum(members: tuple[PodSetRequest, ...]) -> dict[str, int]:
    total: dict[str, int] = {}
    for member in members:
        for resource, amount in member.requests.items():
            total[resource] = total.get(resource, 0) + amount
    return total


def _no_fit(walks: list[Walk]) -> NoFit:
    """
    Return why pod sets fail: the worst reason of the walks, each with that of its best flavor.

    Only flavors that do not fit have a reason (Kueue, spec 6.8).
    """
    reasons = []
    for walk in walks:
        failed = [_reason_of(each) for each in walk.examined if each.mode is Mode.NO_FIT]
        if failed:
            reasons.append(min(failed))
    return max(reasons, default=NoFit.NO_MATCHING_FLAVOR)


def _reason_of(examined: ExaminedFlavor) -> NoFit:
    words = (check.no_fit for check in examined.checks if check.no_fit is not None)
    return max(words, default=NoFit.NO_MATCHING_FLAVOR)


@lru_cache(maxsize=1_000)
def _upstream_order(name: str) -> int:
    """
    Return the FNV-1a hash of a resource's name.

    Kueue examines resources in this order, which is visible when several of them fail.
    """
    found = 0xCBF29CE484222325
    for byte in name.encode():
        found = ((found ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return found
