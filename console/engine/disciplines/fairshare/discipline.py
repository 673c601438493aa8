"""The discipline interface of `fairshare` for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from console.engine.disciplines import Progress
from console.engine.disciplines.fairshare.consequences import consequences
from console.engine.disciplines.fairshare.cycle import run_cycle
from console.engine.disciplines.fairshare.decision_facts import (
    facts_of_nomination,
    facts_without_nomination,
    request_of,
    uses,
)
from console.engine.disciplines.fairshare.eligibility import FairshareJudge
from console.engine.disciplines.fairshare.explain import EXPLAIN_SECTIONS
from console.engine.disciplines.fairshare.hierarchy import QueueHierarchy
from console.engine.disciplines.fairshare.ledger import FairshareLedger, LiveQueue
from console.engine.disciplines.fairshare.live_world import LiveWorld, world_of
from console.engine.disciplines.fairshare.nominate import nominate
from console.engine.disciplines.fairshare.nomination import FairshareNomination
from console.engine.disciplines.fairshare.read_model import (
    COLUMNS,
    SECTIONS,
    WORDING,
    FairshareCapacity,
    organization_nodes,
)
from console.engine.disciplines.fairshare.reasons import PREEMPTED, STARTED
from console.engine.disciplines.fairshare.rivals import rivals
from console.engine.disciplines.fairshare.share_report import share_report
from console.engine.disciplines.fairshare.spec import DECLARED_CLUSTER, fairshare_of
from console.engine.disciplines.fairshare.trace import FAIRSHARE
from console.engine.disciplines.fairshare.usage_window import usage_parts, usage_range
from console.engine.disciplines.node_discipline import NodeDiscipline
from console.engine.disciplines.read_model import Column, Section, Used
from console.engine.disciplines.share_report import NumberChange, ShareFacts, ShareReport
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
from console.engine.model.usage_history import RecordedUsage, UsageHistory, UsageRange
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Pending

if TYPE_CHECKING:
    from console.engine.state import State


class FairshareDiscipline(NodeDiscipline):
    """Starts workloads on nodes; queues share them by quota, weight and priority."""

    admitted = STARTED
    wording = WORDING
    shares_by_request = True

    # Admission

    def ledger(self, policy: Policy) -> FairshareLedger:
        """Return the usage accounts, with nothing charged."""
        return FairshareLedger(fairshare_of(policy))

    def eligibility(self, policy: Policy) -> FairshareJudge:
        """Return the judge that rejects requests that are not supported."""
        return FairshareJudge()

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """Give every pending workload its turn, and search room for those that have none."""
        if all(queue.policy is None for queue in tree.queues):
            return Progress.NOTHING
        return run_cycle(state, tree, skipping=skipping)

    def world_of(self, state: State) -> LiveWorld:
        """Return the session's jobs and nodes."""
        return world_of(state)

    def is_lost(self, policy: Policy, inventory: Inventory, place: Place) -> bool:
        """Return whether the node is gone; while there is no cluster, whether the text has it."""
        if place.cluster is None or place.node is None:
            return False
        if inventory.clusters:
            return inventory.has_lost(place.cluster, place.node)
        return place.cluster != DECLARED_CLUSTER or place.node not in fairshare_of(policy).nodes

    def usage_range(self, policy: Policy, now: int) -> UsageRange | None:
        """Return the usage window."""
        return usage_range(fairshare_of(policy), now)

    def measure_usage(
        self, policy: Policy, now: int, recorded: Iterable[RecordedUsage]
    ) -> dict[str, dict[str, float]]:
        """Return the parts of the nodes that queues have used in the window."""
        return usage_parts(fairshare_of(policy), now, recorded)

    def take_usage(self, state: State, before: UsageHistory | None) -> None:
        """Give every pending workload a turn, because fair shares may differ."""
        self.requeue_all(state)

    # Questions of the engine

    def nominate(
        self,
        state: State,
        queue: LiveQueue,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> FairshareNomination:
        """Return whether *pending* would start now, and where."""
        return nominate(state, pending, without)

    def report(self, state: State, queue: LiveQueue, pending: Pending) -> FairshareNomination:
        """Return the nomination, with the order of the queue and those above it."""
        found = nominate(state, pending)
        return replace(found, rivals=rivals(state, queue.name, found.request))

    def demand(self, queue: LiveQueue, workload: Workload) -> dict[str, int]:
        """Return the request as queues count it: GPUs have one name."""
        counted = request_of(workload)
        others = {name: amount for name, amount in workload.total().items() if "gpu" not in name}
        return {**others, **counted}

    def preemption_summary(self, queue: Queue) -> str:
        """Return the two kinds of preemption, which every queue has."""
        return "reclaims by fair share, preempts lower priorities"

    def preempted_by(self, policy: Policy, queue: Queue, *, borrows: bool) -> tuple[str, ...]:
        """Return what may stop workloads of *queue*."""
        own = "Workloads of its own with a higher priority may preempt workloads of lower priority."
        above = "above its quota now" if borrows else "above its quota, which it is not now"
        return (
            f"Other queues may reclaim what it uses above its fair share, or {above}.",
            own,
            "Workloads that cannot be preempted are never stopped.",
        )

    # Another policy

    def consequences(self, old: Policy | None, new: Policy, live: Live) -> Iterable[Finding]:
        """Return queues that use more than a lowered limit or quota."""
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
        """Return for which workload *target* stops, with the numbers of both queues."""
        figures: tuple[QueueUse, ...] = ()
        is_across = target.reason is not PREEMPTED
        if isinstance(nomination, FairshareNomination) and is_across and target.queue is not None:
            ledger = queue.account.ledger
            assert isinstance(ledger, FairshareLedger)
            figures = uses(
                ledger.spec, queue.name, target.queue, nomination.request, nomination.standings
            )
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
        """Return what the nomination compared, or why the workload or its queue is not valid."""
        spec = fairshare_of(policy)
        if isinstance(nomination, FairshareNomination) and route.queue is not None:
            priority = route.priority or 0
            return {
                FAIRSHARE: facts_of_nomination(spec, route.queue, workload, priority, nomination)
            }
        return {FAIRSHARE: facts_without_nomination(spec, route.queue, workload)}

    def explain_sections(self) -> ExplainSections:
        """Return the stages about limits, nodes, order and searches."""
        return EXPLAIN_SECTIONS

    # Pages

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of quota and usage."""
        return COLUMNS

    def tree(self, policy: Policy) -> QueueHierarchy:
        """Return the tree of queues."""
        return QueueHierarchy(fairshare_of(policy))

    def capacity(self, policy: Policy, used: Used) -> FairshareCapacity:
        """Return quota, limit and usage of every queue."""
        return FairshareCapacity(policy, used)

    def organization_nodes(
        self, policy: Policy, queues: Iterable[CapacityNode]
    ) -> tuple[CapacityNode, ...]:
        """Return the quotas of the queues at the top together, and the usage of all queues."""
        return organization_nodes(fairshare_of(policy), queues)

    def sections(self) -> tuple[Section, ...]:
        """Return the page of fair shares."""
        return SECTIONS

    def share_report(
        self,
        policy: Policy,
        facts: ShareFacts,
        change: NumberChange | None = None,
        *,
        reclaiming: str | None = None,
    ) -> ShareReport:
        """Return the fair shares of all queues."""
        return share_report(fairshare_of(policy), facts, change, reclaiming=reclaiming)


DISCIPLINE = FairshareDiscipline()
