"""
A world: who waits and who runs in the queues of one organization, and every move in it.

Disciplines move it by the verbs `admit`, `preempt`, `let_pass`, `rejoin`, `note` and `park`.
What comes in from outside, and when somebody decides, is the business of `state`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from console.engine import record, standing
from console.engine.amounts import SCALE
from console.engine.circles import Stops, situation
from console.engine.decision import Assignment, Decision
from console.engine.disciplines import Nomination
from console.engine.ledger import FlavorResource, Ledger
from console.engine.pending import Pending, PendingClass, Verdict
from console.engine.policy import Policy
from console.engine.running import Running
from console.engine.touched import Changes
from console.engine.trace import TurnStep
from console.engine.tree import Preemptor, QueueState, Target, Tree
from console.engine.workload import PODS, Workload


class World:
    """Who waits and who runs, under the policy and on the ledger that a `State` gives it."""

    policy: Policy
    ledger: Ledger

    def __init__(self) -> None:
        self.queues: dict[str, QueueState] = {}
        self.running: dict[str, Running] = {}
        self.pending: dict[str, Pending] = {}
        #: Ids of running workloads that were told to stop.
        self.departing: set[str] = set()
        #: Position that the next reservation gets.
        self.next_reservation = 1
        self._decisions: list[Decision] = []
        self._budget = 0
        #: Trees in which somebody may have a turn.
        self._active: dict[Tree, None] = {}
        #: Id of one that is stopping -> those who wait for it, by id.
        self._waiting_for: dict[str, dict[str, Preemptor]] = {}
        self._changes = Changes()
        #: Called before each turn of a cycle. It may raise, and the state is useless then.
        self.going_on: Callable[[], None] = _go_on

    # What it is asked

    def queue(self, name: str) -> QueueState:
        """Return a queue as it lives; one that the policy does not have has no settings."""
        state = self.queues.get(name)
        if state is None:
            around = [QueueState(each) for each in self.ledger.queues_around(name)]
            for each in around:
                self.queues[each.name] = each
                each.follow(self.policy)
                each.node = self.ledger.queue(each.name)
            state = self.queues[name]
            Tree(state.node.root, around)
        return state

    def queue_of(self, workload_id: str) -> str | None:
        """Return the queue in which a workload waits or runs, or None when it has none."""
        running = self.running.get(workload_id)
        if running is not None:
            return running.queue
        pending = self.pending.get(workload_id)
        return pending.route.queue if pending is not None else None

    def knows(self, workload_id: str) -> bool:
        """Say whether a workload waits or runs here."""
        return workload_id in self.pending or workload_id in self.running

    def pending_class(self, queue: str, key: str) -> PendingClass | None:
        """Return a class of waiting workloads, or None when nobody of its kind waits."""
        return self.queues[queue].line.classes.get(key) if queue in self.queues else None

    def usage(self, queue: str) -> Mapping[FlavorResource, int]:
        """Return what the running workloads of *queue* hold, in thousandths."""
        return self.ledger.queue(queue).usage

    def preemptors_in(self, queue: str) -> list[Preemptor]:
        """Return those of *queue* who wait for others to stop, in the order of its line."""
        waiting = self.queue(queue).preemptors.values()
        return sorted(waiting, key=lambda each: each.pending.place)

    def stopping_for(self, preemptor: Preemptor) -> Iterator[Target]:
        """Yield those in its tree that have yet to stop for *preemptor*, by id."""
        tree = self.queues[preemptor.pending.route.queue or ""].tree
        for uid in sorted(preemptor.victims):
            running = self.running[uid]
            queue = self.queues[running.queue] if running.queue is not None else None
            if queue is not None and queue.tree is tree and running.reason is not None:
                yield Target(running, queue, running.reason)

    def pending_count(self, queue: str) -> int:
        """Return how many workloads wait in *queue*, those for whom others stop included."""
        return self.queue(queue).pending_count

    @property
    def has_budget(self) -> bool:
        """Whether this settle may decide more."""
        return len(self._decisions) < self._budget

    # Verbs for disciplines

    def admit(
        self, queue: QueueState, pending: Pending, nomination: Nomination, assignment: Assignment
    ) -> None:
        """Start a pending workload of *queue* with *assignment*."""
        self._leave(queue, pending)
        self._admit(pending, nomination, assignment)

    def preempt(
        self,
        queue: QueueState,
        pending: Pending,
        nomination: Nomination,
        targets: tuple[Target, ...],
        others: Iterable[str],
        turn: TurnStep | None,
    ) -> bool:
        """
        Tell *targets* to stop, and let *pending* wait for them and for *others*.

        Says whether that is news: whoever is stopping already is not told again, and whoever
        waits already goes on waiting for the same ones unless others are told for it.
        """
        told = False
        now = situation(
            nomination.usage,
            ((each.running.workload.id, each.running.usage) for each in targets),
            {k: len(n) for k, n in self._stops_that_count(pending.stopped_for).items()},
        )
        for target in targets:
            running = target.running
            if not running.departing:
                running.departing, running.reason = True, target.reason
                running.preemptor = uid = pending.workload.id
                running.stopped_for = {
                    **self._stops_that_count(running.stopped_for),
                    uid: (*running.stopped_for.get(uid, ()), now),
                }
                self.departing.add(running.workload.id)
                target.queue.running.tell(running)
                self._decisions.append(record.preempted(self.policy, running, pending, queue))
                self._changes.queues.add(target.queue.name)
                told = True
        if not told and pending.workload.id in queue.preemptors:
            # Of those who are stopping anyway it may find others in every cycle. It waits on
            # for the ones it was told of: when they have stopped it has a turn again.
            return False
        victims = {target.running.workload.id for target in targets} | set(others)
        self._leave(queue, pending)
        # The latest preemptor of a queue takes the place of an earlier one (Kueue, spec 3.6).
        queue.line.sticky = None
        preemptor = Preemptor(pending, nomination, victims)
        self._wait_outside(queue, preemptor)
        # What was said about its waiting no longer holds, should it come back to the line.
        pending.announced = None
        self._decisions.append(standing.waiting_for_victims(self.policy, queue, preemptor, turn))
        queue.tree.changed()
        return True

    def let_pass(self, tree: Tree, still_ahead: set[str]) -> bool:
        """
        Give turns again to those of *tree* who yield to nobody in *still_ahead*.

        Says whether there were any.
        """
        passing = [p for p in tree.yielding.values() if p.yields_to not in still_ahead]
        for pending in passing:
            queue = self.queues[pending.route.queue or ""]
            self._leave(queue, pending)
            pending.yields_to = None
            cls = queue.line.join(pending)
            queue.line.look_again(cls)
            self._changes.classes.add((queue.name, cls.key))
        return bool(passing)

    def rejoin(self, queue: QueueState, preemptor: Preemptor) -> None:
        """Let one that waited for others to stop take the next turn of its queue's line."""
        self._forget_preemptor(queue, preemptor.pending.workload.id)
        line, pending = queue.line, preemptor.pending
        cls = line.join(pending)
        if line.sticky is None or pending.place < line.sticky.place:
            line.sticky = pending
        # Those that stopped may be of another tree, after a change of policy.
        self._active[queue.tree] = None
        if queue.barrier is not None:
            self._bar(queue, [cls])
        else:
            line.look_again(cls)

    def note(self, queue: QueueState, cls: PendingClass, verdict: Verdict) -> None:
        """Keep what was found about the head of a class, which keeps its turn."""
        cls.verdict = verdict
        if verdict.is_lasting:
            queue.line.open.discard(cls.key)
        else:
            queue.line.open.add(cls.key)
        self._changes.classes.add((queue.name, cls.key))
        self._changes.queues.add(queue.name)

    def park(self, queue: QueueState, cls: PendingClass, verdict: Verdict) -> None:
        """Let a class wait until something in its tree changes."""
        self.note(queue, cls, verdict)
        queue.line.park(cls)

    # Inside

    def _stops_that_count(self, stops: Stops) -> Stops:
        """Leave out preemptors that have ended: one that runs may ask again once it is stopped."""
        return {uid: told for uid, told in stops.items() if self.knows(uid)}

    def _stir(self, queue: QueueState) -> None:
        """Give everybody in a queue's tree another turn in the next settle."""
        queue.tree.stirred = True
        self._active[queue.tree] = None
        self._changes.queues.add(queue.name)

    def _bar(self, queue: QueueState, classes: Iterable[PendingClass]) -> None:
        """Park classes of a queue in which nobody has a turn."""
        reason = queue.barrier
        if reason is not None:
            for cls in classes:
                if cls.verdict is None or cls.verdict.reason is not reason:
                    self.park(queue, cls, Verdict(reason))

    def _leave(self, queue: QueueState, pending: Pending) -> None:
        self._changes.queues.add(queue.name)
        if pending.workload.id in queue.preemptors:
            self._forget_preemptor(queue, pending.workload.id)
            return
        queue.tree.yielding.pop(pending.workload.id, None)
        queue.line.leave(pending)
        self._changes.classes.add((queue.name, pending.class_key))

    def _wait_outside(self, queue: QueueState, preemptor: Preemptor) -> None:
        uid = preemptor.pending.workload.id
        queue.preemptors[uid] = preemptor
        for victim in preemptor.victims:
            self._waiting_for.setdefault(victim, {})[uid] = preemptor
        self._changes.queues.add(queue.name)

    def _forget_preemptor(self, queue: QueueState, uid: str) -> None:
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
            # The room it claimed is there for others.
            self._leave(queue, pending)
            self._stir(queue)
        elif pending.class_key:
            was_head = queue.line.head() is pending
            self._leave(queue, pending)
            if was_head:
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
        )
        self.next_reservation += 1
        self._start(running)
        self._decisions.append(record.admitted(self.policy, running, nomination))

    def _start(self, running: Running) -> None:
        self.running[running.workload.id] = running
        if running.departing:
            self.departing.add(running.workload.id)
        if running.queue is not None:
            queue = self.queue(running.queue)
            queue.running.add(running)
            queue.generation += 1
            queue.tree.count(running, 1)
            self.ledger.add(running.queue, running.usage)
            self._changes.queues.add(running.queue)

    def _stop(self, running: Running) -> None:
        self.departing.discard(running.workload.id)
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
                self.rejoin(self.queues[preemptor.pending.route.queue or ""], preemptor)
        self._stir(queue)


def _go_on() -> None:
    """Let a cycle go on."""


def usage_of(workload: Workload, assignment: Assignment) -> dict[FlavorResource, int]:
    """Return what *workload* holds with *assignment*, in thousandths."""
    requests = {pod_set.name: pod_set.requests for pod_set in workload.pod_sets}
    usage: dict[FlavorResource, int] = {}
    for each in assignment:
        for resource, flavor in each.flavors.items():
            amount = SCALE if resource == PODS else requests[each.name].get(resource, 0)
            key = (flavor, resource)
            usage[key] = usage.get(key, 0) + amount * each.count
    return usage
