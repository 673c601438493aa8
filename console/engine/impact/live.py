"""Impact on live workloads: settles the state under another policy and compares the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from console.engine.disciplines import load_discipline
from console.engine.impact.live_outcomes import (
    LISTED,
    Affected,
    Group,
    LiveImpact,
    LiveOutcome,
    OverQuota,
)
from console.engine.impact.running import NOT_REPLACED, losses, over_nominal
from console.engine.live.live_tree import AnyQueue
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.decision import Decision
from console.engine.model.policy import Policy
from console.engine.model.reasons import Shortage
from console.engine.model.route import Route
from console.engine.model.running_outcomes import Exposure, Loss
from console.engine.pending.pending_class import PendingClass
from console.engine.state import State

#: Number of decisions between two calls that report progress.
STRETCH = 10_000


def live_impact(
    state: State,
    policy: Policy,
    report_progress: Callable[[int], None] = lambda done: None,
    *,
    replaced: Mapping[str, str] = NOT_REPLACED,
) -> LiveImpact:
    """
    Return the impact of *policy* on the workloads of *state*, which is changed by this.

    First, the state settles under its present policy; these decisions are not counted.
    *report_progress* is called regularly with the number of workloads with a decision. *replaced*
    has removed queues with the queue of *policy* that takes the place of each: their workloads
    count neither as moved nor as over quota.
    """
    _settle(state, report_progress)
    before = _Before(state)
    lost = {
        uid: loss
        for uid, loss in losses(state, policy, replaced).items()
        if before.losses.get(uid) is not loss
    }
    report_progress(0)
    state.change_policy(policy)
    decided = _settle(state, report_progress)
    found = _AffectedWorkloads(state, before, replaced)
    found.pending(decided)
    found.running(decided, lost)
    over = sorted(
        _over(state, before, replaced), key=lambda each: (each.queue, each.flavor, each.resource)
    )
    return LiveImpact(
        running=len(before.running),
        pending=len(before.pending),
        affected=found.count(),
        groups=found.groups(),
        over=tuple(over[:LISTED]),
        over_count=len(over),
    )


class _Before:
    """The facts about the state before the change of policy."""

    def __init__(self, state: State) -> None:
        self.pending: dict[str, Route] = {uid: p.route for uid, p in state.pending.items()}
        self.never = set(_never_fit(state))
        self.soon = {uid for queue in state.queues.values() for uid in queue.preemptors}
        self.running = {uid: r.queue for uid, r in state.running.items() if not r.evicting}
        self.losses = losses(state, state.policy)
        self.over: set[str] = set()
        self.exposed: dict[str, frozenset[Exposure]] = {}
        discipline = load_discipline(state.policy.discipline)
        self.cells: dict[tuple[str, FlavorResource], tuple[int, Amount]] = {}
        for queue in state.queues.values():
            over = over_nominal(queue)
            self.over |= over
            self.exposed.update(discipline.exposures(queue, over))
            account = queue.account
            for key in account.flavor_resources():
                self.cells[queue.name, key] = (account.over(key), account.guaranteed(key))


class _AffectedWorkloads:
    """The affected workloads by outcome."""

    def __init__(self, state: State, before: _Before, replaced: Mapping[str, str]) -> None:
        self._state, self._before, self._replaced = state, before, replaced
        self._affected: dict[LiveOutcome, list[Affected]] = {}

    def pending(self, decided: Mapping[str, Decision]) -> None:
        """Compare the workloads that were pending."""
        state, before = self._state, self._before
        never = set(_never_fit(state)) - before.never
        soon = {uid for queue in state.queues.values() for uid in queue.preemptors} - before.soon
        for uid, route in before.pending.items():
            now = state.pending.get(uid)
            if now is None:
                running = state.running.get(uid)
                outcome = LiveOutcome.REJECTED if running is None else LiveOutcome.STARTS
                to = running.queue if running is not None else None
                self._add(outcome, uid, route.queue, to=to, reason=decided[uid].reason)
                continue
            to = now.route.queue
            reason = decided[uid].reason if uid in decided else None
            if to != self._replaced.get(route.queue or "", route.queue):
                self._add(LiveOutcome.MOVED, uid, route.queue, to=to, reason=reason)
            if uid in never:
                self._add(LiveOutcome.NEVER_FITS, uid, route.queue, to=to, reason=reason)
            if uid in soon:
                self._add(LiveOutcome.STARTS_SOON, uid, route.queue, to=to, reason=reason)

    def running(self, decided: Mapping[str, Decision], lost: Mapping[str, Loss]) -> None:
        """Compare the workloads that were running."""
        state, before = self._state, self._before
        over: set[str] = set()
        exposed: dict[str, frozenset[Exposure]] = {}
        discipline = load_discipline(state.policy.discipline)
        for place in state.queues.values():
            beyond = over_nominal(place)
            over |= beyond
            exposed.update(discipline.exposures(place, beyond))
        for uid, queue in before.running.items():
            if state.running[uid].evicting:
                why = decided[uid]
                self._add(
                    LiveOutcome.STOPPED,
                    uid,
                    queue,
                    reason=why.reason,
                    preemptor=why.preemptor,
                )
                continue
            if uid in over and uid not in before.over and queue not in self._replaced:
                self._add(LiveOutcome.OVER_NOMINAL, uid, queue, to=queue)
            if uid in lost:
                self._add(LiveOutcome.LOSES_FLAVOR, uid, queue, to=queue, losses=(lost[uid],))
            rights = exposed.get(uid, frozenset()) - before.exposed.get(uid, frozenset())
            if rights:
                self._add(
                    LiveOutcome.PREEMPTIBLE,
                    uid,
                    queue,
                    to=queue,
                    losses=tuple(sorted(rights)),
                )

    def count(self) -> int:
        """Return the number of affected workloads."""
        return len({each.workload for found in self._affected.values() for each in found})

    def groups(self) -> dict[LiveOutcome, Group]:
        """Return the affected workloads, in the order of submission or admission."""
        return {
            outcome: Group(count=len(found), first=tuple(found[:LISTED]))
            for outcome in LiveOutcome
            if (found := self._affected.get(outcome))
        }

    def _add(self, outcome: LiveOutcome, uid: str, queue: str | None, **more: Any) -> None:
        affected = Affected(workload=uid, queue=queue, **more)
        self._affected.setdefault(outcome, []).append(affected)


def _settle(state: State, report_progress: Callable[[int], None]) -> dict[str, Decision]:
    """Settle *state* and return the last decision about each workload."""
    decided: dict[str, Decision] = {}
    while True:
        for decision in state.settle(STRETCH):
            decided[decision.workload] = decision
        report_progress(len(decided))
        if state.is_settled:
            return decided


def _never_fit(state: State) -> Iterable[str]:
    """Yield the ids of pending workloads that can never start in their queues."""
    for queue in state.queues.values():
        if queue.policy is None or queue.barrier is not None:
            continue
        for cls in queue.pending.classes.values():
            if cls.head.route.problem is None and never_fits(state, queue, cls):
                yield from (each.workload.id for each in cls)


def never_fits(state: State, queue: AnyQueue, cls: PendingClass) -> bool:
    """Return whether the workloads of *cls*, which is routed to *queue*, can never start there."""
    # Nominate again, because the last verdict depends on where the flavor scan resumed.
    found = load_discipline(state.policy.discipline).nominate(state, queue, cls.head)
    return found.pending_reason.shortage is Shortage.ALWAYS


def _over(state: State, before: _Before, replaced: Mapping[str, str]) -> Iterable[OverQuota]:
    for queue in state.queues.values():
        if queue.name in replaced:
            continue
        account = queue.account
        for key in account.flavor_resources():
            over, nominal = before.cells.get((queue.name, key), (0, 0))
            if account.over(key) > over:
                yield OverQuota(
                    queue=queue.name,
                    flavor=key[0],
                    resource=key[1],
                    used=account.used(key),
                    nominal_before=nominal,
                    nominal_after=account.guaranteed(key),
                )
