"""Nomination: the flavors and victims that one workload would get now, with nothing changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from console.engine.disciplines.quota.candidates import Search, put_back, take_out
from console.engine.disciplines.quota.classical import find_classical
from console.engine.disciplines.quota.facts import group_steps, search_step
from console.engine.disciplines.quota.fair import find_fair
from console.engine.disciplines.quota.flavors import Assigner, AssignmentResult
from console.engine.disciplines.quota.futile_searches import is_futile, may_suffice
from console.engine.disciplines.quota.ledger import Node, QuotaQueue
from console.engine.disciplines.quota.levels import borrow_level
from console.engine.disciplines.quota.modes import Mode, NoFit, Nominated
from console.engine.disciplines.quota.pod_set_requests import pod_set_requests
from console.engine.disciplines.quota.reasons import EXCEEDS_MAX_QUOTA, WAITING_FOR_QUOTA
from console.engine.disciplines.quota.spec import (
    FairStrategy,
    PreemptionRule,
    QueueSpec,
    QuotaSettings,
    Undeclared,
)
from console.engine.disciplines.quota.trace import GroupStep, PreemptionStep
from console.engine.live.live_tree import Target
from console.engine.model.amounts import FlavorResource, Usage
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    NO_FLAVOR_MATCHED,
    WAITING_FOR_PREEMPTED,
)
from console.engine.model.decision import Assignment, PodSetAssignment
from console.engine.model.reasons import Reason
from console.engine.pending.pending_class import Pending, ScanPosition

_REASONS = {
    NoFit.WAITING_FOR_QUOTA: WAITING_FOR_QUOTA,
    NoFit.EXCEEDS_MAX: EXCEEDS_MAX_QUOTA,
    NoFit.NO_MATCHING_FLAVOR: NO_FLAVOR_MATCHED,
}


@dataclass(frozen=True, slots=True)
class QuotaNomination:
    """The flavors a workload would take, and the victims it would preempt."""

    #: The settings of its queue, and the queue's node in the quota tree.
    queue: QueueSpec
    node: Node
    #: Empty: preemption is classical.
    strategies: tuple[FairStrategy, ...]
    result: AssignmentResult
    #: Only for a mode of preemption; empty for such a mode: no workload may be preempted.
    targets: tuple[Target, ...] = ()
    #: The nomination with the fewest pods, for a workload that may start with fewer pods and fits
    #: with no number of them. Decisions follow the full request (Kueue, spec 6.7).
    smallest: QuotaNomination | None = None

    @property
    def reported(self) -> QuotaNomination:
        """The nomination to report: the one with the fewest pods if there is one."""
        return self.smallest or self

    @property
    def fits(self) -> bool:
        """Whether the workload can start now."""
        return self.result.mode is Mode.FIT

    @property
    def groups(self) -> tuple[GroupStep, ...]:
        """The walks over the flavors, as steps of a trace."""
        return group_steps(self.reported.result, self.node)

    @property
    def preemption(self) -> PreemptionStep | None:
        """The search for victims; None when none was needed."""
        if self.fits or self.reported.result.no_fit is not None:
            return None
        return self.search

    @property
    def search(self) -> PreemptionStep:
        """The preemption policy of its queue and the victims, even if no search was made."""
        found = self.reported.result
        return search_step(self.queue, self.node, self.strategies, found, self.targets)

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """The usage of the workload if admitted, in thousandths."""
        return self.result.usage

    @property
    def undeclared(self) -> str | None:
        """The requested resource that no group covers, if that blocks the workload."""
        return self.reported.result.undeclared

    @property
    def assignment(self) -> Assignment:
        """The flavors and pod counts the workload would start with."""
        return tuple(
            PodSetAssignment(
                name=each.request.name,
                count=each.request.count,
                flavors={resource: choice.flavor for resource, choice in each.choices.items()},
            )
            for each in self.result.pod_sets
        )

    @property
    def counts(self) -> Mapping[str, int]:
        """The pod count of each pod set that the workload would start with, or the fewest tried."""
        found = self.reported.result
        asks = [*(each.request for each in found.pod_sets), *found.failed]
        return {each.name: each.count for each in asks}

    @property
    def is_lasting(self) -> bool:
        """
        Whether the result stays the same for as long as capacity is short.

        With several pod sets, or several groups with a choice of flavors, a walk that finds
        a flavor may stop early while another fails; the workload then has another turn at once.
        """
        if self.fits or self.targets or self.result.undeclared is not None:
            return False
        if any(
            walk.start or any(each.not_nominated for each in walk.examined)
            for walk in self.result.walks
        ):
            return False
        if len(self.result.walks) == 1:
            return len(self.result.walks[0].pod_sets) == 1 and not self.result.stopped_early
        if len(self.result.pod_sets) + len(self.result.failed) > 1:
            return False
        return all(len(group.flavors) == 1 for group in self.queue.groups) and not any(
            check.no_fit is NoFit.EXCEEDS_MAX
            for walk in self.result.walks
            for looked in walk.examined
            for check in looked.checks
        )

    @property
    def pending_reason(self) -> Reason:
        """The reason why it is pending after a turn in which no other took the capacity."""
        if self.reported.result.no_fit is not None:
            return _REASONS[self.reported.result.no_fit]
        if self.targets:
            return WAITING_FOR_PREEMPTED
        return BEHIND_OTHERS if self.fits else WAITING_FOR_QUOTA


def nominate(
    queue: QuotaQueue,
    pending: Pending,
    settings: QuotaSettings,
    *,
    scan: ScanPosition | None = None,
    nominated: Nominated | None = None,
    without: frozenset[str] = frozenset(),
    stopping: tuple[Target, ...] = (),
) -> QuotaNomination:
    """
    Return what would happen to *pending* if it had its turn now.

    *scan* resumes the walks of an earlier turn. *nominated* restricts the walks to the
    flavors found before. *without* are running workloads that count as stopped and are no
    candidates (Kueue, spec 4.4, 6, 7). *stopping* are the evicting victims of *pending*: as
    long as they release enough quota, no others are searched.
    """
    inputs = _Inputs(queue, pending, settings, scan, nominated, without, stopping)
    whole = _nominate(inputs)
    variable = [p for p in pending.workload.pod_sets if p.min_count is not None]
    if not any((p.min_count or 0) < p.count for p in variable) or whole.fits or whole.targets:
        return whole
    reduced = _reduce(inputs)
    if reduced.fits or reduced.targets:
        return reduced
    return replace(whole, smallest=reduced)


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The arguments of `nominate`."""

    queue: QuotaQueue
    pending: Pending
    settings: QuotaSettings
    scan: ScanPosition | None
    nominated: Nominated | None
    without: frozenset[str]
    stopping: tuple[Target, ...]


def _nominate(inputs: _Inputs, counts: tuple[int, ...] | None = None) -> QuotaNomination:
    queue, settings = inputs.queue, inputs.settings
    oracle = _PreemptionOracle(inputs)
    assigner = Assigner(
        queue,
        oracle.simulate,
        preempts_while_borrowing=preempts_while_borrowing(queue, settings),
        ignores_undeclared=settings.undeclared is Undeclared.IGNORE,
        scan=inputs.scan,
        nominated=inputs.nominated,
    )
    found = assigner.assign(
        pod_set_requests(queue, inputs.pending, counts, zeros=settings.zeros_take_flavors)
    )
    if found.mode in (Mode.FIT, Mode.NO_FIT):
        return _nomination(queue, settings, found, ())
    targets = oracle.targets(found.usage, found.short)
    return _nomination(queue, settings, found, tuple(targets))


def _nomination(
    queue: QuotaQueue,
    settings: QuotaSettings,
    found: AssignmentResult,
    targets: tuple[Target, ...],
) -> QuotaNomination:
    assert queue.policy is not None
    return QuotaNomination(queue.policy, queue.account, settings.fair_sharing, found, targets)


def preempts_while_borrowing(queue: QuotaQueue, settings: QuotaSettings) -> bool:
    """Return whether a queue may preempt beyond its nominal quota (Kueue, spec 6.4)."""
    assert queue.policy is not None
    rules = queue.policy.preemption
    rule = rules.reclaim_within_cohort if settings.fair_sharing else rules.borrow_within_cohort
    return rule is not PreemptionRule.NEVER


def find_targets(search: Search, settings: QuotaSettings) -> list[Target]:
    """Return the workloads to preempt so that *search* fits; empty when no set suffices."""
    if settings.fair_sharing:
        return find_fair(search, settings.fair_sharing)
    return find_classical(search)


class _PreemptionOracle:
    """Searches for victims, with cached results for single flavor-resources."""

    def __init__(self, inputs: _Inputs) -> None:
        self._inputs = inputs
        self._queue = inputs.queue
        #: The targets found for one flavor-resource alone. They are the targets of the whole
        #: request if the workload requests only this flavor-resource.
        self._alone: dict[tuple[FlavorResource, int], list[Target]] = {}

    def simulate(self, key: FlavorResource, amount: int) -> tuple[Mode, int]:
        """Return the mode and level of one flavor-resource by preemption (Kueue, spec 6.4)."""
        targets = self.targets({key: amount}, frozenset((key,)))
        if not targets:
            return Mode.NO_CANDIDATES, 0
        for target in targets:
            take_out(target.running, target.queue)
        level, _ = borrow_level(self._queue.account, key, amount)
        for target in targets:
            put_back(target.running, target.queue)
        own = any(target.queue is self._queue for target in targets)
        return Mode.PREEMPT if own else Mode.RECLAIM, level

    def targets(self, usage: Usage, short: frozenset[FlavorResource]) -> list[Target]:
        """Return the workloads to preempt so that *usage* fits; empty when no set suffices."""
        single = next(iter(usage.items())) if len(usage) == 1 else None
        if single is not None and single in self._alone:
            return self._alone[single]
        inputs, pending = self._inputs, self._inputs.pending
        if inputs.stopping and self._suffice(inputs.stopping, usage):
            return list(inputs.stopping)
        if is_futile(self._queue, inputs.settings, usage, pending.priority) or not all(
            may_suffice(self._queue, inputs.settings, key, amount, pending.priority)
            for key, amount in usage.items()
            if amount > 0
        ):
            return []
        search = Search(
            self._queue,
            pending.workload.id,
            pending.priority,
            pending.workload.sequence,
            usage,
            short,
            inputs.without,
        )
        targets = find_targets(search, inputs.settings)
        if single is not None:
            self._alone[single] = targets
        return targets

    def _suffice(self, stopping: tuple[Target, ...], usage: Usage) -> bool:
        for target in stopping:
            take_out(target.running, target.queue)
        fits = self._queue.account.has_room(usage)
        for target in stopping:
            put_back(target.running, target.queue)
        return fits


def _reduce(inputs: _Inputs) -> QuotaNomination:
    """
    Return the nomination with the most pods that fit (Kueue, spec 6.7).

    Where no number of pods fits, that is the one with the fewest pods.
    """
    pod_sets = inputs.pending.workload.pod_sets
    spare = [p.count - p.minimum for p in pod_sets]
    total = sum(spare)
    found: QuotaNomination | None = None
    low, high = 0, total + 1
    while low < high:
        step = (low + high) // 2
        counts = tuple(
            p.count - each * step // total for p, each in zip(pod_sets, spare, strict=True)
        )
        tried = _nominate(inputs, counts)
        if tried.fits or tried.targets:
            found, high = tried, step
        else:
            low = step + 1
            # If no step succeeds, the last one tried has the fewest pods.
            found = found if high <= total else tried
    assert found is not None, "at least one number of pods is tried"
    return found
