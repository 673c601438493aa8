"""
Proofs: the result of a change on a snapshot of the tree, with turns of competing workloads.

The snapshot gets the pending workloads that can affect the result: those that may start
instead of the workload, its victims, and preempting workloads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from console.engine.live.live_tree import AnyQueue
from console.engine.model.decision import Outcome
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import PendingClass
from console.engine.pending.pending_queue import PendingQueue

if TYPE_CHECKING:
    from console.engine.counterfactual.trials import Trials

#: Maximum number of classes of the tree for which the snapshot has all of them. If there are
#: more, this many classes that may start after the change are added at a time: those of the
#: target queue first, then by priority and submission.
_COMPETITORS = 32
#: Of each other queue, only the first classes are added, which represent the others.
_OF_OTHERS = 2

#: Rounds of preemption after which a proof fails.
_ROUNDS = 3

#: Added to a sequence number, puts a workload after all others.
_LATER = 2**62


@dataclass(frozen=True, slots=True)
class Started:
    """The workload starts, with these effects on others, as in `Change`."""

    who_loses: tuple[str, ...] = ()
    who_waits: tuple[str, ...] = ()


class Proof:
    """One change on a snapshot of its own; each proof is run once."""

    def __init__(
        self,
        trials: Trials,
        workload: Workload | None,
        policy: Policy | None,
        members: int,
        queue: str | None = None,
        *,
        inventory: Inventory | None = None,
    ) -> None:
        self._trials = trials
        self._uid = trials.uid
        self._workload = workload
        self._policy = policy or trials.policy
        self._members = members
        self._added: dict[tuple[str, str], bool] = {}
        target = queue or trials.route(workload or trials.workload).queue
        assert target is not None, "only what leads to a queue is tried"
        self._target = target
        self.snapshot = trials.snapshot(policy, target)
        self._evicting_before = frozenset(self.snapshot.evicting)
        self._lost: dict[str, None] = {}
        self._changed_policy = policy is not None
        self._changed_inventory = inventory is not None
        if inventory is not None:
            self.snapshot.change_inventory(inventory)
        theirs = trials.state.queues[target].tree.queues
        if sum(len(each.pending.classes) for each in theirs) <= _COMPETITORS:
            for each in theirs:
                for cls in each.pending.in_order():
                    self._add_class(each.name, cls, keep_inadmissible=True)

    @property
    def was_cut(self) -> bool:
        """Whether all added members of a class started and the class has more members."""
        return any(
            cut and self.snapshot.pending_class(queue, key) is None
            for (queue, key), cut in self._added.items()
        )

    def start(self, ends: tuple[str, ...], *, resume: bool) -> Started | None:
        """Return the effects if the workload starts after *ends* and a *resume*, or None."""
        snapshot = self.snapshot
        for each in ends:
            snapshot.finish(each)
        if resume:
            snapshot.resume(self._trials.queue.name)
        self._add_workload()
        if ends or resume or self._changed_policy or self._changed_inventory:
            self._add_competitors()
        else:
            self._add_strict_queues()
        for _ in range(_ROUNDS):
            self._settle()
            if self._uid in snapshot.running:
                if self._uid in snapshot.evicting:
                    # Another workload preempts it at once.
                    return None
                return Started(self._losers(), self._waiters())
            victims = self._victims()
            if not victims:
                return None
            for each in victims:
                self._record_loss(each)
                snapshot.release(each)
            self._add_competitors()
        return None

    def start_after_stopping(self, stopping: Iterable[str]) -> bool:
        """Return whether the workload starts after *stopping* have stopped."""
        self._add_workload()
        for each in stopping:
            self.snapshot.release(each)
        self._add_competitors()
        self._settle()
        return self._uid in self.snapshot.running and self._uid not in self.snapshot.evicting

    def unblocked_preemptors(self) -> frozenset[str]:
        """Return the preempting workloads that start after their victims have stopped."""
        waiting = self._preempting()
        self._stop_all()
        return frozenset(each for each in waiting if each in self.snapshot.running)

    # Pending workloads

    def _add_workload(self) -> None:
        snapshot, changed = self.snapshot, self._workload
        if changed is None:
            if self._uid not in snapshot.pending:
                self._add_class(self._trials.queue.name, self._own_class())
            return
        snapshot.finish(self._uid)
        snapshot.submit(replace(changed, sequence=changed.sequence + _LATER))

    def _own_class(self) -> PendingClass | None:
        """Return the workload's class; None for a preempting workload, which has none."""
        queue = self._trials.queue
        if self._uid in queue.preemptors:
            return None
        return queue.pending.classes.get(self._trials.pending.class_key)

    def _add_class(
        self, queue: str, cls: PendingClass | None, *, keep_inadmissible: bool = False
    ) -> None:
        """Add the first members of a class; of the workload's own class, those before it."""
        assert cls is not None, "a pending workload is in a class or preempting"
        if (queue, cls.key) in self._added:
            return
        others = (each for each in cls if each.workload.id != self._uid)
        if cls is self._own_class() and self._workload is None:
            before = self._trials.workload.sequence
            first = [
                each for each in islice(others, self._members) if each.workload.sequence < before
            ]
            # Members behind it are equal to it, and it goes first.
            members = [*first, self._trials.pending]
            is_cut = len(first) == self._members
        else:
            members = list(islice(others, self._members))
            is_cut = len(cls) > len(members) + 1
        self._added[queue, cls.key] = is_cut
        self.snapshot.add_pending(queue, members, keep_inadmissible=keep_inadmissible)

    def _add_strict_queues(self) -> None:
        """Add the classes of strict queues, because their heads block all others."""
        for theirs in self._trials.state.queues[self._target].tree.queues:
            if self.snapshot.queues[theirs.name].pending.is_strict:
                for cls in theirs.pending.classes.values():
                    self._add_class(theirs.name, cls)

    def _add_competitors(self) -> None:
        """Add the classes that may start now, in the order of their turns."""
        self._add_strict_queues()
        queues = self._trials.state.queues[self._target].tree.queues
        competitors: list[PendingClass] = []
        for theirs in queues:
            self._trials.check_stopped()
            queue = self.snapshot.queues[theirs.name]
            if queue.barrier is None and self._trials.discipline.is_limited(queue):
                most = _COMPETITORS if theirs.name == self._target else _OF_OTHERS
                competitors += islice(self._competitors_in(queue, theirs.pending), most)
        competitors.sort(key=lambda cls: (cls.queue != self._target, *_place(cls)))
        for cls in competitors[:_COMPETITORS]:
            self._add_class(cls.queue, cls)

    def _competitors_in(
        self, queue: AnyQueue, pending_queue: PendingQueue
    ) -> Iterator[PendingClass]:
        highest = pending_queue.highest
        if highest is None or all(
            self._surely_fails(queue, each, highest) for each in pending_queue.min_requests.each()
        ):
            return
        for cls in pending_queue.in_order():
            if (queue.name, cls.key) not in self._added and not self._surely_fails(
                queue, cls.min_requests, cls.priority
            ):
                yield cls

    def _surely_fails(self, queue: AnyQueue, least: Mapping[str, int], priority: int) -> bool:
        discipline = self._trials.discipline
        return discipline.surely_fails(self._policy, queue, least, priority)

    # Results

    def _settle(self) -> None:
        for decision in self.snapshot.settle():
            if (
                decision.outcome is Outcome.PREEMPTED
                and decision.workload not in self._evicting_before
            ):
                self._record_loss(decision.workload)

    def _record_loss(self, uid: str) -> None:
        """Record a victim, unless it started only after the change."""
        if uid in self._trials.state.running:
            self._lost[uid] = None

    def _victims(self) -> list[str]:
        for queue in self.snapshot.queues.values():
            waiting = queue.preemptors.get(self._uid)
            if waiting is not None:
                return sorted(waiting.victims)
        return []

    def _losers(self) -> tuple[str, ...]:
        return tuple(sorted(self._lost))

    def _waiters(self) -> tuple[str, ...]:
        unblocked_preemptors = self._trials.unblocked_preemptors(self._target)
        if not unblocked_preemptors:
            return ()
        self._stop_all()
        return tuple(
            sorted(each for each in unblocked_preemptors if each not in self.snapshot.running)
        )

    def _preempting(self) -> frozenset[str]:
        """Return the preempting workloads of the snapshot except for this one."""
        queues = self.snapshot.queues.values()
        return frozenset(uid for queue in queues for uid in queue.preemptors) - {self._uid}

    def _stop_all(self) -> None:
        """Release all workloads that were evicting before the change."""
        for each in sorted(self._evicting_before):
            self.snapshot.release(each)
        self._add_competitors()
        self.snapshot.settle()


def _place(cls: PendingClass) -> tuple[int, int]:
    return -cls.priority, cls.head.workload.sequence
