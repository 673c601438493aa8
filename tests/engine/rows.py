"""Rows of workloads as a database stores them, and restoring of the engine state from rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from console.engine.live.running import Running
from console.engine.model.common_reasons import (
    DEACTIVATED,
    NOT_EVALUATED,
    STOPPED_BY_DEACTIVATION,
)
from console.engine.model.decision import Assignment, Decision, Outcome
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.preemption_loops import NEVER, Stops
from console.engine.model.reasons import Reason
from console.engine.model.usage_history import UsageHistory
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Announced
from console.engine.state import State


@dataclass
class Row:
    """A stored workload with the last decision about it."""

    workload: Workload
    outcome: Outcome = Outcome.PENDING
    reason: Reason = NOT_EVALUATED
    queue: str | None = None
    priority: int | None = None
    rule: int | None = None
    assignment: Assignment = ()
    victims: tuple[str, ...] = ()
    #: The workload that preempted it, or the one it yields to while pending.
    preemptor: str | None = None
    stopped_for: Stops = field(default_factory=lambda: NEVER)
    pending_class: str | None = None
    reservation: int = 0
    started: int | None = None
    short_since: int | None = None
    #: Number of policy changes before the decision.
    version: int = 0

    @property
    def announced(self) -> Announced | None:
        """The last published pending decision; None if there was none."""
        if self.pending_class is None:
            return None
        return (self.queue, self.priority, self.rule, self.pending_class)


class Rows:
    """Rows of all workloads of one organization that have not ended."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.held: set[str] = set()
        self.version = 0
        #: The time of the state, as the engine's row stores it.
        self.now = 0
        self.usage_history: UsageHistory | None = None

    def submit(self, workload: Workload) -> None:
        """Add a new workload."""
        self.rows[workload.id] = Row(workload)

    def release(self, name: str, yields_to: str | None) -> None:
        """Make a stopped workload pending again, optionally yielding to *yields_to*."""
        row = self.rows[name]
        ran = 0
        if row.workload.inactive is None and row.reason not in STOPPED_BY_DEACTIVATION:
            began = self.now if row.started is None else row.started
            ran = row.workload.past_run_time + self.now - began
        again = replace(row.workload, pending_since=self.now, past_run_time=ran)
        self.rows[name] = Row(again, preemptor=yields_to, stopped_for=row.stopped_for)

    def change_priority(self, name: str, priority: int) -> None:
        """Store another priority of a workload that has not ended."""
        row = self.rows[name]
        row.workload, row.victims = replace(row.workload, priority=priority), ()
        if row.queue is not None:
            row.priority = priority

    def deactivate(self, name: str) -> None:
        """Store that a workload that has not ended is deactivated."""
        row = self.rows[name]
        row.workload = replace(row.workload, inactive=DEACTIVATED)
        if row.outcome is Outcome.PENDING:
            row.victims, row.preemptor = (), None

    def activate(self, name: str) -> None:
        """Store that a workload that has not ended is active again."""
        row = self.rows[name]
        row.workload = replace(row.workload, inactive=None)
        if row.outcome is Outcome.PENDING:
            row.workload = replace(row.workload, pending_since=self.now, past_run_time=0)

    def change_pods(self, running: Running) -> None:
        """Store that pods of a workload have finished, or were released."""
        row = self.rows[running.workload.id]
        row.workload, row.assignment = running.workload, running.assignment
        row.short_since = running.short_since

    def end(self, name: str) -> None:
        """Remove a workload that has ended."""
        del self.rows[name]

    def note(self, decisions: Iterable[Decision]) -> None:
        """Store decisions."""
        for decision in decisions:
            if decision.outcome is Outcome.WITHDRAWN:
                continue
            if decision.outcome is Outcome.REJECTED:
                self.end(decision.workload)
                continue
            row = self.rows[decision.workload]
            row.outcome, row.reason = decision.outcome, decision.reason
            if decision.outcome is Outcome.PREEMPTED:
                row.workload = replace(row.workload, inactive=decision.inactive)
                row.preemptor, row.stopped_for = decision.preemptor, decision.stopped_for
                continue
            if decision.outcome is Outcome.RESIZED:
                row.outcome, row.assignment = Outcome.ADMITTED, decision.assignment
                row.short_since = decision.short_since
                continue
            row.queue, row.priority, row.rule = decision.queue, decision.priority, decision.rule
            row.assignment, row.victims = decision.assignment, decision.victims
            row.pending_class, row.preemptor = decision.pending_class, decision.preemptor
            row.reservation = decision.reservation or 0
            row.started, row.short_since = decision.started, decision.short_since
            row.version = self.version

    def load(self, policy: Policy, inventory: Inventory | None = None) -> State:
        """
        Return a state restored from the rows, in the order in which a loader reads them.

        The state is sparse: trees without workloads are missing.
        """
        state = State(policy, is_sparse=True, now=self.now)
        if inventory is not None:
            state.change_inventory(inventory)
        if self.usage_history is not None:
            state.change_usage_history(self.usage_history)
        for name in sorted(self.held):
            state.hold(name)
        waiting = [row for row in self.rows.values() if row.outcome is Outcome.PENDING]
        running = [row for row in self.rows.values() if row.outcome is not Outcome.PENDING]
        for row in sorted(running, key=lambda row: row.reservation):
            evicting = row.outcome is Outcome.PREEMPTED
            state.restore(
                row.workload,
                queue=row.queue,
                priority=row.priority or 0,
                assignment=row.assignment,
                reservation=row.reservation,
                evicting=evicting,
                is_routed=row.version == self.version,
                reason=row.reason,
                preemptor=row.preemptor,
                stopped_for=row.stopped_for,
                started=row.started,
                short_since=row.short_since,
            )
        for row in sorted(waiting, key=lambda row: row.workload.sequence):
            state.resubmit(
                row.workload,
                row.announced,
                row.victims,
                yields_to=row.preemptor,
                stopped_for=row.stopped_for,
            )
        return state
