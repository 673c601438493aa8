"""The discipline interface of `hierarchy` for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from console.engine.disciplines import Progress
from console.engine.disciplines.hierarchy.consequences import consequences
from console.engine.disciplines.hierarchy.cycle import run_cycle
from console.engine.disciplines.hierarchy.decision_facts import (
    facts_of_nomination,
    facts_without_nomination,
    uses,
    with_placement,
)
from console.engine.disciplines.hierarchy.eligibility import HierarchyJudge
from console.engine.disciplines.hierarchy.explain import EXPLAIN_SECTIONS
from console.engine.disciplines.hierarchy.ledger import HierarchyLedger, LiveQueue
from console.engine.disciplines.hierarchy.live_world import LiveWorld, world_of
from console.engine.disciplines.hierarchy.nominate import nominate
from console.engine.disciplines.hierarchy.nomination import HierarchyNomination
from console.engine.disciplines.hierarchy.queue_tree import QueueTree
from console.engine.disciplines.hierarchy.read_model import (
    COLUMNS,
    SECTIONS,
    WORDING,
    HierarchyCapacity,
    organization_nodes,
)
from console.engine.disciplines.hierarchy.reasons import STARTED
from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.disciplines.hierarchy.trace import HIERARCHY
from console.engine.disciplines.node_discipline import NodeDiscipline
from console.engine.disciplines.read_model import Column, Section, Used
from console.engine.explain.explain_sections import ExplainSections
from console.engine.live.live_tree import LiveTree
from console.engine.live.running import Running
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.consequences import Finding
from console.engine.model.decision import Place
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy, Queue
from console.engine.model.route import Route
from console.engine.model.trace import OutcomeStep, PreemptedStep, QueueUse
from console.engine.model.trace_sections import TraceSection
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Pending

if TYPE_CHECKING:
    from console.engine.state import State


class HierarchyDiscipline(NodeDiscipline):
    """Starts pods one by one; queues, users and groups share nodes by guarantees and limits."""

    admitted = STARTED
    wording = WORDING
    #: Like Kubernetes, which does not change the priority of a pod.
    changes_running_priority = False

    # Admission

    def ledger(self, policy: Policy) -> HierarchyLedger:
        """Return the usage accounts, with nothing charged."""
        return HierarchyLedger(hierarchy_of(policy))

    def eligibility(self, policy: Policy) -> HierarchyJudge:
        """Return the judge that rejects requests that are not supported, and gangs too large."""
        return HierarchyJudge(hierarchy_of(policy))

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """Let the scheduler run until no pod starts."""
        if all(queue.policy is None for queue in tree.queues):
            # Its workloads may have lost nodes, which the scheduler of the others announces.
            self.requeue_others(state, tree)
            return Progress.NOTHING
        return run_cycle(state, tree, skipping=skipping)

    def world_of(self, state: State) -> LiveWorld:
        """Return the partitions as scheduler objects."""
        return world_of(state)

    def is_lost(self, policy: Policy, inventory: Inventory, place: Place) -> bool:
        """Return whether the node is gone."""
        if place.cluster is None or place.node is None:
            return False
        return inventory.has_lost(place.cluster, place.node)

    # Questions of the engine

    def nominate(
        self,
        state: State,
        queue: LiveQueue,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> HierarchyNomination:
        """Return whether *pending* would start now, and where."""
        return nominate(state, pending, without)

    def report(self, state: State, queue: LiveQueue, pending: Pending) -> HierarchyNomination:
        """Return the nomination, with all checks."""
        return nominate(state, pending, with_checks=True)

    def preemption_summary(self, queue: Queue) -> str:
        """Return the kinds of preemption, which every queue may take part in."""
        return "takes back its guarantee from queues above theirs"

    def preempted_by(self, policy: Policy, queue: Queue, *, borrows: bool) -> tuple[str, ...]:
        """Return what may stop workloads of *queue*."""
        above = "above its guarantee now" if borrows else "above its guarantee, which it is not now"
        return (
            f"Queues below their guarantee may stop pods of what it uses {above}.",
            "Workloads that do not allow preemption are stopped only if no other choice is left.",
        )

    # Another policy

    def consequences(self, old: Policy | None, new: Policy, live: Live) -> Iterable[Finding]:
        """Return queues that use more than a lowered maximum, and applications left behind."""
        return consequences(old, new, live)

    # Explanations

    def preempted_step(
        self,
        target: Running,
        preemptor: Workload,
        priority: int,
        queue: LiveQueue,
        nomination: Nomination | None = None,
    ) -> PreemptedStep:
        """Return for which workload pods of *target* stop, with the numbers of both queues."""
        figures: tuple[QueueUse, ...] = ()
        if isinstance(nomination, HierarchyNomination) and target.queue is not None:
            figures = uses(queue.account, target.queue, nomination)
        return PreemptedStep(
            preemptor=preemptor.id,
            preemptor_priority=priority,
            preemptor_requests=preemptor.total(),
            rule="",
            queue=queue.name,
            uses=figures,
            origin=queue.policy.origin if queue.policy is not None else None,
        )

    def trace_sections(
        self,
        policy: Policy,
        workload: Workload,
        route: Route,
        outcome: OutcomeStep,
        nomination: Nomination | None,
        obstacles: tuple[Any, ...],
    ) -> Mapping[str, TraceSection]:
        """Return what the nomination compared, or why the workload is rejected, and the rules."""
        spec = hierarchy_of(policy)
        if isinstance(nomination, HierarchyNomination) and route.queue is not None:
            facts = facts_of_nomination(nomination)
        else:
            facts = facts_without_nomination(spec, route.queue, workload)
        return {HIERARCHY: with_placement(facts, spec, route, workload)}

    def explain_sections(self) -> ExplainSections:
        """Return the stages about placement rules, limits, nodes and preemption."""
        return EXPLAIN_SECTIONS

    # Pages

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of guarantees and usage."""
        return COLUMNS

    def tree(self, policy: Policy) -> QueueTree:
        """Return the tree of queues."""
        return QueueTree(hierarchy_of(policy))

    def capacity(self, policy: Policy, used: Used) -> HierarchyCapacity:
        """Return guarantee, maximum and usage of every queue."""
        return HierarchyCapacity(policy, used)

    def organization_nodes(
        self, policy: Policy, queues: Iterable[CapacityNode]
    ) -> tuple[CapacityNode, ...]:
        """Return the guarantees of the queues at the top together, and the usage of all queues."""
        return organization_nodes(hierarchy_of(policy), queues)

    def sections(self) -> tuple[Section, ...]:
        """Return the pages of users and groups, and of placement rules."""
        return SECTIONS


DISCIPLINE = HierarchyDiscipline()
