"""The discipline interface of `slots` for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from console.engine.disciplines import Progress
from console.engine.disciplines.basic_discipline import BasicDiscipline
from console.engine.disciplines.read_model import Column, Used
from console.engine.disciplines.slots.consequences import consequences
from console.engine.disciplines.slots.eligibility import LineJudge
from console.engine.disciplines.slots.explain import EXPLAIN_SECTIONS
from console.engine.disciplines.slots.ledger import LineLedger, LineState, limit_of
from console.engine.disciplines.slots.nominate import (
    LineNomination,
    checks,
    evaluations,
    nominate,
)
from console.engine.disciplines.slots.read_model import (
    COLUMNS,
    WORDING,
    LineCapacity,
)
from console.engine.disciplines.slots.reasons import EXCEEDS_LIMIT, WITHIN_LIMIT
from console.engine.disciplines.slots.spec import SLOTS, slots_of
from console.engine.disciplines.slots.trace import NO_FACTS, SlotsFacts
from console.engine.explain.explain_sections import ExplainSections
from console.engine.live.live_tree import LiveTree
from console.engine.model.amounts import FlavorResource
from console.engine.model.consequences import Finding
from console.engine.model.history import Live
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy
from console.engine.model.route import Route
from console.engine.model.trace import OutcomeStep
from console.engine.model.trace_sections import TraceSection
from console.engine.model.workload import Workload
from console.engine.pending.eligibility import Judge
from console.engine.pending.pending_class import Pending, Verdict
from console.engine.routing.flavor_evaluation import FlavorEvaluation

if TYPE_CHECKING:
    from console.engine.state import State


class SlotsDiscipline(BasicDiscipline):
    """Admits the first workload of each line if it fits the limit; never preempts."""

    admitted = WITHIN_LIMIT
    wording = WORDING

    # Admission

    def ledger(self, policy: Policy) -> LineLedger:
        """Return the usage ledger of all lines."""
        return LineLedger(policy)

    def eligibility(self, policy: Policy) -> LineJudge:
        """Return the judge that rejects workloads that exceed the limit."""
        return LineJudge()

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """Admit the first workload of the line, or record why it is pending."""
        (queue,) = tree.queues
        head = queue.pending.head() if queue.barrier is None else None
        if head is None:
            return Progress.NOTHING
        state.before_turn()
        found = nominate(queue, head.workload)
        if found.fits:
            state.admit(queue, head, found, found.assignment)
            return Progress.DECIDED
        cls = queue.pending.classes[head.class_key]
        state.record_verdict(queue, cls, Verdict(found.pending_reason, found.usage, found))
        return Progress.NOTHING

    # Questions of the engine

    def nominate(
        self,
        state: State,
        queue: LineState,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> LineNomination:
        """Return whether *pending* would fit if it were first."""
        return nominate(queue, pending.workload)

    def report(self, state: State, queue: LineState, pending: Pending) -> LineNomination:
        """Return the nomination, which contains all facts."""
        return nominate(queue, pending.workload)

    def has_no_room(self, queue: LineState, least: Mapping[str, int]) -> bool:
        """Return whether *least* exceeds the available quota."""
        return any(
            amount > queue.account.available((SLOTS, resource))
            for resource, amount in least.items()
            if resource in limit_of(queue)
        )

    def is_limited(self, queue: LineState) -> bool:
        """Return whether the line has a limit."""
        return bool(limit_of(queue))

    def requested(
        self, queue: LineState, workload: Workload, obstacles: Sequence[Any]
    ) -> dict[FlavorResource, int]:
        """Return the request for limited resources."""
        limit = limit_of(queue)
        total = workload.total()
        return {(SLOTS, each): amount for each, amount in total.items() if each in limit}

    def evaluations(
        self, policy: Policy, queue: LineState, workload: Workload, judge: Judge
    ) -> tuple[FlavorEvaluation, ...]:
        """Return the evaluation of the only capacity for *workload*."""
        return evaluations(queue, workload)

    # Another policy

    def consequences(self, old: Policy, new: Policy, live: Live) -> Iterable[Finding]:
        """Return lines that use more than their new limit."""
        return consequences(old, new, live)

    # Explanations

    def trace_sections(
        self,
        policy: Policy,
        workload: Workload,
        route: Route,
        outcome: OutcomeStep,
        nomination: Nomination | None,
        obstacles: tuple[Any, ...],
    ) -> Mapping[str, TraceSection]:
        """Return the limit checks of the nomination, or those that reject the workload."""
        if isinstance(nomination, LineNomination):
            return {SLOTS: SlotsFacts(checks=nomination.checks)}
        if outcome.reason is EXCEEDS_LIMIT:
            limit = slots_of(policy).queues[cast(str, route.queue)].limit
            return {SLOTS: SlotsFacts(checks=tuple(checks(workload, limit, {})))}
        return {SLOTS: NO_FACTS}

    def explain_sections(self) -> ExplainSections:
        """Return the explanation stage about the limit."""
        return EXPLAIN_SECTIONS

    # Pages

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of limits."""
        return COLUMNS

    def capacity(self, policy: Policy, used: Used) -> LineCapacity:
        """Return the limits with their usage."""
        return LineCapacity(policy, used)


DISCIPLINE = SlotsDiscipline()
