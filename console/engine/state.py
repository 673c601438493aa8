"""
The state: one organization's live world, and the only mutable thing of the engine.

Facts come in by `submit`, `finish`, `withdraw`, `release`, `hold`, `resume` and
`change_policy`; they only note what changed. `settle` then decides until nothing
changes any more. The verbs `admit`, `preempt`, `rejoin`, `note` and `park` are for
disciplines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from console.engine import record
from console.engine.amounts import SCALE
from console.engine.decision import Assignment, Decision, Reason
from console.engine.disciplines import Nomination, Progress, Report, load_discipline
from console.engine.ledger import FlavorResource, Ledger, Usage
from console.engine.matching import Matcher
from console.engine.pending import Announced, Pending, PendingClass, Verdict
from console.engine.policy import Policy, StopPolicy, Undeclared
from console.engine.routing import Route, Router, flavor_rejection
from console.engine.running import MOST_STOPS, NEVER, Running
from console.engine.trace import OrderStep, PreemptedStep, Trace, TurnStep, TurnVerdict
from console.engine.tree import Preemptor, QueueState, Target, Tree, plant
from console.engine.workload import PODS, Workload


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
        #: Ids of running workloads that were told to stop.
        self.departing: set[str] = set()
        #: Position that the next reservation gets.
        self.next_reservation = 1
        self._arrivals: list[Pending] = []
        self._decisions: list[Decision] = []
        self._budget = 0
        #: Trees in which somebody may have a turn.
        self._active: dict[Tree, None] = {}
        #: Id of one that is stopping -> those who wait for it, by id.
        self._waiting_for: dict[str, dict[str, Preemptor]] = {}
        self._changes = Changes()
        self._take_policy(policy)

    # Facts that come in

    def submit(self, workload: Workload) -> None:
        """Take in a new workload; `settle` decides about it."""
        self._arrive(Pending(workload, Route()))

    def resubmit(
        self,
        workload: Workload,
        announced: Announced | None,
        victims: Iterable[str] = (),
        *,
        yields_to: str | None = None,
        stopped_for: Mapping[str, int] = NEVER,
    ) -> None:
        """
        Take in a workload that already waits, with what was last said about it, if anything.

        *victims* are those that were told to stop for it; adopt them first.
        *yields_to* and *stopped_for* are what decisions about it said last.
        """
        pending = Pending(
            workload,
            Route(),
            announced=announced,
            yields_to=yields_to,
            stopped_for=stopped_for or NEVER,
        )
        self._wait_or_arrive(pending, victims)

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
        reason: Reason | None = None,
        preemptor: str | None = None,
        stopped_for: Mapping[str, int] = NEVER,
    ) -> None:
        """
        Put back a workload that already runs; call in the order of reservations.

        *is_routed* says that this policy admitted it, so that its route is
        known. One that is *departing* was told to stop for *preemptor*, by the
        right that *reason* names.
        """
        running = Running(
            workload=workload,
            queue=queue,
            priority=priority,
            assignment=assignment,
            usage=usage_of(workload, assignment),
            reservation=reservation,
            route=self._router.route(workload) if is_routed else None,
            departing=departing,
            reason=reason,
            preemptor=preemptor,
            stopped_for=stopped_for or NEVER,
        )
        self._start(running)
        self.next_reservation = max(self.next_reservation, reservation + 1)

    def charge(self, queue: str, usage: Usage) -> None:
        """Let *queue* hold *usage* of running workloads that are not adopted one by one."""
        self.ledger.add(queue, usage)

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
        again = Pending(running.workload, Route(), stopped_for=running.stopped_for)
        preemptor = running.preemptor
        if preemptor is not None and running.stopped_for.get(preemptor, 0) >= MOST_STOPS:
            again.yields_to = preemptor
        self._arrive(again)
        return True

    def hold(self, queue: str) -> None:
        """Admit nothing new from *queue* until `resume`."""
        state = self._queue(queue)
        state.held = True
        self._bar(state, state.line.classes.values())
        self._stir(state)

    def resume(self, queue: str) -> None:
        """Admit from *queue* again."""
        state = self._queue(queue)
        state.held = False
        self._stir(state)

    def change_policy(self, policy: Policy) -> None:
        """
        Decide under another policy from now on.

        Running workloads stay charged to the queue and flavors that admitted
        them, also when these are gone; pending ones are routed again.
        """
        waiting = sorted(self.pending.values(), key=lambda p: p.workload.sequence)
        victims = {
            uid: each.victims
            for state in self.queues.values()
            for uid, each in state.preemptors.items()
        }
        for state in self.queues.values():
            self._changes.queues.add(state.name)
            self._changes.classes.update((state.name, key) for key in state.line.classes)
            state.reset_line()
        self._waiting_for.clear()
        self._take_policy(policy)
        for running in self.running.values():
            # Its rule and the lines of its text are those of another version.
            running.route = None
            if running.queue is not None:
                self.ledger.add(running.queue, running.usage)
        self._arrivals.clear()
        for pending in waiting:
            again = Pending(
                pending.workload,
                Route(),
                announced=pending.announced,
                yields_to=pending.yields_to,
                stopped_for=pending.stopped_for,
            )
            self._wait_or_arrive(again, victims.get(pending.workload.id, ()))

    # What is decided

    @property
    def is_settled(self) -> bool:
        """Whether `settle` would have nothing to do."""
        return not (self._arrivals or self._active or self._decisions)

    def settle(self, budget: int = 1_000_000) -> list[Decision]:
        """
        Decide until nothing changes, and return the decisions in order.

        Stops early once about *budget* decisions are made; `is_settled` then
        says no, and the next call goes on. Same facts, same calls, same
        decisions.
        """
        self._budget = budget
        self.take_in_arrivals()
        while self._active and self.has_budget:
            for tree in list(self._active):
                if self._turn(tree, skipping=True) is Progress.NOTHING:
                    self._rest(tree)
        # A state rebuilt from rows would have no memory of the turns that were cut off.
        for tree in self._active:
            tree.forget()
        decisions, self._decisions = self._decisions, []
        return decisions

    def step(self, *, skipping: bool = False) -> list[Decision]:
        """
        Let every tree that has something to decide run one cycle, and return the decisions.

        `settle` is this until nothing changes; step by step, somebody may act in
        between. With *skipping*, as `settle` does it, cycles that are sure to come to nothing
        do not count.
        """
        self._budget = 1_000_000_000
        self.take_in_arrivals()
        for tree in list(self._active):
            if self._turn(tree, skipping=skipping) is Progress.NOTHING:
                del self._active[tree]
        decisions, self._decisions = self._decisions, []
        return decisions

    def look_again(self) -> None:
        """Drop all memory of earlier turns, and give everybody another one."""
        for queue in self.queues.values():
            queue.tree.forget()
            self._stir(queue)

    @property
    def has_budget(self) -> bool:
        """Whether this settle may decide more."""
        return len(self._decisions) < self._budget

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

    def take_changes(self) -> Changes:
        """
        Return which queues and classes changed since the last call, and forget.

        In the trees of queues that changed, the shortage of every class is
        measured anew: whoever starts makes it larger without looking at the class.
        """
        changes, self._changes = self._changes, Changes()
        trees = {self.queues[name].tree for name in changes.queues}
        for tree in trees:
            for queue in tree.queues:
                for cls in queue.line.classes.values():
                    missing = _missing(queue, cls)
                    if missing != cls.missing:
                        cls.missing = missing
                        changes.classes.add((queue.name, cls.key))
        return changes

    def pending_class(self, queue: str, key: str) -> PendingClass | None:
        """Return a class of waiting workloads, or None when nobody of its kind waits."""
        return self.queues[queue].line.classes.get(key) if queue in self.queues else None

    def usage(self, queue: str) -> Mapping[FlavorResource, int]:
        """Return what the running workloads of *queue* hold, in thousandths."""
        return self.ledger.queue(queue).usage

    def preemptors_in(self, queue: str) -> list[Preemptor]:
        """Return those of *queue* who wait for others to stop, in the order of its line."""
        waiting = self._queue(queue).preemptors.values()
        return sorted(waiting, key=lambda each: _place(each.pending))

    def pending_count(self, queue: str) -> int:
        """Return how many workloads wait in *queue*, those for whom others stop included."""
        return self._queue(queue).pending_count

    def explain(self, workload_id: str) -> Trace:
        """
        Return why a workload is where it is, as of now, without changing anything.

        Raises KeyError when it neither waits nor runs. Everything has to be settled.
        """
        running = self.running.get(workload_id)
        if running is not None:
            return record.trace_running(self.policy, running, self._stopped_for(running))
        pending = self.pending[workload_id]
        if pending.route.queue is None:
            return record.stranded(self.policy, pending).trace
        queue = self.queues[pending.route.queue]
        waiting = queue.preemptors.get(workload_id)
        if waiting is not None:
            if queue.barrier is None:
                found = self._discipline.report(self, queue, pending)
                waiting = Preemptor(pending, found, waiting.victims)
            return self._waiting(queue, waiting, None).trace
        verdict = queue.line.classes[pending.class_key].verdict
        if queue.barrier is None and pending.route.problem is None:
            found = self._discipline.report(self, queue, pending)
            verdict = _as_of_now(verdict, found)
        assert verdict is not None, "a queue that is barred says why"
        return record.parked(self.policy, queue, pending, verdict, self._order(pending)).trace

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

        Says whether that is news: whoever is stopping already is not told again.
        """
        told = False
        for target in targets:
            running = target.running
            if not running.departing:
                running.departing, running.reason = True, target.reason
                running.preemptor = uid = pending.workload.id
                # Who no longer waits will not ask again.
                times = {k: n for k, n in running.stopped_for.items() if k in self.pending}
                running.stopped_for = {**times, uid: times.get(uid, 0) + 1}
                self.departing.add(running.workload.id)
                self._decisions.append(record.preempted(self.policy, running, pending, queue))
                self._changes.queues.add(target.queue.name)
                told = True
        victims = {target.running.workload.id for target in targets} | set(others)
        before = queue.preemptors.get(pending.workload.id)
        if before is not None and before.victims == victims and not told:
            before.nomination = nomination
            return False
        self._leave(queue, pending)
        # The latest preemptor of a queue takes the place of an earlier one (Kueue, spec 3.6).
        queue.line.sticky = None
        preemptor = Preemptor(pending, nomination, victims)
        self._wait_outside(queue, preemptor)
        # What was said about its waiting no longer holds, should it come back to the line.
        pending.announced = None
        self._decisions.append(self._waiting(queue, preemptor, turn))
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
        if line.sticky is None or _place(pending) < _place(line.sticky):
            line.sticky = pending
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

    # Turns

    def take_in_arrivals(self) -> None:
        """Route whoever came in since the last settle; `settle` and `step` begin with it."""
        arrivals, self._arrivals = self._arrivals, []
        for index, pending in enumerate(arrivals):
            if self._budget and not self.has_budget:
                self._arrivals = arrivals[index:] + self._arrivals
                break
            self._route(pending)

    def _turn(self, tree: Tree, *, skipping: bool) -> Progress:
        if tree.stirred:
            tree.stirred = False
            tree.wake()
        return self._discipline.cycle(self, tree, skipping=skipping)

    def _rest(self, tree: Tree) -> None:
        """Look once more without memory of earlier turns; when that was done, come to rest."""
        if tree.looked_at != tree.version:
            tree.looked_at = tree.version
            tree.forget()
            return
        if self._discipline.last_look(self, tree):
            return
        for queue in tree.queues:
            self._announce_all(queue)
        del self._active[tree]

    # Inside

    def _take_policy(self, policy: Policy) -> None:
        self.policy = policy
        self._router = Router(policy)
        self._matcher = Matcher(policy)
        self._discipline = load_discipline(policy.discipline)
        self.ledger = Ledger(policy)
        self._active.clear()
        for name in policy.queues:
            self.queues.setdefault(name, QueueState(name))
        for state in self.queues.values():
            state.follow(policy)
        plant(policy, self.ledger, self.queues)
        for running in self.running.values():
            self._drain(running)

    def _drain(self, running: Running) -> None:
        """Tell a running workload to stop where the policy stops and drains its queue."""
        if running.departing or running.queue is None:
            return
        queue = self.queues[running.queue].policy
        drains = queue is not None and queue.stop is StopPolicy.HOLD_AND_DRAIN
        local_queue = None
        if not drains and self.policy.local_routing is not None:
            route = self._router.route(running.workload)
            drains, local_queue = route.drains, route.local_queue
        if drains:
            running.departing, running.reason, running.preemptor = True, Reason.DRAINED, None
            self.departing.add(running.workload.id)
            self._decisions.append(record.drained(self.policy, running, local_queue))

    def _queue(self, name: str) -> QueueState:
        state = self.queues.get(name)
        if state is None:
            state = self.queues[name] = QueueState(name)
            state.follow(self.policy)
            state.node = self.ledger.queue(name)
            Tree(state.node, [state])
        return state

    def _stir(self, queue: QueueState) -> None:
        """Give everybody in a queue's tree another turn in the next settle."""
        queue.tree.stirred = True
        self._active[queue.tree] = None
        self._changes.queues.add(queue.name)

    def _arrive(self, pending: Pending) -> None:
        self.pending[pending.workload.id] = pending
        self._arrivals.append(pending)

    def _wait_or_arrive(self, pending: Pending, victims: Iterable[str]) -> None:
        """Let one wait for those of *victims* who are stopping; without any it arrives."""
        stopping = {each for each in victims if each in self.departing}
        route = self._router.route(pending.workload)
        queue = self.queues.get(route.queue or "")
        if not stopping or queue is None or not self._is_taken_by(queue, pending, route):
            self._arrive(pending)
            return
        pending.route = route
        self.pending[pending.workload.id] = pending
        self._match(pending, queue)
        self._wait_outside(queue, Preemptor(pending, None, stopping))
        self._stir(queue)

    def _is_taken_by(self, queue: QueueState, pending: Pending, route: Route) -> bool:
        if queue.policy is None or route.problem is not None:
            return False
        if self.policy.settings.undeclared is Undeclared.BLOCK:
            return True
        return flavor_rejection(route, queue.policy, pending.workload.total()) is None

    def _match(self, pending: Pending, queue: QueueState) -> None:
        assert queue.policy is not None
        pending.obstacles = self._matcher.obstacles(pending.workload, queue.policy)

    def _route(self, pending: Pending) -> None:
        if self.pending.get(pending.workload.id) is not pending:
            return  # It ended before anybody looked.
        route = pending.route = self._router.route(pending.workload)
        if route.queue is None:
            self._route_nowhere(pending)
            return
        queue = self.queues[route.queue]
        assert queue.policy is not None
        if self.policy.settings.undeclared is Undeclared.IGNORE:
            rejection = flavor_rejection(route, queue.policy, pending.workload.total())
            if rejection is not None:
                self._reject(pending, rejection)
                return
        self._match(pending, queue)
        if pending.yields_to is not None and pending.yields_to not in self.pending:
            pending.yields_to = None
        cls = queue.line.join(pending)
        self._changes.queues.add(route.queue)
        self._changes.classes.add((route.queue, cls.key))
        if pending.yields_to is not None:
            queue.tree.yielding[pending.workload.id] = pending
            turn = TurnStep(verdict=TurnVerdict.YIELDS, others=(pending.yields_to,))
            self.park(queue, cls, Verdict(Reason.BEHIND_OTHERS, turn=turn))
            # It passes as soon as the other one has had its turn.
            self._active[queue.tree] = None
        if queue.barrier is not None:
            self._bar(queue, [cls])
            self._announce(queue, cls)
        elif not queue.line.is_parked(cls):
            self._active[queue.tree] = None
        elif queue.tree not in self._active:
            # Nothing has changed since its like was looked at.
            self._announce(queue, cls)

    def _route_nowhere(self, pending: Pending) -> None:
        if pending.route.problem is not None:
            said = (None, pending.route.priority, None, pending.route.problem.value)
            if pending.announced != said:
                pending.announced = said
                self._decisions.append(record.stranded(self.policy, pending))
        elif self.policy.rules:
            self._reject(pending, Reason.NO_RULE_MATCHED)
        else:
            self._admit(pending, None, ())

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
            queue = self._queue(running.queue)
            queue.running.add(running)
            queue.generation += 1
            queue.tree.changed()
            self.ledger.add(running.queue, running.usage)
            self._changes.queues.add(running.queue)

    def _stop(self, running: Running) -> None:
        self.departing.discard(running.workload.id)
        if running.queue is None:
            return
        queue = self.queues[running.queue]
        queue.running.remove(running)
        queue.generation += 1
        queue.tree.changed()
        self.ledger.remove(running.queue, running.usage)
        for preemptor in self._waiting_for.pop(running.workload.id, {}).values():
            preemptor.victims.discard(running.workload.id)
            if not preemptor.victims:
                self.rejoin(self.queues[preemptor.pending.route.queue or ""], preemptor)
        self._stir(queue)

    def _reject(self, pending: Pending, reason: Reason) -> None:
        del self.pending[pending.workload.id]
        self._decisions.append(record.rejected(self.policy, pending, reason))

    # What is told

    def _announce_all(self, queue: QueueState) -> None:
        for cls in queue.line.fresh():
            if cls.verdict is None:
                # Nobody asked: the first of a strict queue does not fit.
                self.note(queue, cls, Verdict(Reason.BEHIND_OTHERS))
            self._announce(queue, cls)

    def _announce(self, queue: QueueState, cls: PendingClass) -> None:
        """Tell all of a class who were told nothing yet why they wait."""
        assert cls.verdict is not None
        unannounced, cls.unannounced = cls.unannounced, {}
        for pending in unannounced.values():
            route = pending.route
            said = (route.queue, route.priority, route.rule, cls.key)
            if pending.announced != said:
                pending.announced = said
                order = self._order(pending)
                decision = record.parked(self.policy, queue, pending, cls.verdict, order)
                self._decisions.append(decision)

    def _waiting(self, queue: QueueState, preemptor: Preemptor, turn: TurnStep | None) -> Decision:
        return record.waiting_for_preempted(
            self.policy,
            queue,
            preemptor.pending,
            preemptor.nomination,
            tuple(sorted(preemptor.victims)),
            turn,
        )

    def _stopped_for(self, running: Running) -> PreemptedStep | None:
        """Return for whom a workload has to stop; None when that one is gone, or nobody is it."""
        uid = running.preemptor or ""
        pending, started = self.pending.get(uid), self.running.get(uid)
        queue = self.queues.get(self.queue_of(uid) or "")
        if queue is None or queue.policy is None:
            return None
        if pending is not None:
            return record.preempted_step(running, pending.workload, pending.priority, queue)
        assert started is not None
        return record.preempted_step(running, started.workload, started.priority, queue)

    def _order(self, pending: Pending) -> OrderStep:
        queue = self.queues[pending.route.queue or ""]
        outside = len(queue.preemptors)
        first = queue.first() if queue.line.is_strict else None
        return OrderStep(
            position=queue.line.position(pending) + outside,
            pending=len(queue.line) + outside,
            alike=len(queue.line.classes[pending.class_key]),
            strict=queue.line.is_strict,
            blocked_by=first.workload.id if first is not None and first is not pending else None,
        )


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


def _missing(queue: QueueState, cls: PendingClass) -> dict[FlavorResource, int]:
    if cls.verdict is None:
        return {}
    short = {}
    for key, amount in cls.verdict.asks.items():
        available = queue.node.available(key)
        if isinstance(available, int) and amount > available:
            short[key] = amount - max(0, available)
    return short


def _as_of_now(verdict: Verdict | None, found: Report) -> Verdict:
    """Return what is to be said of a class now: the numbers of now, and the turn it last had."""
    reason = found.pending_reason
    if reason in (Reason.BEHIND_OTHERS, Reason.WAITING_FOR_PREEMPTED):
        # It could start, or make others stop, and had no turn in which it did.
        reason = Reason.BEHIND_OTHERS
        before = verdict.turn if verdict is not None else None
        return Verdict(reason, found.usage, found, found.turn or before)
    return Verdict(reason, found.usage, found)


def _place(pending: Pending) -> tuple[int, int]:
    return -pending.priority, pending.workload.sequence


def everybody(states: Iterable[QueueState]) -> Iterator[Pending]:
    """Yield all who wait in the lines of *states*."""
    for queue in states:
        for cls in queue.line.classes.values():
            yield from cls
