"""
State mutations: the operations that change the pending and running workloads of a state.

Disciplines use `admit`, `reject`, `resize`, `take_pods`, `preempt`, `evict_for`, `evict`,
`requeue_unblocked`, `return_to_queue`, `record_verdict`, `set_inadmissible` and `schedule_requeue`.
`console.engine.state` has the facts from outside and decides when to run cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from console.engine.live.accounts import QueueLedger
from console.engine.live.decision_builder import DecisionBuilder
from console.engine.live.dirty_set import DirtySet
from console.engine.live.live_tree import AnyQueue, LiveTree, Preemptor, QueueState, Target
from console.engine.live.node_usage import NodeUsage
from console.engine.live.pod_changes import has_lost_pods, is_short, placed_pods, resized
from console.engine.live.run_times import RunTimes
from console.engine.live.running import Running
from console.engine.model.amounts import SCALE, FlavorResource
from console.engine.model.decision import Assignment, Decision, Place, PlacedPods, Resize
from console.engine.model.inventory import Inventory
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy
from console.engine.model.preemption_loops import Stops, situation
from console.engine.model.reasons import Reason, ReasonClass
from console.engine.model.trace import TurnStep
from console.engine.model.usage_history import UsageHistory
from console.engine.model.workload import PODS, Workload
from console.engine.pending.pending_class import Pending, PendingClass, Verdict


class StateMutations:
    """Base class of `State`: the pending and running workloads, and operations on them."""

    policy: Policy
    ledger: QueueLedger
    _builder: DecisionBuilder
    #: Of the discipline.
    _is_lost: Callable[[Policy, Inventory, Place], bool]
    _shares_by_request: bool
    #: Returns why a workload of a held queue could not run after the hold either; None: it could.
    _never_runs: Callable[[AnyQueue, Pending], Verdict | None]

    def __init__(self, now: int) -> None:
        #: Time of the last facts, in milliseconds since 1970 in UTC; 0: no facts yet.
        self.now = now
        self.inventory = Inventory()
        #: What queues have used in the past; None: not measured, or of no interest to the policy.
        self.usage_history: UsageHistory | None = None
        #: The usage of the nodes of `inventory`, and of removed ones on which pods still run.
        self.node_usage = NodeUsage()
        #: Data that the discipline derives from the state and keeps between cycles; None: it has
        #: to be derived again, because the policy changed.
        self.derived: Any = None
        self.queues: dict[str, AnyQueue] = {}
        self.running: dict[str, Running] = {}
        self.pending: dict[str, Pending] = {}
        #: Ids of running workloads that are being evicted.
        self.evicting: set[str] = set()
        #: Ids of running workloads that may need places for some of their pods, in the order of
        #: that discovery.
        self.incomplete: dict[str, None] = {}
        #: When running workloads have run for as long as they may.
        self._run_times = RunTimes()
        #: Position of the next reservation.
        self.next_reservation = 1
        self._decisions: list[Decision] = []
        self._budget = 0
        #: Trees with a class that may get a turn.
        self._active: dict[LiveTree, None] = {}
        #: Id of an evicting workload -> the preemptors that wait for it, by id.
        self._waiting_for: dict[str, dict[str, Preemptor]] = {}
        self._changes = DirtySet()
        #: Called before each turn of a cycle. If it raises, the state is unusable.
        self.before_turn: Callable[[], None] = _continue

    # Queries

    def queue(self, name: str) -> AnyQueue:
        """Return the live state of a queue, also of one that the policy does not contain."""
        state = self.queues.get(name)
        if state is None:
            around = self.ledger.queues_around(name)
            known = next((self.queues[each] for each in around if each in self.queues), None)
            added: list[AnyQueue] = [QueueState(each) for each in around if each not in self.queues]
            for each in added:
                self.queues[each.name] = each
                each.apply_policy(self.policy)
                each.account = self.ledger.queue(each.name)
            state = self.queues[name]
            if known is not None:
                known.tree.add(added)
            else:
                LiveTree(state.account.root, added)
        return state

    def queue_of(self, workload_id: str) -> str | None:
        """Return the name of the queue of a pending or running workload, or None."""
        running = self.running.get(workload_id)
        if running is not None:
            return running.queue
        pending = self.pending.get(workload_id)
        return pending.route.queue if pending is not None else None

    def has_workload(self, workload_id: str) -> bool:
        """Return whether a workload is pending or running in this state."""
        return workload_id in self.pending or workload_id in self.running

    def pending_class(self, queue: str, key: str) -> PendingClass | None:
        """Return the pending class *key* of *queue*, or None when it has no member."""
        return self.queues[queue].pending.classes.get(key) if queue in self.queues else None

    def usage(self, queue: str) -> Mapping[FlavorResource, int]:
        """Return the usage of the running workloads of *queue*, in thousandths."""
        usage: Mapping[FlavorResource, int] = self.ledger.queue(queue).usage
        return usage

    def preemptors_in(self, queue: str) -> list[Preemptor]:
        """Return the preempting workloads of *queue*, in the order of pending workloads."""
        waiting = self.queue(queue).preemptors.values()
        return sorted(waiting, key=lambda each: each.pending.place)

    def stopping_for(self, preemptor: Preemptor) -> Iterator[Target]:
        """Yield the targets in its tree that have yet to stop for *preemptor*, sorted by id."""
        tree = self.queues[preemptor.pending.route.queue or ""].tree
        for uid in sorted(preemptor.victims):
            running = self.running[uid]
            queue = self.queues[running.queue] if running.queue is not None else None
            if queue is not None and queue.tree is tree and running.reason is not None:
                yield Target(running, queue, running.reason)

    def pending_count(self, queue: str) -> int:
        """Return the number of pending workloads in *queue*, preempting ones included."""
        return self.queue(queue).pending_count

    @property
    def has_budget(self) -> bool:
        """Whether this settle may make more decisions."""
        return len(self._decisions) < self._budget

    # Operations for disciplines

    def admit(
        self, queue: AnyQueue, pending: Pending, nomination: Nomination, assignment: Assignment
    ) -> None:
        """Admit a pending workload of *queue* with *assignment*."""
        self._leave(queue, pending)
        self._admit(pending, nomination, assignment)

    def reject(
        self, queue: AnyQueue, pending: Pending, nomination: Nomination, reason: Reason
    ) -> None:
        """Reject a pending workload of *queue*, because of *nomination*."""
        self._leave(queue, pending)
        del self.pending[pending.workload.id]
        self._decisions.append(self._builder.rejected(pending, reason, nomination))

    def resize(
        self, running: Running, nomination: Nomination | None, resize: Resize, reason: Reason
    ) -> None:
        """Grant pods to *running*, and take others; an empty *resize* only announces *reason*."""
        changed = self._change_pods(running, resized(running.assignment, resize))
        changed.reason = reason
        self._decisions.append(self._builder.resized(changed, nomination, resize, reason))

    def take_pods(
        self,
        target: Target,
        taken: tuple[PlacedPods, ...],
        queue: AnyQueue,
        pending: Pending,
        nomination: Nomination,
    ) -> None:
        """Take some pods of a running workload for *pending* of *queue*."""
        resize = Resize(taken=taken)
        changed = self._change_pods(target.running, resized(target.running.assignment, resize))
        changed.reason = target.reason
        self._decisions.append(
            self._builder.pods_taken(changed, resize, pending, queue, nomination)
        )

    def preempt(
        self,
        queue: AnyQueue,
        pending: Pending,
        nomination: Nomination,
        targets: tuple[Target, ...],
        others: Iterable[str],
        turn: TurnStep | None,
    ) -> bool:
        """
        Evict *targets*, and let *pending* wait for them and for *others*.

        Returns whether anything changed: evicting workloads are not announced again, and a
        preemptor that already waits keeps its victims unless further ones are evicted for it.
        """
        has_new_victim = self.evict_for(queue, pending, nomination, targets)
        if not has_new_victim and pending.workload.id in queue.preemptors:
            # The preemptor may find other evicting workloads in every cycle. It still waits for
            # the announced victims: when they have stopped, it gets a turn again.
            return False
        victims = {target.running.workload.id for target in targets} | set(others)
        self._leave(queue, pending)
        # The latest preemptor of a queue takes the place of an earlier one (Kueue, spec 3.6).
        queue.pending.sticky = None
        preemptor = Preemptor(pending, nomination, victims)
        self._wait_outside(queue, preemptor)
        # If it returns to the pending queue, it has to be announced again.
        pending.announced = None
        self._decisions.append(self._builder.waiting_for_victims(queue, preemptor, turn))
        queue.tree.changed()
        return True

    def evict_for(
        self,
        queue: AnyQueue,
        preemptor: Pending,
        nomination: Nomination,
        targets: tuple[Target, ...],
    ) -> bool:
        """
        Evict *targets* for a workload of *queue*, also for one that runs and gets further pods.

        Returns whether any of them was not evicting before.
        """
        has_new_victim = False
        present = situation(
            nomination.usage,
            ((each.running.workload.id, each.running.usage) for each in targets),
            {k: len(n) for k, n in self._relevant_stops(preemptor.stopped_for).items()},
        )
        for target in targets:
            running = target.running
            if running.evicting:
                continue
            running.evicting, running.reason = True, target.reason
            running.preemptor = uid = preemptor.workload.id
            running.stopped_for = {
                **self._relevant_stops(running.stopped_for),
                uid: (*running.stopped_for.get(uid, ()), present),
            }
            self.evicting.add(running.workload.id)
            target.queue.running.mark_evicting(running)
            self._decisions.append(self._builder.preempted(running, preemptor, queue, nomination))
            self._changes.queues.add(target.queue.name)
            has_new_victim = True
        return has_new_victim

    def evict(self, queue: AnyQueue | None, running: Running, reason: Reason) -> None:
        """Evict a workload of *queue* for *reason*, and for no other workload."""
        running.evicting, running.reason, running.preemptor = True, reason, None
        self.evicting.add(running.workload.id)
        if queue is not None:
            queue.running.mark_evicting(running)
            queue.tree.changed()
            self._changes.queues.add(queue.name)
        self._decisions.append(self._builder.evicted(running))

    def requeue_unblocked(self, tree: LiveTree, still_ahead: set[str]) -> bool:
        """
        Requeue the workloads of *tree* that yield to none of *still_ahead*.

        Returns whether there were any.
        """
        passing = [p for p in tree.yielding.values() if p.yields_to not in still_ahead]
        for pending in passing:
            queue = self.queues[pending.route.queue or ""]
            self._leave(queue, pending)
            pending.yields_to = None
            cls = queue.pending.join(pending)
            queue.pending.requeue(cls)
            self._changes.classes.add((queue.name, cls.key))
        return bool(passing)

    def return_to_queue(self, queue: AnyQueue, preemptor: Preemptor) -> None:
        """Return a preempting workload to its pending queue, where it gets the next turn."""
        self._forget_preemptor(queue, preemptor.pending.workload.id)
        pending_queue, pending = queue.pending, preemptor.pending
        cls = pending_queue.join(pending)
        if pending_queue.sticky is None or pending.place < pending_queue.sticky.place:
            pending_queue.sticky = pending
        # After a change of policy, the last victim may have belonged to another tree.
        self._active[queue.tree] = None
        if queue.barrier is not None:
            self._bar(queue, [cls])
        else:
            pending_queue.requeue(cls)

    def record_verdict(self, queue: AnyQueue, cls: PendingClass, verdict: Verdict) -> None:
        """Record the verdict on the head of a class, without making the class inadmissible."""
        cls.verdict = verdict
        if verdict.is_lasting:
            queue.pending.open.discard(cls.key)
        else:
            queue.pending.open.add(cls.key)
        self._changes.classes.add((queue.name, cls.key))
        self._changes.queues.add(queue.name)

    def set_inadmissible(self, queue: AnyQueue, cls: PendingClass, verdict: Verdict) -> None:
        """Record the verdict and mark the class inadmissible until its tree changes."""
        self.record_verdict(queue, cls, verdict)
        queue.pending.set_inadmissible(cls)

    def schedule_requeue(self, queue: AnyQueue) -> None:
        """Schedule the requeueing of the classes in the tree of *queue*, for the next cycle."""
        queue.tree.needs_requeue = True
        self._active[queue.tree] = None
        self._changes.queues.add(queue.name)

    # Internals

    def _relevant_stops(self, stops: Stops) -> Stops:
        """
        Return *stops* without preemptors that have ended.

        Running preemptors count, because they may preempt again after an eviction.
        """
        return {uid: past for uid, past in stops.items() if self.has_workload(uid)}

    def _bar(self, queue: AnyQueue, classes: Iterable[PendingClass], *, anew: bool = False) -> None:
        """
        Mark *classes* inadmissible if the queue has a barrier.

        A class that could not run after a hold either keeps the reason for that. *anew* evaluates
        this for classes again whose verdict is known.
        """
        barrier = queue.barrier
        if barrier is None:
            return
        for cls in classes:
            # A deactivated workload waits for its activation, whatever bars its queue.
            if cls.head.workload.inactive is not None:
                continue
            is_known = cls.verdict is not None and (
                cls.verdict.reason is barrier or (queue.held and cls.cannot_run)
            )
            if anew or not is_known:
                never = self._never_runs(queue, cls.head) if queue.held else None
                self.set_inadmissible(queue, cls, never or Verdict(barrier))

    def _leave(self, queue: AnyQueue, pending: Pending) -> None:
        self._changes.queues.add(queue.name)
        if pending.workload.id in queue.preemptors:
            self._forget_preemptor(queue, pending.workload.id)
            return
        queue.tree.yielding.pop(pending.workload.id, None)
        queue.pending.leave(pending)
        self._changes.classes.add((queue.name, pending.class_key))

    def _wait_outside(self, queue: AnyQueue, preemptor: Preemptor) -> None:
        uid = preemptor.pending.workload.id
        queue.preemptors[uid] = preemptor
        for victim in preemptor.victims:
            self._waiting_for.setdefault(victim, {})[uid] = preemptor
        self._changes.queues.add(queue.name)

    def _forget_preemptor(self, queue: AnyQueue, uid: str) -> None:
        preemptor = queue.preemptors.pop(uid)
        for victim in preemptor.victims:
            self._waiting_for[victim].pop(uid)
            if not self._waiting_for[victim]:
                del self._waiting_for[victim]
        self._changes.queues.add(queue.name)

    def _drop(self, workload_id: str) -> bool:
        pending = self.pending.pop(workload_id, None)
        if pending is None:
            return False
        queue = self.queues.get(pending.route.queue or "")
        if queue is None:
            return True
        if workload_id in queue.preemptors:
            # The quota that it claimed is available to other workloads now.
            self._leave(queue, pending)
            self.schedule_requeue(queue)
        elif pending.class_key:
            was_head = queue.pending.head() is pending
            verdict = queue.pending.classes[pending.class_key].verdict
            # Room that stopping pods leave to it is available to other workloads now.
            had_claim = verdict is not None and verdict.reason.reason_class is ReasonClass.SOON
            self._leave(queue, pending)
            if self._shares_by_request or had_claim:
                self.schedule_requeue(queue)
            elif was_head:
                self._active[queue.tree] = None
        return True

    def _admit(
        self, pending: Pending, nomination: Nomination | None, assignment: Assignment
    ) -> None:
        del self.pending[pending.workload.id]
        route = pending.route
        running = Running(
            workload=pending.workload,
            queue=route.queue,
            priority=route.priority or 0,
            assignment=assignment,
            usage=usage_of(pending.workload, assignment),
            reservation=self.next_reservation,
            route=route,
            stopped_for=pending.stopped_for,
            started=self.now,
        )
        self.next_reservation += 1
        self._start(running)
        self._decisions.append(self._builder.admitted(running, nomination))

    def _change_pods(
        self, running: Running, assignment: Assignment, workload: Workload | None = None
    ) -> Running:
        """Replace *running* by one with other pods; *workload* is given if some have finished."""
        short_since = self._short_since(running, assignment, workload)
        workload = workload or running.workload
        usage = usage_of(workload, assignment)
        changed = replace(
            running,
            workload=workload,
            assignment=assignment,
            usage=usage,
            short_since=short_since,
        )
        self.running[workload.id] = changed
        self.node_usage.count(running.workload, running.assignment, -1)
        self.node_usage.count(workload, assignment, 1)
        if running.queue is not None:
            queue = self.queues[running.queue]
            queue.running.replace(changed)
            queue.generation += 1
            queue.tree.count(running, -1)
            queue.tree.count(changed, 1)
            self.ledger.remove(running.queue, running.usage)
            self.ledger.add(running.queue, usage)
            self._changes.queues.add(running.queue)
        return changed

    def _change_running(self, running: Running, workload: Workload, priority: int) -> Running:
        """Replace *running* by *workload*, the same one with other facts, at *priority*."""
        changed = replace(running, workload=workload, priority=priority)
        self.running[workload.id] = changed
        # What disciplines derive has the workloads, in the order of their priorities.
        self.derived = None
        if running.queue is not None:
            queue = self.queues[running.queue]
            queue.running.remove(running)
            queue.running.add(changed)
            queue.generation += 1
            queue.tree.count(running, -1)
            queue.tree.count(changed, 1)
            self.schedule_requeue(queue)
        return changed

    def _short_since(
        self, running: Running, assignment: Assignment, finished: Workload | None
    ) -> int | None:
        """Return `short_since` of *running* with *assignment*; pods that finish do not set it."""
        lost = [
            pods
            for pods in placed_pods(assignment)
            if self._is_lost(self.policy, self.inventory, pods.place)
        ]
        if not is_short(finished or running.workload, assignment, lost):
            return None
        is_new = running.short_since is None and finished is None
        if is_new and (lost or has_lost_pods(running.assignment, assignment)):
            return self.now
        return running.short_since

    def _start(self, running: Running) -> None:
        self.running[running.workload.id] = running
        self._run_times.add(self.policy, running)
        if running.evicting:
            self.evicting.add(running.workload.id)
        self.node_usage.count(running.workload, running.assignment, 1)
        if running.queue is not None:
            queue = self.queue(running.queue)
            queue.running.add(running)
            queue.generation += 1
            queue.tree.count(running, 1)
            self.ledger.add(running.queue, running.usage)
            self._changes.queues.add(running.queue)

    def _stop(self, running: Running) -> None:
        self.evicting.discard(running.workload.id)
        self.incomplete.pop(running.workload.id, None)
        self.node_usage.count(running.workload, running.assignment, -1)
        if running.queue is None:
            return
        queue = self.queues[running.queue]
        queue.running.remove(running)
        queue.generation += 1
        queue.tree.count(running, -1)
        self.ledger.remove(running.queue, running.usage)
        for preemptor in self._waiting_for.pop(running.workload.id, {}).values():
            preemptor.victims.discard(running.workload.id)
            if not preemptor.victims:
                self.return_to_queue(self.queues[preemptor.pending.route.queue or ""], preemptor)
        self.schedule_requeue(queue)


def _continue() -> None:
    """Let a cycle continue."""


def usage_of(workload: Workload, assignment: Assignment) -> dict[FlavorResource, int]:
    """
    Return the usage of *workload* with *assignment*, in thousandths.

    Pods in places use the flavor of their place, or else the cluster; so do pods that have to stop.
    """
    requests = {pod_set.name: pod_set.requests for pod_set in workload.pod_sets}
    usage: dict[FlavorResource, int] = {}
    for each in assignment:
        for resource, flavor in each.flavors.items():
            amount = SCALE if resource == PODS else requests[each.name].get(resource, 0)
            key = (flavor, resource)
            usage[key] = usage.get(key, 0) + amount * each.count
        for place in (*each.places, *each.stopping):
            capacity = place.capacity
            if capacity is None:
                continue
            for resource, amount in requests[each.name].items():
                if resource not in each.flavors:
                    key = (capacity, resource)
                    usage[key] = usage.get(key, 0) + amount * place.count
    return usage
