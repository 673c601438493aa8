"""What a store keeps of the engine's decisions, and the state that it describes again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from console.engine.decision import Assignment, Decision, Outcome
from console.engine.pending import Announced
from console.engine.policy import Policy
from console.engine.state import State
from console.engine.workload import Workload


@dataclass
class Row:
    """One workload as it is stored: the last decision about it."""

    workload: Workload
    outcome: Outcome = Outcome.PENDING
    queue: str | None = None
    priority: int | None = None
    rule: int | None = None
    assignment: Assignment = field(default_factory=dict)
    victims: tuple[str, ...] = ()
    pending_class: str | None = None
    reservation: int = 0

    @property
    def announced(self) -> Announced | None:
        """What was last said about it while it waits; None when nothing was."""
        if self.pending_class is None:
            return None
        return (self.queue, self.priority, self.rule, self.pending_class)


class Rows:
    """All workloads of one organization that have not ended."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def submit(self, workload: Workload) -> None:
        """Keep a new workload, or one that has stopped and waits again."""
        self.rows[workload.id] = Row(workload)

    def end(self, name: str) -> None:
        """Forget a workload that has ended."""
        del self.rows[name]

    def note(self, decisions: Iterable[Decision]) -> None:
        """Keep what was decided."""
        for decision in decisions:
            row = self.rows[decision.workload]
            row.outcome = decision.outcome
            if decision.outcome is Outcome.PREEMPTED:
                continue
            if decision.outcome is Outcome.REJECTED:
                self.end(decision.workload)
                continue
            row.queue, row.priority, row.rule = decision.queue, decision.priority, decision.rule
            row.assignment, row.victims = decision.assignment, decision.victims
            row.pending_class = decision.pending_class
            row.reservation = decision.reservation or 0

    def load(self, policy: Policy, held: Iterable[str]) -> State:
        """Return a state that knows only what the rows know, in the order a loader reads them."""
        state = State(policy)
        for name in held:
            state.hold(name)
        waiting = [row for row in self.rows.values() if row.outcome is Outcome.PENDING]
        running = [row for row in self.rows.values() if row.outcome is not Outcome.PENDING]
        for row in sorted(running, key=lambda row: row.reservation):
            state.adopt(
                row.workload,
                queue=row.queue,
                priority=row.priority or 0,
                assignment=row.assignment,
                reservation=row.reservation,
                departing=row.outcome is Outcome.PREEMPTED,
            )
        waiting.sort(key=lambda row: row.workload.sequence)
        for row in waiting:
            if row.assignment:
                continue
            if row.announced is None:
                state.submit(row.workload)
            else:
                state.resubmit(row.workload, row.announced)
        for row in waiting:
            if row.assignment:
                state.promise(
                    row.workload,
                    queue=row.queue,
                    priority=row.priority,
                    assignment=row.assignment,
                    victims=row.victims,
                )
        return state
