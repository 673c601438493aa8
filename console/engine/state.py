"""
State: the pending and running workloads of one organization under one policy.

Facts arrive by `submit`, `finish`, `withdraw`, `release`, `finish_pods`, `release_pods`,
`change_priority`, `deactivate`, `activate`, `hold`, `resume`, `change_policy`, `change_inventory`,
`change_usage_history` and `advance`, which only record them. `settle` then makes decisions until
nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from console.engine.disciplines import Progress, load_discipline
from console.engine.live.accounts import QueueLedger
from console.engine.live.decision_builder import DecisionBuilder, order_of, refreshed_verdict
from console.engine.live.dirty_set import DirtySet
from console.engine.live.live_tree import AnyQueue, LiveTree, Preemptor, QueueState, build_trees
from console.engine.live.mutations import StateMutations, usage_of
from console.engine.live.pod_changes import (
    PodGroup,
    after_finish,
    is_on_clusters,
    missing_pods,
    running_pods,
    stopping_pods,
    without_running,
    without_stopping,
)
from console.engine.live.run_times import RunTimes
from console.engine.live.running import Running
from console.engine.model.amounts import Usage
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    DEACTIVATED,
    DEACTIVATED_WHILE_RUNNING,
    DRAINED,
    QUEUE_MISCONFIGURED,
    RUN_TIME_EXCEEDED,
    RUN_TIME_USED_UP,
    STOPPED_BY_DEACTIVATION,
)
from console.engine.model.decision import Assignment, Decision
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.preemption_loops import NEVER, Stops, is_loop
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.trace import PreemptedStep, Trace, TurnStep, TurnVerdict
from console.engine.model.usage_history import UsageHistory
from console.engine.model.workload import Workload
from console.engine.pending.eligibility_cache import EligibilityCache
from console.engine.pending.pending_class import Announced, Pending, PendingClass, Verdict
from console.engine.routing.priority_changes import priority_obstacle
from console.engine.routing.router import Router


class State(StateMutations):
    """The live state of one organization: the only mutable object of the engine."""

    def __init__(
        self,
        policy: Policy,
        *,
        is_sparse: bool = False,
        ledger: QueueLedger | None = None,
        now: int = 0,
    ) -> None:
        """
        Create a state under *policy*, at the time *now* if it continues another state.

        A sparse state creates a tree of queues when a workload enters it or `queue` requests
        it, so that evaluating a few workloads costs no more than their trees. It may use an
        already charged *ledger* of the policy.
        """
        super().__init__(now)
        self._is_sparse = is_sparse
        self._arrivals: list[Pending] = []
        #: Ids of running workloads to drain, whose eviction is not yet announced.
        self._draining: list[str] = []
        #: Ids of running workloads that were deactivated, and may have to be evicted.
        self._deactivated: list[str] = []
        self._take_policy(policy)
        if ledger is not None:
            assert is_sparse, "the trees of any other state are planted in its own ledger"
            self.ledger = ledger

    # Facts

    def submit(self, workload: Workload) -> None:
        """Add a new workload; `settle` decides about it."""
        self._arrive(Pending(workload, Route()))

    def resubmit(
        self,
        workload: Workload,
        announced: Announced | None,
        victims: Iterable[str] = (),
        *,
        yields_to: str | None = None,
        stopped_for: Stops = NEVER,
    ) -> None:
        """
        Add a workload that is already pending, with its last announcement, if any.

        *victims* are the workloads that were preempted for it; restore them first.
        *yields_to* and *stopped_for* come from the last decisions about it.
        """
        pending = Pending(
            workload,
            Route(),
            announced=announced,
            yields_to=yields_to,
            stopped_for=stopped_for or NEVER,
        )
        self._wait_or_arrive(pending, victims)

    def restore(
        self,
        workload: Workload,
        *,
        queue: str | None,
        priority: int,
        assignment: Assignment,
        reservation: int,
        evicting: bool,
        is_routed: bool = False,
        reason: Reason | None = None,
        preemptor: str | None = None,
        stopped_for: Stops = NEVER,
        started: int | None = None,
        short_since: int | None = None,
    ) -> None:
        """
        Restore a workload that is already running; call in the order of reservations.

        *is_routed* means that the present policy admitted it, so that its route is
        known. An *evicting* workload was preempted for *preemptor*, or drained; *reason*
        has the reason, or that of the last resize. *started* and *short_since* are those of
        `Running`.
        """
        running = Running(
            workload=workload,
            queue=queue,
            priority=priority,
            assignment=assignment,
            usage=usage_of(workload, assignment),
            reservation=reservation,
            route=self._router.route(workload) if is_routed else None,
            evicting=evicting,
            reason=reason,
            preemptor=preemptor,
            stopped_for=stopped_for or NEVER,
            started=started,
            short_since=short_since,
        )
        self._start(running)
        # The places of its pods may have gone since its row was written.
        self._check_places(running)
        self.next_reservation = max(self.next_reservation, reservation + 1)

    def charge(self, queue: str, usage: Usage) -> None:
        """Charge *queue* with the *usage* of running workloads that are not restored."""
        self.ledger.add(queue, usage)

    def finish(self, workload_id: str) -> bool:
        """Remove a workload that has ended; return whether it was pending or running."""
        running = self.running.pop(workload_id, None)
        if running is not None:
            self._stop(running)
            return True
        return self._drop(workload_id)

    def withdraw(self, workload_id: str) -> bool:
        """
        Remove a withdrawn workload; return whether it was pending or running.

        For a running workload, the next `settle` returns a decision, so that it is stopped.
        """
        running = self.running.get(workload_id)
        if running is not None:
            self._decisions.append(self._builder.withdrawn(running))
        return self.finish(workload_id)

    def release(self, workload_id: str) -> bool:
        """Release the quota of an evicted workload that has stopped, and make it pending."""
        running = self.running.get(workload_id)
        if running is None or not running.evicting:
            return False
        del self.running[workload_id]
        self._stop(running)
        is_active = running.workload.inactive is None
        ran = 0
        # After a deactivation the run time begins anew, also if it is active again already.
        if is_active and running.reason not in STOPPED_BY_DEACTIVATION:
            began = self.now if running.started is None else running.started
            ran = running.workload.past_run_time + self.now - began
        workload = replace(running.workload, pending_since=self.now, past_run_time=ran)
        again = Pending(workload, Route(), stopped_for=running.stopped_for)
        preemptor = running.preemptor
        if is_active and preemptor is not None and is_loop(running.stopped_for, preemptor):
            again.yields_to = preemptor
        self._arrive(again)
        return True

    def finish_pods(self, workload_id: str, pods: PodGroup) -> int:
        """
        Remove pods of a running workload that have finished; return their number.

        Fewer than stated if fewer run there. The workload ends with its last pod; pods with which
        it did not start, because it may start with fewer, do not count.
        """
        running = self.running.get(workload_id)
        count = min(pods.count, running_pods(running.assignment, pods)) if running else 0
        if running is None or not count:
            return 0
        workload = after_finish(running.workload, pods.pod_set, count)
        assignment = without_running(running.assignment, pods)
        if not any(each.count for each in assignment) and not missing_pods(workload, assignment):
            self.finish(workload_id)
            return count
        self._change_pods(running, assignment, workload)
        self._requeue_behind(running)
        return count

    def release_pods(self, workload_id: str, pods: PodGroup) -> int:
        """
        Release pods of a running workload that have stopped; return their number.

        Pods that had to stop are gone; others get another place as soon as possible, if they have
        places on clusters and the discipline grants pods one by one. Fewer are released than
        stated if fewer are there.
        """
        running = self.running.get(workload_id)
        if running is None:
            return 0
        stopping = min(pods.count, stopping_pods(running.assignment, pods))
        assignment = without_stopping(running.assignment, pods)
        rest = replace(pods, count=pods.count - stopping)
        lost = min(rest.count, running_pods(running.assignment, rest))
        if (
            running.evicting
            or not self._discipline.grants_pods
            or not all(is_on_clusters(each) for each in assignment if each.name == pods.pod_set)
        ):
            lost = 0
        if lost:
            assignment = without_running(assignment, rest)
            self.incomplete[workload_id] = None
        if stopping + lost:
            self._change_pods(running, assignment)
            self._requeue_behind(running)
        return stopping + lost

    def change_priority(self, workload_id: str, priority: int) -> bool:
        """
        Change the requested and effective priority of a workload; return whether it changed.

        A pending workload keeps its place among those of the same priority, by submission; it is
        evaluated again, also if it waits for preempted workloads, which stop nevertheless. A
        running one keeps its reservation. Nothing changes if `priority_obstacle` finds a reason, or
        if the workload runs without a queue, or under a discipline that does not change the
        priorities of running ones.
        """
        running, pending = self.running.get(workload_id), self.pending.get(workload_id)
        if running is not None:
            if priority == running.priority == running.workload.priority:
                return False
            if running.queue is None or not self._discipline.changes_running_priority:
                return False
            if priority_obstacle(self._router.route, running.workload, priority):
                return False
            workload = replace(running.workload, priority=priority)
            changed = self._change_running(running, workload, priority)
            if changed.route is not None:
                # The same rule, which has evaluated the new priority.
                changed.route = self._router.route(workload)
            return True
        if pending is None or pending.workload.priority == priority:
            return False
        if priority_obstacle(self._router.route, pending.workload, priority):
            return False
        self._arrive_again(pending, replace(pending.workload, priority=priority), pending.yields_to)
        return True

    def deactivate(self, workload_id: str) -> bool:
        """
        Give a workload no turn until `activate`; return whether it was active.

        `settle` evicts a running workload, which is pending without a turn after its release. The
        victims of a pending one stop nevertheless.
        """
        running, pending = self.running.get(workload_id), self.pending.get(workload_id)
        if running is not None and running.workload.inactive is None:
            inactive = replace(running.workload, inactive=DEACTIVATED)
            self._change_running(running, inactive, running.priority)
            self._deactivated.append(workload_id)
            return True
        if pending is None or pending.workload.inactive is not None:
            return False
        self._arrive_again(pending, replace(pending.workload, inactive=DEACTIVATED), None)
        return True

    def activate(self, workload_id: str) -> bool:
        """
        Let a deactivated workload have turns again; return whether it was deactivated.

        It keeps its place by submission, and its run time begins anew. One that is still stopping
        is pending after its release.
        """
        running, pending = self.running.get(workload_id), self.pending.get(workload_id)
        if running is not None and running.workload.inactive is not None:
            active = replace(running.workload, inactive=None)
            self._change_running(running, active, running.priority)
            return True
        if pending is None or pending.workload.inactive is None:
            return False
        active = replace(pending.workload, inactive=None, pending_since=self.now, past_run_time=0)
        self._arrive_again(pending, active, None)
        return True

    def hold(self, queue: str) -> None:
        """Admit no workload of *queue* until `resume`."""
        state = self.queue(queue)
        state.held = True
        self._bar(state, state.pending.classes.values(), anew=True)
        self.schedule_requeue(state)

    def resume(self, queue: str) -> None:
        """End the hold of *queue*."""
        state = self.queue(queue)
        state.held = False
        for cls in state.pending.classes.values():
            problem = cls.head.route.problem
            # No cycle requeues it, so that its reason would still be the hold.
            if problem is not None:
                self.set_inadmissible(state, cls, Verdict(problem))
        self._bar(state, state.pending.classes.values())
        self.schedule_requeue(state)

    def change_policy(self, policy: Policy) -> None:
        """
        Use another policy from now on.

        Running workloads stay charged to the queue and flavors of their admission,
        even if the policy no longer has these; pending workloads are routed again.
        """
        waiting = sorted(self.pending.values(), key=lambda p: p.workload.sequence)
        victims = {
            uid: each.victims
            for state in self.queues.values()
            for uid, each in state.preemptors.items()
        }
        for state in self.queues.values():
            self._changes.queues.add(state.name)
            self._changes.classes.update((state.name, key) for key in state.pending.classes)
            state.clear_pending()
        self._waiting_for.clear()
        self._take_policy(policy)
        if not self.reads_usage_history:
            self.usage_history = None
        self._run_times = RunTimes()
        for running in self.running.values():
            self._run_times.add(policy, running)
            # Its rule and origin belong to the former policy.
            running.route = None
            if running.queue is not None:
                self.ledger.add(running.queue, running.usage)
            self._check_places(running)
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

    def advance(self, now: int) -> None:
        """
        Set the time to *now*, in milliseconds since 1970 in UTC.

        An earlier time than the present one changes nothing, because the clocks of machines
        differ.
        """
        before = self.now
        if now > before:
            self.now = now
            self._discipline.advance(self, before)

    def change_inventory(self, inventory: Inventory) -> None:
        """Use the clusters and nodes of *inventory* from now on."""
        before, self.inventory = self.inventory, inventory
        self._discipline.take_inventory(self, before)
        if not self._discipline.reads_inventory:
            return
        # No cycle evaluates the workloads of held queues, which may fit other nodes.
        for queue in self.queues.values():
            if queue.held:
                self._bar(queue, queue.pending.classes.values(), anew=True)

    @property
    def reads_usage_history(self) -> bool:
        """Whether decisions depend on past usage, which then has to be measured."""
        return self._discipline.usage_range(self.policy, self.now) is not None

    def change_usage_history(self, history: UsageHistory) -> None:
        """
        Use *history* as the past usage of queues from now on.

        A policy that does not read it, or an earlier measurement than the last one, changes
        nothing.
        """
        before = self.usage_history
        is_newer = before is None or history.measured_at > before.measured_at
        if is_newer and self.reads_usage_history:
            self.usage_history = history
            self._discipline.take_usage(self, before)

    # Decisions

    @property
    def next_wakeup(self) -> int | None:
        """
        The next time at which `advance` may lead to decisions; None: it cannot.

        In milliseconds since 1970 in UTC, and later than `now`. The state has to be settled.
        """
        first_end = self._run_times.first(self.policy, self.running)
        times = (self._discipline.next_wakeup(self), first_end[0] if first_end else None)
        wakeup = min((time for time in times if time is not None), default=None)
        assert wakeup is None or wakeup > self.now, "a wakeup that is due would repeat for ever"
        return wakeup

    @property
    def is_settled(self) -> bool:
        """Whether `settle` has nothing to do."""
        is_stopping = self._draining or self._deactivated or self._overdue is not None
        return not (self._arrivals or is_stopping or self._active or self._decisions)

    def settle(self, budget: int = 1_000_000) -> list[Decision]:
        """
        Run cycles until nothing changes, and return the decisions in order.

        Stops early after about *budget* decisions; then `is_settled` is false,
        and the next call continues. The same facts and calls give the same
        decisions.
        """
        self._budget = budget
        self.take_in_arrivals()
        while self._active and self.has_budget:
            for tree in list(self._active):
                if self._turn(tree, skipping=True) is Progress.NOTHING:
                    self._finish_pass(tree)
        # A state rebuilt from rows has no memory of interrupted turns.
        for tree in self._active:
            tree.forget()
        return self.take_decisions()

    def take_decisions(self) -> list[Decision]:
        """Return the decisions since the last call, in order, without running a cycle."""
        decisions, self._decisions = self._decisions, []
        return decisions

    def step(self, *, skipping: bool = False) -> list[Decision]:
        """
        Run one cycle of every tree with an active class, and return the decisions.

        Unlike in `settle`, the caller may submit facts between two cycles. With *skipping*, as in
        `settle`, cycles that are certain to have no result are skipped.
        """
        self._budget = 1_000_000_000
        self.take_in_arrivals()
        for tree in list(self._active):
            if self._turn(tree, skipping=skipping) is Progress.NOTHING:
                del self._active[tree]
        return self.take_decisions()

    def requeue(self) -> None:
        """Discard all memory of earlier turns, and requeue every class."""
        for queue in self.queues.values():
            queue.tree.forget()
            self.schedule_requeue(queue)

    def take_in_arrivals(self) -> None:
        """Route the workloads that arrived since the last settle; `settle` and `step` call it."""
        self._drain()
        self._stop_deactivated()
        arrivals, self._arrivals = self._arrivals, []
        for index, pending in enumerate(arrivals):
            if self._budget and not self.has_budget:
                self._arrivals = arrivals[index:] + self._arrivals
                break
            self._route(pending)

    def _turn(self, tree: LiveTree, *, skipping: bool) -> Progress:
        if tree.needs_requeue:
            tree.needs_requeue = False
            self._discipline.requeue(self, tree)
        return self._discipline.cycle(self, tree, skipping=skipping)

    def _finish_pass(self, tree: LiveTree) -> None:
        """
        Requeue every class once without memory of earlier turns, then deactivate the tree.

        The first call for a version of the tree requeues, and a later one deactivates.
        """
        if tree.evaluated_at != tree.version:
            tree.evaluated_at = tree.version
            tree.forget()
            return
        if self._discipline.final_pass(self, tree):
            return
        for queue in tree.queues:
            self._announce_all(queue)
        tree.retry_preemptions()
        del self._active[tree]

    # Reporting

    def take_changes(self) -> DirtySet:
        """
        Return the queues, classes and nodes that changed since the last call.

        In the trees of queues that changed, the shortage of every class is recomputed.
        """
        changes, self._changes = self._changes, DirtySet()
        changes.measure(self.queues)
        changes.nodes = self.node_usage.take_unwritten()
        return changes

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload* without adding it."""
        return self._router.route(workload)

    def demand(self, queue: str, workload: Workload) -> dict[str, int]:
        """Return the requests of *workload* in *queue*, by resource, in thousandths."""
        return self._discipline.demand(self.queues[queue], workload)

    def explain(self, workload_id: str) -> Trace:
        """
        Return a trace of the present state of a workload, without changing anything.

        Raises KeyError when it is neither pending nor running. The state has to be settled.
        """
        running = self.running.get(workload_id)
        if running is not None:
            return self._builder.trace_running(running, self._stopped_for(running))
        pending = self.pending[workload_id]
        if pending.route.queue is None:
            return self._builder.pending_without_queue(pending).trace
        queue = self.queues[pending.route.queue]
        waiting = queue.preemptors.get(workload_id)
        if waiting is not None:
            if queue.barrier is None:
                found = self._discipline.report(self, queue, pending)
                waiting = Preemptor(pending, found, waiting.victims)
            return self._builder.waiting_for_victims(queue, waiting).trace
        # A reason that does not depend on quota is known without a turn, even before the first.
        inactive = pending.workload.inactive
        keeps_off = inactive or queue.barrier or pending.route.problem
        never = self._never_runs(queue, pending) if queue.held and inactive is None else None
        if never is not None:
            verdict = never
        elif keeps_off is not None:
            verdict = Verdict(keeps_off)
        else:
            last = queue.pending.classes[pending.class_key].verdict
            found = self._discipline.report(self, queue, pending)
            verdict = refreshed_verdict(last, found)
        order = order_of(queue, pending, verdict.reason)
        return self._builder.inadmissible(queue, pending, verdict, order).trace

    def _check_places(self, running: Running) -> None:
        """Run a cycle in which the discipline checks whether *running* needs other places."""
        if running.queue is not None and self._discipline.grants_pods:
            self._active[self.queues[running.queue].tree] = None

    def _requeue_behind(self, running: Running) -> None:
        """Give the workloads that wait for the capacity of *running* another turn."""
        if running.queue is not None:
            self.schedule_requeue(self.queues[running.queue])

    def _stopped_for(self, running: Running) -> PreemptedStep | None:
        """Return why a workload was preempted; None if it was not, or its preemptor is gone."""
        uid = running.preemptor or ""
        pending, started = self.pending.get(uid), self.running.get(uid)
        queue = self.queues.get(self.queue_of(uid) or "")
        if queue is None or queue.policy is None:
            return None
        if pending is not None:
            return self._discipline.preempted_step(
                running, pending.workload, pending.priority, queue
            )
        assert started is not None
        return self._discipline.preempted_step(running, started.workload, started.priority, queue)

    def _never_runs(self, queue: AnyQueue, pending: Pending) -> Verdict | None:
        """Return why a workload of a held queue could not run after the hold either, if so."""
        if queue.missing_reference is not None:
            return Verdict(QUEUE_MISCONFIGURED)
        problem = pending.route.problem
        if not queue.is_active:
            return None
        if problem is not None:
            return Verdict(problem) if problem.cannot_run else None
        if not self._discipline.nominate(self, queue, pending).pending_reason.cannot_run:
            return None
        verdict = refreshed_verdict(None, self._discipline.report(self, queue, pending))
        return verdict if verdict.reason.cannot_run else None

    def _announce_all(self, queue: AnyQueue) -> None:
        if queue.pending.is_strict and queue.barrier is None:
            self._note_blocked(queue)
        for cls in queue.pending.fresh():
            if cls.verdict is None:
                # The class was created after the last turn of its queue.
                self.record_verdict(queue, cls, Verdict(BEHIND_OTHERS))
            self._announce(queue, cls)

    def _note_blocked(self, queue: AnyQueue) -> None:
        """Record BEHIND_OTHERS for all classes behind the head of a strict queue."""
        first = queue.first()
        for cls in queue.pending.classes.values():
            head, verdict = cls.head, cls.verdict
            if head is first or head.route.problem is not None or head.yields_to is not None:
                continue
            if verdict is None or verdict.reason is not BEHIND_OTHERS:
                self.record_verdict(queue, cls, Verdict(BEHIND_OTHERS))

    def _announce(self, queue: AnyQueue, cls: PendingClass) -> None:
        self._decisions.extend(self._builder.announce(queue, cls))

    # Another policy

    def _take_policy(self, policy: Policy) -> None:
        self.policy = policy
        self.derived = None
        self._router = Router(policy)
        self._discipline = load_discipline(policy.discipline)
        self._is_lost = self._discipline.is_lost
        self._shares_by_request = self._discipline.shares_by_request
        self._judge = self._discipline.eligibility(policy)
        self._eligibility = EligibilityCache(self._judge)
        self._builder = DecisionBuilder(policy, self._discipline)
        self.ledger = self._discipline.ledger(policy)
        self._active.clear()
        if self._is_sparse:
            present = [each for name in self.queues for each in self.ledger.queues_around(name)]
        else:
            present = list(policy.queues)
        for name in present:
            if name not in self.queues:
                self.queues[name] = QueueState(name)
        for state in self.queues.values():
            state.apply_policy(policy)
        build_trees(policy, self.ledger, self.queues)
        # A workload may end or be withdrawn before its eviction is announced.
        self._draining = [uid for uid, each in self.running.items() if self._drains(each)]

    def _drains(self, running: Running) -> bool:
        """Return whether the policy drains the queue or the local queue of *running*."""
        if running.evicting or running.queue is None:
            return False
        queue = self.queues[running.queue].policy
        if queue is not None and queue.stop is StopPolicy.HOLD_AND_DRAIN:
            return True
        return self.policy.routing.may_drain and self._router.route(running.workload).drains

    def _drain(self) -> None:
        """Evict the running workloads that the policy drains."""
        draining, self._draining = self._draining, []
        for running in (self.running[uid] for uid in draining if uid in self.running):
            state = self.queues[running.queue or ""]
            queue = state.policy
            drained = queue is not None and queue.stop is StopPolicy.HOLD_AND_DRAIN
            local_queue = None if drained else self._router.route(running.workload).local_queue
            running.evicting, running.reason, running.preemptor = True, DRAINED, None
            self.evicting.add(running.workload.id)
            state.running.mark_evicting(running)
            self._decisions.append(self._builder.drained(running, local_queue))

    # Deactivation

    @property
    def _overdue(self) -> Running | None:
        """A running workload that has run for as long as it may; None: there is none."""
        first = self._run_times.first(self.policy, self.running)
        return first[1] if first is not None and first[0] <= self.now else None

    def _stop_deactivated(self) -> None:
        """Evict the running workloads that were deactivated, or have used up their run time."""
        while (overdue := self._overdue) is not None:
            inactive = replace(overdue.workload, inactive=RUN_TIME_USED_UP)
            changed = self._change_running(overdue, inactive, overdue.priority)
            self._evict_deactivated(changed, RUN_TIME_EXCEEDED)
        deactivated, self._deactivated = self._deactivated, []
        for running in (self.running[uid] for uid in deactivated if uid in self.running):
            if running.workload.inactive is not None and not running.evicting:
                self._evict_deactivated(running, DEACTIVATED_WHILE_RUNNING)

    def _evict_deactivated(self, running: Running, reason: Reason) -> None:
        queue = self.queues[running.queue] if running.queue is not None else None
        self.evict(queue, running, reason)

    # Arrivals

    def _arrive_again(self, pending: Pending, workload: Workload, yields_to: str | None) -> None:
        """Let *pending* arrive again as *workload*, which is the same one with other facts."""
        self._drop(workload.id)
        again = Pending(
            workload,
            Route(),
            announced=pending.announced,
            yields_to=yields_to,
            stopped_for=pending.stopped_for,
        )
        self._arrive(again)
        self.derived = None

    def _arrive(self, pending: Pending) -> None:
        self.pending[pending.workload.id] = pending
        self._arrivals.append(pending)

    def _wait_or_arrive(self, pending: Pending, victims: Iterable[str]) -> None:
        """Let a workload wait for its evicting *victims*; without any, add it to the arrivals."""
        stopping = {each for each in victims if each in self.evicting}
        if not stopping:
            self._arrive(pending)
            return
        route = self._router.route(pending.workload)
        queue = self.queue(route.queue) if route.queue is not None else None
        if queue is None or not self._is_accepted_by(queue, pending, route):
            self._arrive(pending)
            return
        pending.route = route
        self.pending[pending.workload.id] = pending
        assert queue.policy is not None
        self._wait_outside(queue, Preemptor(pending, None, stopping))
        self.schedule_requeue(queue)

    def _is_accepted_by(self, queue: AnyQueue, pending: Pending, route: Route) -> bool:
        if queue.policy is None or route.problem is not None:
            return False
        pending.route = route
        return self._eligibility.judge(pending, queue.policy).rejection is None

    def _route(self, pending: Pending) -> None:
        if self.pending.get(pending.workload.id) is not pending:
            return  # The workload ended before it was routed.
        route = pending.route = self._router.route(pending.workload)
        if route.queue is None:
            self._route_nowhere(pending)
            return
        queue = self.queue(route.queue)
        assert queue.policy is not None
        found = self._eligibility.judge(pending, queue.policy)
        if found.rejection is not None:
            self._reject(pending, found.rejection)
            return
        if pending.yields_to is not None and pending.yields_to not in self.pending:
            pending.yields_to = None
        cls = queue.pending.join(pending, found.key if pending.yields_to is None else None)
        self._changes.queues.add(route.queue)
        self._changes.classes.add((route.queue, cls.key))
        if self._shares_by_request:
            self.schedule_requeue(queue)
        if pending.workload.inactive is not None:
            self.set_inadmissible(queue, cls, Verdict(pending.workload.inactive))
        if pending.yields_to is not None:
            queue.tree.yielding[pending.workload.id] = pending
            turn = TurnStep(verdict=TurnVerdict.YIELDS, others=(pending.yields_to,))
            self.set_inadmissible(queue, cls, Verdict(BEHIND_OTHERS, turn=turn))
            # It is requeued after a turn of its preemptor.
            self._active[queue.tree] = None
        if queue.barrier is not None:
            self._bar(queue, [cls])
            self._announce(queue, cls)
        elif not queue.pending.is_inadmissible(cls):
            self._active[queue.tree] = None
        elif queue.tree not in self._active:
            # Nothing has changed since the class was evaluated.
            self._announce(queue, cls)

    def _route_nowhere(self, pending: Pending) -> None:
        if pending.route.problem is not None:
            announcement = (None, pending.route.priority, None, pending.route.problem)
            if pending.announced != announcement:
                pending.announced = announcement
                self._decisions.append(self._builder.pending_without_queue(pending))
        elif pending.route.rejection is not None:
            self._reject(pending, pending.route.rejection)
        else:
            self._admit(pending, None, ())

    def _reject(self, pending: Pending, reason: Reason) -> None:
        del self.pending[pending.workload.id]
        self._decisions.append(self._builder.rejected(pending, reason))
