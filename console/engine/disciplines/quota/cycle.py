"""
The admission cycle of one tree: the head of every queue has a turn, on the same ledger.

All heads are nominated before the ledger changes. They then take their turns in order, and
each turn sees the usage of the earlier ones (Kueue, spec 4.2 to 4.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from console.engine.disciplines import Progress
from console.engine.disciplines.quota.candidates import put_back, take_out
from console.engine.disciplines.quota.competitors import Claims, preemptors_ahead, victims_holding
from console.engine.disciplines.quota.feasibility import may_skip_turn
from console.engine.disciplines.quota.ledger import Node, QuotaQueue
from console.engine.disciplines.quota.modes import Mode
from console.engine.disciplines.quota.nominate import QuotaNomination, nominate
from console.engine.disciplines.quota.order import (
    Entry,
    in_order_of_borrowing,
    winner_of_tournament,
)
from console.engine.disciplines.quota.spec import PreemptionRule, spec_of
from console.engine.live.live_tree import LiveTree, Preemptor, Target
from console.engine.model.amounts import FlavorResource
from console.engine.model.common_reasons import BEHIND_OTHERS
from console.engine.model.trace import TurnStep, TurnVerdict
from console.engine.pending.pending_class import Pending, ScanPosition, Verdict

if TYPE_CHECKING:
    from console.engine.state import State


class Cycle:
    """One cycle of *tree*, from the nomination of the heads to their requeueing."""

    def __init__(
        self,
        state: State,
        tree: LiveTree,
        heads: Mapping[str, Pending] | None = None,
        *,
        skipping: bool = False,
    ) -> None:
        self._state = state
        self._tree = tree
        #: Whether turns that cannot succeed are skipped.
        self._skipping = skipping
        #: The workloads that have a turn, by queue; None: the head of every queue.
        self._heads = heads
        self._settings = spec_of(state.policy).settings
        #: Workloads preempted in this cycle, by id; until the end of the cycle the ledger does not
        #: count their usage.
        self._victims: dict[str, Target] = {}
        #: Usage that entries claim for the rest of the cycle; the ledger counts it until the end.
        self._claims: list[tuple[Node, dict[FlavorResource, int]]] = []
        #: Ids of the workloads that have another turn in the next cycle.
        self._requeued: set[str] = set()
        #: The workloads that took or claimed capacity, for the traces.
        self._claimants = Claims()
        #: Whether the ledger has changed since the nominations.
        self._ledger_changed = False
        self._decided = False
        self._inadmissible = False

    def run(self) -> Progress:
        """Give every head its turn, and return whether that changed anything."""
        self._tree.cycle += 1
        entries = list(self._entries())
        for entry in self._turns(entries):
            self._state.before_turn()
            self._take_turn(entry)
        self._put_victims_back()
        for node, claim in self._claims:
            _charge(node, claim, -1)
        passed = (
            self._state.requeue_unblocked(self._tree, self._requeued)
            if self._tree.yielding
            else False
        )
        if self._decided:
            return Progress.DECIDED
        if self._inadmissible or passed:
            return Progress.MOVED
        return self._break_repetition(entries)

    def _entries(self) -> Iterator[Entry]:
        for queue in self._tree.queues:
            if queue.barrier is not None:
                continue
            waiting = list(queue.preemptors.values())
            head = queue.pending.head() if self._heads is None else self._heads.get(queue.name)
            if queue.pending.is_strict and waiting:
                first = min(waiting, key=lambda each: each.pending.place)
                if head is not None and head.place < first.pending.place:
                    waiting = []
                else:
                    waiting, head = [first], None
            for each in waiting:
                self._state.before_turn()
                yield Entry(queue, each.pending, self._still_nominated(queue, each), each)
            if head is None:
                continue
            if head.route.problem is not None:
                self._set_inadmissible(queue, head, Verdict(head.route.problem))
                continue
            if self._skipping:
                cls = queue.pending.classes[head.class_key]
                if may_skip_turn(queue, self._settings, cls):
                    queue.pending.set_inadmissible(cls)
                    self._inadmissible = True
                    continue
            self._state.before_turn()
            scan = self._valid_scan(queue, head)
            yield Entry(queue, head, nominate(queue, head, self._settings, scan=scan))

    def _still_nominated(self, queue: QuotaQueue, waiting: Preemptor) -> QuotaNomination:
        """Return the nomination of a preemptor, renewed only if the tree has changed since."""
        found = waiting.alone
        if waiting.evaluated_at != self._tree.version or not isinstance(found, QuotaNomination):
            stopping = tuple(self._state.stopping_for(waiting))
            found = nominate(queue, waiting.pending, self._settings, stopping=stopping)
            waiting.alone, waiting.evaluated_at = found, self._tree.version
        return found

    def _turns(self, entries: list[Entry]) -> Iterator[Entry]:
        if not self._settings.fair_sharing or len(entries) < 2:
            yield from in_order_of_borrowing(entries)
            return
        left = list(entries)
        while left:
            # Shares count a victim until it has stopped.
            self._put_victims_back()
            winner = winner_of_tournament(left)
            self._take_victims_out()
            left.remove(winner)
            yield winner

    def _put_victims_back(self) -> None:
        for victim in self._victims.values():
            put_back(victim.running, victim.queue)

    def _take_victims_out(self) -> None:
        for victim in self._victims.values():
            take_out(victim.running, victim.queue)

    def _valid_scan(self, queue: QuotaQueue, pending: Pending) -> ScanPosition | None:
        scan = pending.scan
        if scan is None or self._tree.cycle - scan.cycle <= 1:
            return scan
        return scan if scan.generation == queue.generation else None

    # Turns

    def _take_turn(self, entry: Entry) -> None:
        pending = entry.pending
        self._keep_scan(entry)
        overlap = [t.running.workload.id for t in entry.nomination.targets if self._claimed(t)]
        deferred = bool(overlap) and self._fits_after_preemptions(entry)
        nomination = entry.nomination
        possible = deferred or nomination.targets
        if overlap and entry.waiting is not None and not possible:
            # Alone it could still use what its victims release: it keeps waiting.
            self._skip(entry, TurnVerdict.VICTIMS_TAKEN, self._claimants.preemptors_of(overlap))
        elif nomination.result.mode is Mode.NO_FIT:
            self._fail(entry)
        elif not nomination.fits and not nomination.targets:
            self._reserve_capacity(entry)
            self._fail(entry)
        elif ahead_in_queue := self._preemptors_ahead(entry, deferred=deferred):
            turn = TurnStep(verdict=TurnVerdict.CROWDED, others=ahead_in_queue)
            self._requeue_or_set_inadmissible(entry, _skipped(nomination, turn))
        elif deferred:
            others = self._claimants.preemptors_of(overlap)
            self._claimants.record(pending.workload.id, nomination.usage)
            self._claim(entry.queue, dict(nomination.usage))
            turn = TurnStep(verdict=TurnVerdict.AFTER_OTHERS, others=others)
            self._wait(entry, (), overlap, turn)
        elif any(self._claimed(target) for target in nomination.targets):
            victims = (target.running.workload.id for target in nomination.targets)
            self._skip(entry, TurnVerdict.VICTIMS_TAKEN, self._claimants.preemptors_of(victims))
        elif not self._has_room(entry):
            self._skip(entry, TurnVerdict.OVERTAKEN, self._claimants.claimants_of(nomination.usage))
        elif nomination.targets:
            self._claimants.record(pending.workload.id, nomination.usage, nomination.targets)
            for target in nomination.targets:
                self._victims[target.running.workload.id] = target
                take_out(target.running, target.queue)
            self._claim(entry.queue, dict(nomination.usage))
            self._wait(entry, nomination.targets, [], None)
        elif not self._fits_beside_victims(entry):
            holding = victims_holding(self._victims.values(), nomination.usage)
            self._skip(entry, TurnVerdict.STILL_HELD, holding)
        else:
            self._claimants.record(pending.workload.id, nomination.usage)
            self._state.admit(entry.queue, pending, nomination, nomination.assignment)
            self._decided = self._ledger_changed = True

    def _keep_scan(self, entry: Entry) -> None:
        pending, found = entry.pending, entry.nomination.result
        pending.scan = None
        if found.stopped_early:
            pending.scan = ScanPosition(found.tried(), self._tree.cycle, entry.queue.generation)
            self._tree.scanning.add(pending)

    def _claimed(self, target: Target) -> bool:
        return target.running.workload.id in self._victims

    def _preemptors_ahead(self, entry: Entry, *, deferred: bool) -> tuple[str, ...]:
        """Return the preemptors ahead in its queue if they keep the entry from preempting too."""
        if entry.waiting is not None or not (deferred or entry.nomination.targets):
            return ()
        return preemptors_ahead(entry.queue, entry.pending)

    def _fits_after_preemptions(self, entry: Entry) -> bool:
        """
        Return whether the entry fits once the victims of other entries of the cycle have stopped.

        The entry is nominated again as if they had stopped, so it may find other victims.
        """
        waiting = entry.waiting
        entry.pending.scan = None
        if waiting is not None:
            if entry.queue.account.has_room(entry.nomination.usage):
                # Nothing has changed: it keeps waiting.
                return True
            if isinstance(waiting.failed_nomination, QuotaNomination):
                entry.nomination = waiting.failed_nomination
                return False
        stopping = self._state.stopping_for(waiting) if waiting is not None else ()
        entry.nomination = nominate(
            entry.queue,
            entry.pending,
            self._settings,
            nominated=entry.nomination.result.nominated(),
            without=frozenset(self._victims),
            stopping=tuple(each for each in stopping if not self._claimed(each)),
        )
        found = entry.nomination
        if waiting is not None and not (found.fits or found.targets):
            waiting.failed_nomination = found
        return found.fits

    def _has_room(self, entry: Entry) -> bool:
        """Return whether the entry fits once all victims of this cycle and its own have stopped."""
        if not self._ledger_changed:
            return True
        node, usage = entry.queue.account, entry.nomination.usage
        own = [target for target in entry.nomination.targets if not self._claimed(target)]
        for target in own:
            take_out(target.running, target.queue)
        fits = node.has_room(usage)
        for target in own:
            put_back(target.running, target.queue)
        return fits

    def _fits_beside_victims(self, entry: Entry) -> bool:
        """
        Return whether the entry fits while all victims still use their quota.

        Kueue does not check this, and can therefore reserve more quota than exists (spec 4.4).
        """
        if not self._victims:
            return True
        self._put_victims_back()
        for node, claim in self._claims:
            _charge(node, claim, -1)
        fits = entry.queue.account.has_room(entry.nomination.usage)
        for node, claim in self._claims:
            _charge(node, claim, 1)
        self._take_victims_out()
        return fits

    def _reserve_capacity(self, entry: Entry) -> None:
        """Reserve capacity against later entries of the cycle (Kueue, spec 4.5)."""
        policy = entry.queue.policy
        assert policy is not None
        if policy.preemption.reclaim_within_cohort is PreemptionRule.ANY:
            return
        node, found = entry.queue.account, entry.nomination.result
        held: dict[FlavorResource, int] = {}
        stopping = [v.running.usage for v in self._victims.values() if v.queue is entry.queue]
        for key, amount in found.usage.items():
            cell = node.cell(key)
            used = cell.used + sum(usage.get(key, 0) for usage in stopping)
            limit = cell.nominal
            if found.level > 0:
                limit = limit + cell.quota.borrowing_limit
            room = limit - used
            held[key] = min(amount, room) if isinstance(room, int) else amount
            if found.level == 0:
                held[key] = max(0, held[key])
        self._claimants.record(entry.pending.workload.id, held)
        self._claim(entry.queue, held)

    def _claim(self, queue: QuotaQueue, usage: dict[FlavorResource, int]) -> None:
        _charge(queue.account, usage, 1)
        self._claims.append((queue.account, usage))
        self._ledger_changed = True

    # The outcome of an entry

    def _wait(
        self,
        entry: Entry,
        targets: tuple[Target, ...],
        others: list[str],
        turn: TurnStep | None,
    ) -> None:
        entry.pending.scan = None
        self._requeued.add(entry.pending.workload.id)
        changed = self._state.preempt(
            entry.queue, entry.pending, entry.nomination, targets, others, turn
        )
        if changed:
            self._decided = True
        elif entry.waiting is not None:
            entry.waiting.quiet_at = self._tree.version

    def _skip(self, entry: Entry, verdict: TurnVerdict, others: tuple[str, ...]) -> None:
        """Give the entry its next turn at once, from the flavor where it stopped (spec 4.4)."""
        self._requeued.add(entry.pending.workload.id)
        if entry.waiting is not None:
            # It starts a new scan when its victims have stopped.
            entry.pending.scan = None
            return
        cls = entry.queue.pending.classes[entry.pending.class_key]
        turn = TurnStep(verdict=verdict, others=others)
        self._state.record_verdict(entry.queue, cls, _skipped(entry.nomination, turn))

    def _fail(self, entry: Entry) -> None:
        nomination = entry.nomination
        verdict = Verdict(nomination.pending_reason, nomination.reported.usage, nomination)
        self._requeue_or_set_inadmissible(entry, verdict)

    def _requeue_or_set_inadmissible(self, entry: Entry, verdict: Verdict) -> None:
        """Make the entry inadmissible, unless it has more flavors to try in the next cycle."""
        if entry.waiting is not None:
            self._state.return_to_queue(entry.queue, entry.waiting)
        if entry.pending.scan is not None:
            self._requeued.add(entry.pending.workload.id)
        if entry.pending.scan is not None or entry.queue.pending.is_strict:
            # It has flavors left to try, or its queue is strict: it has another turn.
            cls = entry.queue.pending.classes[entry.pending.class_key]
            self._state.record_verdict(entry.queue, cls, verdict)
            return
        self._set_inadmissible(entry.queue, entry.pending, verdict)

    def _set_inadmissible(self, queue: QuotaQueue, pending: Pending, verdict: Verdict) -> None:
        self._state.set_inadmissible(queue, queue.pending.classes[pending.class_key], verdict)
        self._inadmissible = True

    # Repetition

    def _break_repetition(self, entries: list[Entry]) -> Progress:
        """
        Make the heads inadmissible if an earlier cycle had the same ones, with no decision since.

        Otherwise the heads would take the same turns forever, and the classes behind them would
        never have a turn.
        """
        heads = [entry for entry in entries if entry.waiting is None]
        if not heads:
            return Progress.NOTHING
        look = tuple(
            (entry.queue.name, entry.pending.workload.id, _tried(entry.pending)) for entry in heads
        )
        if look not in self._tree.seen:
            self._tree.seen.add(look)
            return Progress.MOVED
        heads = [entry for entry in heads if not entry.queue.pending.is_strict]
        # Heads that cannot start anyway become inadmissible before those that could.
        failing = [e for e in heads if not e.nomination.fits and not e.nomination.targets]
        for entry in failing or heads:
            entry.pending.scan = None
            last = entry.queue.pending.classes[entry.pending.class_key].verdict
            others = last.turn.others if last is not None and last.turn is not None else ()
            turn = TurnStep(verdict=TurnVerdict.CIRCLE, others=others)
            self._set_inadmissible(entry.queue, entry.pending, _skipped(entry.nomination, turn))
        return Progress.MOVED if heads else Progress.NOTHING


def _skipped(nomination: QuotaNomination, turn: TurnStep) -> Verdict:
    return Verdict(BEHIND_OTHERS, nomination.reported.usage, nomination, turn)


def _tried(pending: Pending) -> object:
    if pending.scan is None:
        return None
    return tuple(
        (name, tuple(sorted(tried.items()))) for name, tried in sorted(pending.scan.tried.items())
    )


def _charge(node: Node, usage: dict[FlavorResource, int], sign: int) -> None:
    for key, amount in usage.items():
        node.cell(key).add(sign * amount)
