"""The discipline interface of `placement` for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from console.engine.disciplines import Progress
from console.engine.disciplines.placement.cycle import nominate, run_cycle
from console.engine.disciplines.placement.derived import Derived, derived_of, placer_of
from console.engine.disciplines.placement.eligibility import PlacementJudge
from console.engine.disciplines.placement.explain import EXPLAIN_SECTIONS
from console.engine.disciplines.placement.job_placement import job_placement
from console.engine.disciplines.placement.ledger import JobQueue, PlacementLedger
from console.engine.disciplines.placement.nominate import PlacementNomination
from console.engine.disciplines.placement.read_model import (
    COLUMNS,
    WORDING,
    PlacementCapacity,
    PlacementTree,
    organization_nodes,
)
from console.engine.disciplines.placement.reasons import PLACED
from console.engine.disciplines.placement.replacements import has_losses
from console.engine.disciplines.placement.running import loss
from console.engine.disciplines.placement.spec import placement_of
from console.engine.disciplines.placement.trace import NO_FACTS, PLACEMENT, PlacementFacts
from console.engine.disciplines.read_model import Column, Section, Used
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
from console.engine.pending.pending_class import Pending
from console.engine.routing.flavor_evaluation import FlavorEvaluation

if TYPE_CHECKING:
    from console.engine.state import State


class PlacementDiscipline:
    """Places jobs on nodes of clusters in the order of their arrival; preempts none."""

    admitted = PLACED
    wording = WORDING
    reads_inventory = True
    grants_pods = True

    # Admission

    def ledger(self, policy: Policy) -> PlacementLedger:
        """Return the usage accounts, with nothing charged."""
        return PlacementLedger()

    def eligibility(self, policy: Policy) -> PlacementJudge:
        """Return the judge that reads the placement of jobs."""
        return PlacementJudge(policy)

    def referenced_labels(
        self, policy: Policy, queue: Queue | None = None
    ) -> Mapping[str, Iterable[str]]:
        """Return nothing: labels of a workload select no cluster."""
        return {}

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """
        Place the pending jobs in the order of their arrival; those that do not fit wait.

        Running jobs with lost replicas come first, also while the queue admits nothing.
        """
        (queue,) = tree.queues
        if queue.policy is None:
            return Progress.NOTHING
        placer, replacements = derived_of(state)
        progress = Progress.NOTHING
        if replacements.run(state, queue, placer, skipping=skipping):
            progress = Progress.DECIDED
        elif queue.barrier is None:
            progress = run_cycle(state, queue, placer, skipping=skipping)
        placer.note_failures(state.now)
        return progress

    def final_pass(self, state: State, tree: LiveTree) -> bool:
        """Return False: a cycle has given every job its turn."""
        return False

    def requeue(self, state: State, tree: LiveTree) -> None:
        """Requeue every class; `cycle` skips those for which no capacity was released."""
        tree.requeue_all()

    def declared_labels(self, policy: Policy) -> Mapping[str, Mapping[str, str]]:
        """Return the labels of the declared clusters."""
        return {each.name: each.labels for each in placement_of(policy).clusters.values()}

    def templates(self, policy: Policy) -> Sequence[str]:
        """Return the names of the placement templates."""
        return tuple(placement_of(policy).templates)

    def advance(self, state: State, before: int) -> None:
        """Give every pending job a turn some time after a plugin has failed."""
        if state.derived is not None and placer_of(state).advance(state.now):
            self._requeue_all(state)

    def next_wakeup(self, state: State) -> int | None:
        """Return when jobs are asked about again because a plugin failed, if one did."""
        return None if state.derived is None else placer_of(state).retry_at

    def take_inventory(self, state: State, before: Inventory) -> None:
        """Take over the clusters and nodes, and give every pending job a turn."""
        if state.derived is not None:
            derived = cast(Derived, state.derived)
            derived.placer.index.replace_inventory(state.inventory)
            if has_losses(before, state.inventory):
                derived.replacements.note_losses(state)
        self._requeue_all(state)

    def _requeue_all(self, state: State) -> None:
        for name in placement_of(state.policy).queues:
            state.schedule_requeue(state.queue(name))

    # Questions of the engine

    def nominate(
        self,
        state: State,
        queue: JobQueue,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> PlacementNomination:
        """Return where *pending* would go now."""
        return nominate(placer_of(state), pending, with_nodes=False)

    def report(self, state: State, queue: JobQueue, pending: Pending) -> PlacementNomination:
        """Return the nomination, which contains all facts."""
        return nominate(placer_of(state), pending, with_nodes=True)

    def has_no_room(self, queue: JobQueue, least: Mapping[str, int]) -> bool:
        """Return False: only a nomination shows it."""
        return False

    def surely_fails(
        self, policy: Policy, queue: JobQueue, least: Mapping[str, int], priority: int
    ) -> bool:
        """Return False: only a nomination shows it."""
        return False

    def is_limited(self, queue: JobQueue) -> bool:
        """Return whether jobs of the queue are placed: always."""
        return True

    def demand(self, queue: JobQueue, workload: Workload) -> dict[str, int]:
        """Return the request."""
        return workload.total()

    def requested(
        self, queue: JobQueue, workload: Workload, obstacles: Sequence[Any]
    ) -> dict[FlavorResource, int]:
        """Return nothing: a job requests no amount of a certain cluster."""
        return {}

    def evaluations(
        self, policy: Policy, queue: JobQueue, workload: Workload, judge: Judge
    ) -> tuple[FlavorEvaluation, ...]:
        """Return nothing: clusters have no quota."""
        return ()

    def exposures(self, queue: JobQueue, over: set[str]) -> dict[str, frozenset[Exposure]]:
        """Return nothing: no job is preempted."""
        return {}

    def preemption_summary(self, queue: Queue) -> str:
        """Return nothing: no job is preempted."""
        return ""

    def preempted_by(self, policy: Policy, queue: Queue, *, borrows: bool) -> tuple[str, ...]:
        """Return nothing: no job is preempted."""
        return ()

    def load_plan(
        self,
        policy: Policy,
        queue: JobQueue,
        requests: Sequence[Mapping[str, int]],
        priority: int,
        lowest: int | None,
    ) -> LoadPlan:
        """Return an empty plan: the usage of nodes suffices."""
        return LoadPlan()

    # Another policy

    def consequences(self, old: Policy, new: Policy, live: Live) -> Iterable[Finding]:
        """Return nothing: running jobs stay where they are."""
        return ()

    def excess_beside_draining(
        self, successors: Mapping[str, str], new: Policy, live: Live, heirs: Mapping[str, str]
    ) -> tuple[Excess, ...]:
        """Return nothing: there is no quota to exceed."""
        return ()

    def loss(
        self, policy: Policy, queue: Queue, running: Running, judge: Judge, inventory: Inventory
    ) -> Loss | None:
        """Return PLACEMENT if a cluster with pods of the job would be removed for it."""
        return loss(placement_of(policy), running, inventory)

    # Explanations

    def queue_step(self, policy: Policy, name: str, queue: JobQueue | None) -> QueueStep | None:
        """Return the facts about the queue *name*."""
        found = placement_of(policy).queues.get(name)
        if found is None:
            return None
        return QueueStep(
            name=name,
            passthrough=False,
            held=queue is not None and queue.held,
            stopped=found.stop is not StopPolicy.NONE,
            origin=found.origin,
        )

    def preempted_step(
        self, target: Running, preemptor: Workload, priority: int, queue: JobQueue
    ) -> PreemptedStep:
        """Raise an error: no job is preempted."""
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
        """Return the verdicts of *nomination*, or why the placement of the job is not valid."""
        spec = placement_of(policy)
        if isinstance(nomination, PlacementNomination):
            return {PLACEMENT: PlacementFacts(pod_sets=nomination.pod_sets, rank=spec.rank)}
        problem = job_placement(spec, workload).problem if route.queue in spec.queues else ""
        return {PLACEMENT: PlacementFacts(problem=problem) if problem else NO_FACTS}

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
        """Return the stage about clusters."""
        return EXPLAIN_SECTIONS

    # Pages

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of usage by cluster."""
        return COLUMNS

    def sections(self) -> tuple[Section, ...]:
        """Return nothing: clusters have pages whatever the discipline."""
        return ()

    def tree(self, policy: Policy) -> PlacementTree:
        """Return the tree, which has no nodes above the queue."""
        return PlacementTree(policy)

    def capacity(self, policy: Policy, used: Used) -> PlacementCapacity:
        """Return the usage by cluster."""
        return PlacementCapacity(policy, used)

    def organization_nodes(
        self, policy: Policy, queues: Iterable[CapacityNode]
    ) -> tuple[CapacityNode, ...]:
        """Return the sums over the queues."""
        return organization_nodes(queues)


DISCIPLINE = PlacementDiscipline()
