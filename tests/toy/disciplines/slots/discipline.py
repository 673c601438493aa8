"""The discipline interface of `slots` for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from console.engine.disciplines import Progress
from console.engine.disciplines.read_model import Column, Section, Used
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
    LineTree,
    organization_nodes,
)
from console.engine.disciplines.slots.reasons import EXCEEDS_LIMIT, WITHIN_LIMIT
from console.engine.disciplines.slots.spec import SLOTS, slots_of
from console.engine.disciplines.slots.trace import NO_FACTS, SlotsFacts
from console.engine.explain.explain_sections import ExplainSections
from console.engine.live.live_tree import LiveTree
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.consequences import Excess, Finding
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.load_plan import LoadPlan
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy, Queue, StopPolicy
from console.engine.model.route import Route
from console.engine.model.running_outcomes import Exposure, Loss
from console.engine.model.trace import OutcomeStep, PreemptedStep, QueueStep
from console.engine.model.trace_sections import TraceSection
from console.engine.model.workload import Workload
from console.engine.pending.eligibility import Judge
from console.engine.pending.pending_class import Pending, Verdict
from console.engine.routing.flavor_evaluation import FlavorEvaluation

if TYPE_CHECKING:
    from console.engine.state import State


class SlotsDiscipline:
    """Admits the first workload of each line if it fits the limit; never preempts."""

    admitted = WITHIN_LIMIT
    wording = WORDING
    reads_inventory = False
    grants_pods = False

    # Admission

    def ledger(self, policy: Policy) -> LineLedger:
        """Return the usage ledger of all lines."""
        return LineLedger(policy)

    def eligibility(self, policy: Policy) -> LineJudge:
        """Return the judge that rejects workloads that exceed the limit."""
        return LineJudge()

    def referenced_labels(
        self, policy: Policy, queue: Queue | None = None
    ) -> Mapping[str, Iterable[str]]:
        """Return nothing: labels select no capacity."""
        return {}

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

    def final_pass(self, state: State, tree: LiveTree) -> bool:
        """Return False: the first workload of a line has been nominated."""
        return False

    def requeue(self, state: State, tree: LiveTree) -> None:
        """Requeue the workloads of the line, so that its first one is nominated again."""
        tree.requeue_all()

    def declared_labels(self, policy: Policy) -> Mapping[str, Mapping[str, str]]:
        """Return nothing: a config declares no clusters."""
        return {}

    def templates(self, policy: Policy) -> Sequence[str]:
        """Return nothing: workloads are not placed on clusters."""
        return ()

    def advance(self, state: State, before: int) -> None:
        """Change nothing: no decision depends on time."""

    def next_wakeup(self, state: State) -> int | None:
        """Return None: no decision depends on time."""
        return None

    def take_inventory(self, state: State, before: Inventory) -> None:
        """Change nothing: limits are in the policy."""

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

    def surely_fails(
        self, policy: Policy, queue: LineState, least: Mapping[str, int], priority: int
    ) -> bool:
        """Return the same as `has_no_room`: priority does not matter."""
        return self.has_no_room(queue, least)

    def is_limited(self, queue: LineState) -> bool:
        """Return whether the line has a limit."""
        return bool(limit_of(queue))

    def demand(self, queue: LineState, workload: Workload) -> dict[str, int]:
        """Return the request."""
        return workload.total()

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

    def exposures(self, queue: LineState, over: set[str]) -> dict[str, frozenset[Exposure]]:
        """Return nothing: no workload is preempted."""
        return {}

    def preemption_summary(self, queue: Queue) -> str:
        """Return nothing: a line preempts no workload."""
        return ""

    def preempted_by(self, policy: Policy, queue: Queue, *, borrows: bool) -> tuple[str, ...]:
        """Return nothing: no workload is preempted."""
        return ()

    def load_plan(
        self,
        policy: Policy,
        queue: LineState,
        requests: Sequence[Mapping[str, int]],
        priority: int,
        lowest: int | None,
    ) -> LoadPlan:
        """Return an empty plan: the sum of running requests suffices."""
        return LoadPlan()

    # Another policy

    def consequences(self, old: Policy, new: Policy, live: Live) -> Iterable[Finding]:
        """Return lines that use more than their new limit."""
        return consequences(old, new, live)

    def excess_beside_draining(
        self, successors: Mapping[str, str], new: Policy, live: Live, heirs: Mapping[str, str]
    ) -> tuple[Excess, ...]:
        """Return nothing: a limit applies to one line only."""
        return ()

    def loss(
        self, policy: Policy, queue: Queue, running: Running, judge: Judge, inventory: Inventory
    ) -> Loss | None:
        """Return None: the only capacity stays."""
        return None

    # Explanations

    def queue_step(self, policy: Policy, name: str, queue: LineState | None) -> QueueStep | None:
        """Return the facts about the line *name*."""
        line = slots_of(policy).queues.get(name)
        if line is None:
            return None
        return QueueStep(
            name=name,
            passthrough=line.is_passthrough,
            held=queue is not None and queue.held,
            stopped=line.stop is not StopPolicy.NONE,
            origin=line.origin,
        )

    def preempted_step(
        self, target: Running, preemptor: Workload, priority: int, queue: LineState
    ) -> PreemptedStep:
        """Raise an error: no workload is preempted."""
        raise AssertionError(f"{target.workload.id} cannot be preempted")

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

    def unsupported(
        self,
        policy: Policy,
        queue: str | None,
        outcome: OutcomeStep,
        sections: Mapping[str, TraceSection],
    ) -> tuple[()]:
        """Return nothing: every setting is supported."""
        return ()

    def explain_sections(self) -> ExplainSections:
        """Return the explanation stage about the limit."""
        return EXPLAIN_SECTIONS

    # Pages

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of limits."""
        return COLUMNS

    def sections(self) -> tuple[Section, ...]:
        """Return nothing: the discipline has no page of its own."""
        return ()

    def tree(self, policy: Policy) -> LineTree:
        """Return the tree, which has no nodes above lines."""
        return LineTree(policy)

    def capacity(self, policy: Policy, used: Used) -> LineCapacity:
        """Return the limits with their usage."""
        return LineCapacity(policy, used)

    def organization_nodes(
        self, policy: Policy, queues: Iterable[CapacityNode]
    ) -> tuple[CapacityNode, ...]:
        """Return the sums over all lines."""
        return organization_nodes(policy, queues)


DISCIPLINE = SlotsDiscipline()
