"""
The state: one organization's live world, and the only mutable thing of the engine.

Facts come in by `submit`, `finish`, `withdraw`, `release`, `hold`, `resume` and
`change_policy`; they only note what changed. `settle` then decides until nothing
changes any more. The verbs `admit`, `preempt` and `park` are for disciplines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from console.engine import record
from console.engine.decision import Assignment, Decision, Reason
from console.engine.disciplines import Nomination, load_discipline
from console.engine.ledger import FlavorResource, Ledger, Node
from console.engine.pending import Announced, Line, Pending, PendingClass, Verdict
from console.engine.policy import Policy, Queue
from console.engine.routing import Route, Router, flavor_rejection
from console.engine.running import Running, RunningLine
from console.engine.trace import OrderStep, Trace
from console.engine.workload import Workload


class QueueState:
    """One queue as it lives: its settings, who waits, who runs, whether it is held."""

    def __init__(self, name: str, policy: Queue | None) -> None:
        self.name = name
        #: None while it drains: the policy no longer has it.
        self.policy = policy
        self.line = Line()
        self.running = RunningLine()
        self.held = False


@dataclass(slots=True, eq=False)
class Promise:
    """Room that is being made for a pending workload: it starts when its victims have stopped."""

    pending: Pending
    nomination: Nomination | None
    usage: Mapping[FlavorResource, int]
    assignment: Assignment
    #: Ids of those that have yet to stop.
    victims: set[str]


@dataclass(slots=True)
class Changes:
    """What rows have to be written besides decisions, since the last time somebody asked."""

    queues: set[str] = field(default_factory=set)
    #: (queue, class key)
    classes: set[tuple[str, str]] = field(default_factory=set)


class State:
    """One organization's world under one policy."""

    def __init__(self, policy: Policy) -> None:
        self.queues: dict[str, QueueState] = {}
        self.running: dict[str, Running] = {}
        self.pending: dict[str, Pending] = {}
        self.promises: dict[str, Promise] = {}
        #: Ids of running workloads that were told to stop.
        self.departing: set[str] = set()
        #: Position that the next reservation gets.
        self.next_reservation = 1
        self._arrivals: list[Pending] = []
        self._decisions: list[Decision] = []
        self._budget = 0
        self._touched: dict[str, None] = {}
        self._changes = Changes()
        self._take_policy(policy)

    # Facts that come in

    def submit(self, workload: Workload) -> None:
        """Take in a new workload; `settle` decides about it."""
        self._arrive(Pending(workload, workload.total(), Route()))

    def resubmit(self, workload: Workload, announced: Announced) -> None:
        """Take in a workload that already waits, with what was last said about it."""
        self._arrive(Pending(workload, workload.total(), Route(), announced=announced))

    def adopt(
        self,
        workload: Workload,
        *,
        queue: str | None,
        priority: int,
        assignment: Assignment,
        reservation: int,
        departing: bool,
        is_routed: bool = False,
    ) -> None:
        """
        Put back a workload that already runs; call in the order of reservations.

        *is_routed* says that this policy admitted it, so that its route is known.
        """
        running = Running(
            workload=workload,
            queue=queue,
            priority=priority,
            assignment=assignment,
            usage=_usage(workload.total(), assignment),
            reservation=reservation,
            route=self._router.route(workload) if is_routed else None,
            departing=departing,
        )
        self._start(running)
        self.next_reservation = max(self.next_reservation, reservation + 1)

    def charge(self, queue: str, usage: Mapping[FlavorResource, int]) -> None:
        """Let *queue* hold *usage* of running workloads that are not adopted one by one."""
        self.ledger.add(queue, usage)
        self.expected.add(queue, usage)

    def promise(
        self,
        workload: Workload,
        *,
        queue: str | None,
        priority: int | None,
        assignment: Assignment,
        victims: Iterable[str],
    ) -> None:
        """
        Put back a pending workload that waits for *victims* to stop; adopt those first.

        One whose promise the policy does not keep is decided about like a new one: the
        policy may have changed and the last settle been cut short before it came to it.
        """
        route = Route(queue=queue, priority=priority)
        promise = Promise(
            pending=Pending(workload, workload.total(), route),
            nomination=None,
            usage=_usage(workload.total(), assignment),
            assignment=assignment,
            victims={v for v in victims if v in self.running and self.running[v].departing},
        )
        if self._keep_promise(promise):
            self.pending[workload.id] = promise.pending
        else:
            self.submit(workload)

    def finish(self, workload_id: str) -> bool:
        """Let a workload end, wherever it is; say whether it was here."""
        running = self.running.pop(workload_id, None)
        if running is not None:
            self._stop(running)
            return True
        return self._drop(workload_id)

    def withdraw(self, workload_id: str) -> bool:
        """
        Let a workload go because its submitter no longer wants it; say whether it was here.

        Of one that runs the next `settle` tells, so that it is stopped.
        """
        running = self.running.get(workload_id)
        if running is not None:
            self._decisions.append(record.withdrawn(self.policy, running))
        return self.finish(workload_id)

    def release(self, workload_id: str) -> bool:
        """Take back the quota of a preempted workload that has stopped; it waits again."""
        running = self.running.get(workload_id)
        if running is None or not running.departing:
            return False
        del self.running[workload_id]
        self._stop(running)
        self.submit(running.workload)
        return True

    def hold(self, queue: str) -> None:
        """Admit nothing new from *queue* until `resume`."""
        state = self._queue(queue)
        state.held = True
        state.line.wake(None)
        self._touch(queue)

    def resume(self, queue: str) -> None:
        """Admit from *queue* again."""
        state = self._queue(queue)
        state.held = False
        state.line.wake(None)
        self._touch(queue)

    def change_policy(self, policy: Policy) -> None:
        """
        Decide under another policy from now on.

        Running workloads stay charged to the queue and flavors that admitted
        them, also when these are gone; pending ones are routed again. Room that
        is being made stays promised where the route is still the same.
        """
        waiting = sorted(self.pending.values(), key=lambda p: p.workload.sequence)
        promises = list(self.promises.values())
        self.promises.clear()
        for state in self.queues.values():
            self._changes.queues.add(state.name)
            self._changes.classes.update((state.name, key) for key in state.line.classes)
            state.line = Line()
        self._take_policy(policy)
        for running in self.running.values():
            # Its rule and the lines of its text are those of another version.
            running.route = None
            self._charge(running)
        self._arrivals.clear()
        kept = {p.pending.workload.id for p in promises if self._keep_promise(p)}
        for pending in waiting:
            if pending.workload.id not in kept:
                self._arrive(
                    Pending(
                        pending.workload, pending.requests, Route(), announced=pending.announced
                    )
                )

    # What is decided

    @property
    def is_settled(self) -> bool:
        """Whether `settle` would have nothing to do."""
        return not (self._arrivals or self._touched or self._decisions)

    def settle(self, budget: int = 1_000_000) -> list[Decision]:
        """
        Decide until nothing changes, and return the decisions in order.

        Stops early once about *budget* decisions are made; `is_settled` then
        says no, and the next call goes on. Same facts, same calls, same
        decisions.
        """
        self._budget = budget
        arrivals, self._arrivals = self._arrivals, []
        for index, pending in enumerate(arrivals):
            if not self.has_budget:
                self._arrivals = arrivals[index:] + self._arrivals
                break
            self._route(pending)
        while self._touched and self.has_budget:
            name = next(iter(self._touched))
            self._settle_queue(self.queues[name])
            if self.queues[name].line.next() is None:
                self._touched.pop(name, None)
        decisions, self._decisions = self._decisions, []
        return decisions

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

    @property
    def has_budget(self) -> bool:
        """Whether this settle may decide more."""
        return len(self._decisions) < self._budget

    def take_changes(self) -> Changes:
        """
        Return which queues and classes changed since the last call, and forget.

        In a queue that changed, the shortage of every class is measured anew: an
        overtaking workload makes it larger without waking the class, and may use
        the free room that a class behind others would fit.
        """
        changes, self._changes = self._changes, Changes()
        for name in changes.queues:
            queue = self.queues[name]
            for cls in queue.line.classes.values():
                if cls.verdict is not None and cls.verdict.reason is Reason.BEHIND_OTHERS:
                    found = self._discipline.nominate(self, queue, cls.head)
                    if found.pending_reason is not Reason.BEHIND_OTHERS:
                        cls.verdict = Verdict(found.pending_reason, found.asks, found)
                        changes.classes.add((name, cls.key))
                missing = self._missing(cls)
                if missing != cls.missing:
                    cls.missing = missing
                    changes.classes.add((name, cls.key))
        return changes

    def _missing(self, cls: PendingClass) -> dict[FlavorResource, int]:
        if cls.verdict is None:
            return {}
        node = self.ledger.queue(cls.queue)
        short = {}
        for key, amount in cls.verdict.asks.items():
            available = node.available(key)
            if isinstance(available, int) and amount > available:
                short[key] = amount - max(0, available)
        return short

    def pending_class(self, queue: str, key: str) -> PendingClass | None:
        """Return a class of waiting workloads, or None when nobody of its kind waits."""
        return self.queues[queue].line.classes.get(key) if queue in self.queues else None

    def usage(self, queue: str) -> Mapping[FlavorResource, int]:
        """Return what the running workloads of *queue* hold, in thousandths."""
        return self.ledger.queue(queue).usage

    def promises_in(self, queue: str) -> list[Promise]:
        """
        Return the promises of room in *queue* in the order of its line.

        That order is the same whenever they were made: a rebuilt state has forgotten that.
        """
        promises = [p for p in self.promises.values() if p.pending.route.queue == queue]
        return sorted(promises, key=_place)

    def pending_count(self, queue: str) -> int:
        """Return how many workloads wait in *queue*, those with promised room included."""
        return len(self._queue(queue).line) + self._promised_in(queue)

    def explain(self, workload_id: str) -> Trace:
        """
        Return why a workload is where it is, as of now, without changing anything.

        Raises KeyError when it neither waits nor runs. Everything has to be settled.
        """
        running = self.running.get(workload_id)
        if running is not None:
            return record.trace_running(self.policy, running)
        pending = self.pending[workload_id]
        promise = self.promises.get(workload_id)
        if promise is not None:
            return self._waiting_for_preempted(promise).trace
        state = self.queues[pending.route.queue or ""]
        verdict = state.line.classes[pending.class_key].verdict
        assert verdict is not None, "everything has to be settled"
        if not state.held:
            nomination = self._discipline.nominate(self, state, pending)
            verdict = Verdict(nomination.pending_reason, nomination.asks, nomination)
        return record.parked(self.policy, pending, verdict, self._order(pending)).trace

    # Verbs for disciplines

    def admit(self, pending: Pending, nomination: Nomination, assignment: Assignment) -> None:
        """Start a pending workload with the flavors of *assignment*."""
        self._leave(pending)
        self._admit(pending, nomination, assignment)

    def preempt(
        self,
        pending: Pending,
        nomination: Nomination,
        targets: tuple[Running, ...],
        usage: Mapping[FlavorResource, int],
    ) -> None:
        """
        Tell *targets* to stop and promise room to *pending*.

        Without targets the room is what workloads leave that were told to stop before.
        """
        queue = pending.route.queue
        assert queue is not None
        self._leave(pending)
        for target in targets:
            self.expected.remove(queue, target.usage)
            target.departing = True
            self.departing.add(target.workload.id)
            self._decisions.append(record.preempted(self.policy, target, pending))
        assignment = {resource: flavor for flavor, resource in usage}
        # Whoever fitted beside the targets may now fit beside what replaces them.
        if targets:
            self.queues[queue].line.wake({key for target in targets for key in target.usage})
        # What was said about its waiting no longer holds, should it come back to the line.
        pending.announced = None
        promise = Promise(
            pending=pending,
            nomination=nomination,
            usage=usage,
            assignment=assignment,
            victims={target.workload.id for target in targets},
        )
        self._promise(promise)
        self._decisions.append(self._waiting_for_preempted(promise))
        self._changes.queues.add(queue)
        if _fits(self.ledger.queue(queue), usage):
            # There is free room, promised to others: it takes that, and they take its victims'.
            self._keep_promises(self.queues[queue])

    def park(self, cls: PendingClass, verdict: Verdict) -> None:
        """Let a class wait until something that could help it changes."""
        cls.verdict = verdict
        self._changes.classes.add((cls.queue, cls.key))
        # What it lacks is measured with its queue, also when rows were written in between.
        self._changes.queues.add(cls.queue)
        unannounced, cls.unannounced = cls.unannounced, {}
        for pending in unannounced.values():
            self._announce(pending, cls)

    # Inside

    def _take_policy(self, policy: Policy) -> None:
        self.policy = policy
        self._router = Router(policy)
        self._discipline = load_discipline(policy.discipline)
        self.ledger = Ledger(policy)
        #: The ledger once all who were told to stop have stopped and all promises are kept.
        self.expected = Ledger(policy)
        for name, queue in policy.queues.items():
            self._queue(name).policy = queue
        for name, state in self.queues.items():
            state.policy = policy.queues.get(name)

    def _queue(self, name: str) -> QueueState:
        state = self.queues.get(name)
        if state is None:
            state = self.queues[name] = QueueState(name, self.policy.queues.get(name))
        return state

    def _touch(self, queue: str) -> None:
        self._touched[queue] = None
        self._changes.queues.add(queue)

    def _arrive(self, pending: Pending) -> None:
        self.pending[pending.workload.id] = pending
        self._arrivals.append(pending)

    def _route(self, pending: Pending) -> None:
        if self.pending.get(pending.workload.id) is not pending:
            return  # It ended before anybody looked.
        route = pending.route = self._router.route(pending.workload)
        if route.queue is None:
            if self.policy.rules:
                self._reject(pending, Reason.NO_RULE_MATCHED)
            else:
                self._admit(pending, None, {})
            return
        state = self.queues[route.queue]
        assert state.policy is not None
        rejection = flavor_rejection(route, state.policy, pending.requests)
        if rejection is not None:
            self._reject(pending, rejection)
            return
        cls = state.line.join(pending, self._discipline.wants(state.policy, pending))
        self._changes.queues.add(route.queue)
        self._changes.classes.add((route.queue, cls.key))
        # Also when it is parked: what is said to a newcomer are the numbers of now.
        state.line.look_again(cls)
        self._touch(route.queue)

    def _settle_queue(self, queue: QueueState) -> None:
        if queue.held or queue.policy is None:
            while (cls := queue.line.next()) is not None:
                self.park(cls, Verdict(Reason.QUEUE_HELD))
            return
        self._keep_promises(queue)
        self._discipline.settle_queue(self, queue)

    def _keep_promises(self, queue: QueueState) -> None:
        now, expected = self.ledger.queue(queue.name), self.expected.queue(queue.name)
        claims: list[Mapping[FlavorResource, int]] = []
        for promise in self.promises_in(queue.name):
            self.expected.remove(queue.name, promise.usage)
            if not _fits(expected, promise.usage):
                # Its room was promised under quotas that have since been cut.
                del self.promises[promise.pending.workload.id]
                self._route(promise.pending)
            elif _fits(now, promise.usage):
                del self.promises[promise.pending.workload.id]
                self._admit(promise.pending, promise.nomination, promise.assignment)
                # Now that it runs it may be stopped, which a promise could not be.
                queue.line.wake(set(promise.usage))
            else:
                self.expected.add(queue.name, promise.usage)
                # What its victims do not leave it has to find free: later ones keep off.
                claims.append(self._claim(promise))
                self.ledger.add(queue.name, claims[-1])
        for claim in claims:
            self.ledger.remove(queue.name, claim)

    def _claim(self, promise: Promise) -> dict[FlavorResource, int]:
        claim = dict(promise.usage)
        for victim in promise.victims:
            for key, amount in self.running[victim].usage.items():
                if key in claim:
                    claim[key] = max(0, claim[key] - amount)
        return claim

    def _promise(self, promise: Promise) -> None:
        queue = promise.pending.route.queue
        assert queue is not None
        self.promises[promise.pending.workload.id] = promise
        self.expected.add(queue, promise.usage)
        self._touch(queue)

    def _keep_promise(self, promise: Promise) -> bool:
        pending, old = promise.pending, promise.pending.route
        route = self._router.route(pending.workload)
        if (route.queue, route.priority) != (old.queue, old.priority) or route.queue is None:
            return False
        moved = Pending(pending.workload, pending.requests, route)
        if not self._discipline.wants(self.policy.queues[route.queue], moved) >= set(promise.usage):
            return False
        pending.route = route
        self._promise(promise)
        return True

    def _leave(self, pending: Pending) -> None:
        queue = pending.route.queue
        assert queue is not None
        self.queues[queue].line.leave(pending)
        self._changes.classes.add((queue, pending.class_key))
        self._changes.queues.add(queue)

    def _drop(self, workload_id: str) -> bool:
        pending = self.pending.pop(workload_id, None)
        if pending is None:
            return False
        promise = self.promises.pop(workload_id, None)
        if promise is not None:
            assert pending.route.queue is not None
            self.expected.remove(pending.route.queue, promise.usage)
            self._changes.queues.add(pending.route.queue)
            self._free(pending.route.queue, promise.usage)
        elif pending.class_key:
            self._leave(pending)
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
            usage=_usage(pending.requests, assignment),
            reservation=self.next_reservation,
            route=route,
        )
        self.next_reservation += 1
        self._start(running)
        self._decisions.append(record.admitted(self.policy, running, nomination))

    def _start(self, running: Running) -> None:
        self.running[running.workload.id] = running
        if running.departing:
            self.departing.add(running.workload.id)
        if running.queue is not None:
            self._queue(running.queue).running.add(running)
            self._changes.queues.add(running.queue)
            self._charge(running)

    def _charge(self, running: Running) -> None:
        if running.queue is not None:
            self.ledger.add(running.queue, running.usage)
            if not running.departing:
                self.expected.add(running.queue, running.usage)

    def _stop(self, running: Running) -> None:
        self.departing.discard(running.workload.id)
        if running.queue is None:
            return
        self.queues[running.queue].running.remove(running)
        self._changes.queues.add(running.queue)
        self.ledger.remove(running.queue, running.usage)
        if running.departing:
            for promise in self.promises.values():
                promise.victims.discard(running.workload.id)
        else:
            self.expected.remove(running.queue, running.usage)
        self._free(running.queue, running.usage)

    def _free(self, queue: str, usage: Mapping[FlavorResource, int]) -> None:
        if self._queue(queue).line.wake(set(usage)) or self.promises:
            self._touch(queue)

    def _reject(self, pending: Pending, reason: Reason) -> None:
        del self.pending[pending.workload.id]
        self._decisions.append(record.rejected(self.policy, pending, reason))

    def _announce(self, pending: Pending, cls: PendingClass) -> None:
        route = pending.route
        said = (route.queue, route.priority, route.rule, cls.key)
        if pending.announced != said:
            pending.announced = said
            assert cls.verdict is not None
            order = self._order(pending)
            self._decisions.append(record.parked(self.policy, pending, cls.verdict, order))

    def _waiting_for_preempted(self, promise: Promise) -> Decision:
        queue = promise.pending.route.queue
        assert queue is not None
        return record.waiting_for_preempted(
            self.policy,
            promise.pending,
            promise.nomination,
            promise.assignment,
            tuple(sorted(promise.victims)),
            held=self.queues[queue].held,
        )

    def _order(self, pending: Pending) -> OrderStep:
        assert pending.route.queue is not None
        line = self.queues[pending.route.queue].line
        promised = self._promised_in(pending.route.queue)
        return OrderStep(
            position=line.position(pending) + promised,
            pending=len(line) + promised,
            alike=len(line.classes[pending.class_key]),
        )

    def _promised_in(self, queue: str) -> int:
        return sum(promise.pending.route.queue == queue for promise in self.promises.values())


def _place(promise: Promise) -> tuple[int, int]:
    return -(promise.pending.route.priority or 0), promise.pending.workload.sequence


def _fits(node: Node, usage: Mapping[FlavorResource, int]) -> bool:
    return all(amount <= node.available(key) for key, amount in usage.items())


def _usage(requests: Mapping[str, int], assignment: Assignment) -> dict[FlavorResource, int]:
    return {(flavor, resource): requests[resource] for resource, flavor in assignment.items()}
