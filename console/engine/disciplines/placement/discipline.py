"""The discipline interface of `placement` for the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from console.engine.disciplines import Progress
from console.engine.disciplines.basic_discipline import BasicDiscipline
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
)
from console.engine.disciplines.placement.reasons import PLACED
from console.engine.disciplines.placement.replacements import has_losses
from console.engine.disciplines.placement.running import loss
from console.engine.disciplines.placement.spec import placement_of
from console.engine.disciplines.placement.trace import NO_FACTS, PLACEMENT, PlacementFacts
from console.engine.disciplines.read_model import Column, Used
from console.engine.explain.explain_sections import ExplainSections
from console.engine.live.live_tree import LiveTree
from console.engine.live.running import Running
from console.engine.model.decision import Place
from console.engine.model.inventory import Inventory
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy, Queue
from console.engine.model.route import Route
from console.engine.model.running_outcomes import Loss
from console.engine.model.trace import OutcomeStep
from console.engine.model.trace_sections import TraceSection
from console.engine.model.workload import Workload
from console.engine.pending.eligibility import Judge
from console.engine.pending.pending_class import Pending

if TYPE_CHECKING:
    from console.engine.state import State


class PlacementDiscipline(BasicDiscipline):
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

    def is_lost(self, policy: Policy, inventory: Inventory, place: Place) -> bool:
        """Return whether the node is gone."""
        if place.cluster is None or place.node is None:
            return False
        return inventory.has_lost(place.cluster, place.node)

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

    # Another policy

    def loss(
        self, policy: Policy, queue: Queue, running: Running, judge: Judge, inventory: Inventory
    ) -> Loss | None:
        """Return PLACEMENT if a cluster with pods of the job would be removed for it."""
        return loss(placement_of(policy), running, inventory)

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
        """Return the verdicts of *nomination*, or why the placement of the job is not valid."""
        spec = placement_of(policy)
        if isinstance(nomination, PlacementNomination):
            facts = PlacementFacts(
                pod_sets=nomination.pod_sets, rank=spec.rank, never=nomination.never
            )
            return {PLACEMENT: facts}
        problem = job_placement(spec, workload).problem if route.queue in spec.queues else ""
        return {PLACEMENT: PlacementFacts(problem=problem) if problem else NO_FACTS}

    def explain_sections(self) -> ExplainSections:
        """Return the stage about clusters."""
        return EXPLAIN_SECTIONS

    # Pages

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of usage by cluster."""
        return COLUMNS

    def capacity(self, policy: Policy, used: Used) -> PlacementCapacity:
        """Return the usage by cluster."""
        return PlacementCapacity(policy, used)


DISCIPLINE = PlacementDiscipline()
