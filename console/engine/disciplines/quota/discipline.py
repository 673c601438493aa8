"""The quota discipline: its implementation of the engine's discipline protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from console.engine.disciplines import Progress
from console.engine.disciplines.basic_discipline import BasicDiscipline
from console.engine.disciplines.quota.consequences import consequences
from console.engine.disciplines.quota.cycle import Cycle
from console.engine.disciplines.quota.decision_facts import (
    preempted_step,
    queue_step,
    section_of,
    unsupported,
)
from console.engine.disciplines.quota.evaluations import evaluations
from console.engine.disciplines.quota.excess import beside_draining
from console.engine.disciplines.quota.explain.sections import EXPLAIN_SECTIONS
from console.engine.disciplines.quota.feasibility import (
    first_that_fits,
    has_no_room,
    skip_futile_cycles,
    surely_fails,
)
from console.engine.disciplines.quota.flavor_matching import FlavorEligibility, referenced_labels
from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import Ledger, QuotaQueue, covers
from console.engine.disciplines.quota.load_plan import load_plan
from console.engine.disciplines.quota.nominate import QuotaNomination, nominate
from console.engine.disciplines.quota.preemption_words import preempted_by, preemption_summary
from console.engine.disciplines.quota.read_model import (
    COLUMNS,
    SECTIONS,
    WORDING,
    QuotaCapacity,
    organization_nodes,
)
from console.engine.disciplines.quota.reasons import QUOTA_RESERVED
from console.engine.disciplines.quota.report import Report, report
from console.engine.disciplines.quota.running import exposures, loss
from console.engine.disciplines.quota.spec import QueueSpec, spec_of
from console.engine.disciplines.quota.trace import QUOTA
from console.engine.disciplines.read_model import Column, Section, Used
from console.engine.explain.explain_sections import ExplainSections
from console.engine.live.live_tree import AnyQueue, LiveTree
from console.engine.live.running import Running
from console.engine.model.amounts import SCALE, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.consequences import Excess, Finding
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.load_plan import LoadPlan
from console.engine.model.nomination import Nomination
from console.engine.model.obstacles import Obstacles
from console.engine.model.policy import Policy, Queue
from console.engine.model.route import Route
from console.engine.model.running_outcomes import Exposure, Loss
from console.engine.model.trace import OutcomeStep, PreemptedStep, QueueStep
from console.engine.model.trace_sections import TraceSection
from console.engine.model.unsupported_settings import UnsupportedSetting
from console.engine.model.workload import PODS, Workload
from console.engine.pending.eligibility import Judge
from console.engine.pending.pending_class import Pending, ScanPosition
from console.engine.routing.flavor_evaluation import FlavorEvaluation

if TYPE_CHECKING:
    from console.engine.state import State


class QuotaDiscipline(BasicDiscipline):
    """Admission by the rules of Kueue; the README of this folder lists the differences."""

    admitted = QUOTA_RESERVED
    wording = WORDING

    def eligibility(self, policy: Policy) -> FlavorEligibility:
        """Return the judge of workloads by the selectors, taints and labels of flavors."""
        return FlavorEligibility(policy)

    def referenced_labels(
        self, policy: Policy, queue: Queue | None = None
    ) -> Mapping[str, Iterable[str]]:
        """Return the labels that selectors of flavors refer to."""
        return referenced_labels(spec_of(policy).flavors, None if queue is None else (queue,))

    def ledger(self, policy: Policy) -> Ledger:
        """Return the ledger of nominal quota, borrowing and lending, with nothing charged."""
        return Ledger(policy)

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """Give the head of every queue its turn; *skipping* leaves out futile turns."""
        if skipping and not skip_futile_cycles(tree, spec_of(state.policy).settings):
            return Progress.NOTHING
        return Cycle(state, tree, skipping=skipping).run()

    def final_pass(self, state: State, tree: LiveTree) -> bool:
        """Give a turn to the first workload of each queue that fits, with no capacity reserved."""
        heads = {}
        for queue in tree.queues:
            state.before_turn()
            if queue.barrier is None and not queue.pending.is_strict:
                head = first_that_fits(queue, spec_of(state.policy).settings)
                if head is not None:
                    heads[queue.name] = head
        if not heads:
            return False
        return Cycle(state, tree, heads).run() is Progress.DECIDED

    def nominate(
        self,
        state: State,
        queue: QuotaQueue,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> QuotaNomination:
        """
        Return what would happen to *pending* now, without changing anything.

        *without* are ids of running workloads that the ledger no longer counts.
        Where a walk over flavors stops early and fails, the next turn resumes behind it
        (spec 6.6): the first turn that succeeds is returned.
        """
        settings = spec_of(state.policy).settings
        first = found = nominate(queue, pending, settings, without=without)
        seen: list[object] = []
        while not (found.fits or found.targets):
            tried = found.result.tried()
            if not found.result.stopped_early or tried in seen:
                return first
            seen.append(tried)
            scan = ScanPosition(tried, 0, 0)
            found = nominate(queue, pending, settings, scan=scan, without=without)
        return found

    def report(self, state: State, queue: QuotaQueue, pending: Pending) -> Report:
        """Return the nomination with all details, for an explanation."""
        return report(queue, pending, spec_of(state.policy).settings)

    def has_no_room(self, queue: QuotaQueue, least: Mapping[str, int]) -> bool:
        """Return whether no flavor has *least* available."""
        return has_no_room(queue, least)

    def surely_fails(
        self, policy: Policy, queue: QuotaQueue, least: Mapping[str, int], priority: int
    ) -> bool:
        """Return whether no flavor has *least* available and no preemption can free it."""
        return surely_fails(queue, spec_of(policy).settings, least, priority)

    def consequences(self, old: Policy | None, new: Policy, live: Live) -> Iterable[Finding]:
        """Return the flavors that are lost, and the usage beyond the new quota."""
        return consequences(old, new, live)

    def excess_beside_draining(
        self,
        successors: Mapping[str, str],
        old: Policy,
        new: Policy,
        live: Live,
        heirs: Mapping[str, str],
    ) -> tuple[Excess, ...]:
        """Return the excess of queues together with the removed queues that they replace."""
        return beside_draining(successors, old, new, live, heirs)

    def demand(self, queue: QuotaQueue, workload: Workload) -> dict[str, int]:
        """
        Return the request of *workload*, by resource, in thousandths.

        Its pods are included if a group covers ``pods`` (Kueue, spec 1.8).
        """
        demand = workload.total()
        if PODS in covers(queue):
            demand[PODS] = SCALE * sum(each.count for each in workload.pod_sets)
        return demand

    def requested(
        self, queue: QuotaQueue, workload: Workload, obstacles: Sequence[Obstacles]
    ) -> dict[FlavorResource, int]:
        """Return what *workload* requests from every flavor that accepts it, in thousandths."""
        assert queue.policy is not None
        requested: dict[FlavorResource, int] = {}
        for pod_set, of_pod_set in zip(workload.pod_sets, obstacles, strict=True):
            wanted = pod_set.total()
            if PODS in queue.policy.covers:
                wanted[PODS] = pod_set.count * SCALE
            for resource, amount in wanted.items():
                index = queue.policy.covers.get(resource)
                if index is None:
                    continue
                flavors = queue.policy.groups[index].flavors
                for entry, obstacle in zip(flavors, of_pod_set[index], strict=True):
                    if obstacle is None:
                        key = (entry.flavor, resource)
                        requested[key] = requested.get(key, 0) + amount
        return requested

    def is_limited(self, queue: QuotaQueue) -> bool:
        """Return whether *queue* has a resource group."""
        return bool(covers(queue))

    def evaluations(
        self, policy: Policy, queue: QuotaQueue, workload: Workload, judge: Judge
    ) -> tuple[FlavorEvaluation, ...]:
        """Return the flavors of *queue*, in the order of trying, evaluated for *workload* now."""
        return tuple(evaluations(spec_of(policy), queue, workload, judge))

    def exposures(self, queue: QuotaQueue, over: set[str]) -> dict[str, frozenset[Exposure]]:
        """Return the kinds of preemption that may stop running workloads of *queue*, by id."""
        return exposures(queue, over)

    def loss(
        self, policy: Policy, queue: Queue, running: Running, judge: Judge, inventory: Inventory
    ) -> Loss | None:
        """Return the loss of *running* in *queue*: of a flavor, or of access to one."""
        return loss(spec_of(policy), cast(QueueSpec, queue), running, judge)

    def preemption_summary(self, queue: Queue) -> str:
        """Return a short label of the workloads that *queue* preempts."""
        return preemption_summary(cast(QueueSpec, queue))

    def preempted_by(self, policy: Policy, queue: Queue, *, borrows: bool) -> tuple[str, ...]:
        """Return sentences on what may preempt the workloads of *queue*, one for each policy."""
        return preempted_by(policy, cast(QueueSpec, queue), borrows=borrows)

    def load_plan(
        self,
        policy: Policy,
        queue: QuotaQueue,
        requests: Sequence[Mapping[str, int]],
        priority: int,
        lowest: int | None,
    ) -> LoadPlan:
        """Return the running workloads that preemption for *requests* would examine first."""
        return load_plan(queue, spec_of(policy).settings, requests, priority, lowest)

    def queue_step(self, policy: Policy, name: str, queue: AnyQueue | None) -> QueueStep | None:
        """Return the facts about queue *name* and its live state *queue*."""
        return queue_step(policy, name, queue)

    def preempted_step(
        self,
        target: Running,
        preemptor: Workload,
        priority: int,
        queue: AnyQueue,
        nomination: Nomination | None = None,
    ) -> PreemptedStep:
        """Return why *target* is evicted for *preemptor*, which requests quota in *queue*."""
        return preempted_step(target, preemptor, priority, queue)

    def trace_sections(
        self,
        policy: Policy,
        workload: Workload,
        route: Route,
        outcome: OutcomeStep,
        nomination: Nomination | None,
        obstacles: tuple[Obstacles, ...],
    ) -> Mapping[str, TraceSection]:
        """Return the flavors that were tried, and the search for workloads to preempt."""
        return {QUOTA: section_of(policy, workload, route, outcome, nomination, obstacles)}

    def unsupported(
        self,
        policy: Policy,
        queue: str | None,
        outcome: OutcomeStep,
        sections: Mapping[str, TraceSection],
    ) -> Iterable[UnsupportedSetting]:
        """Return the unsupported settings of *queue* and of the assigned or tried flavors."""
        return unsupported(policy, queue, outcome, sections[QUOTA])

    def explain_sections(self) -> ExplainSections:
        """Return the stages about flavors and preemption, with their headlines and fixes."""
        return EXPLAIN_SECTIONS

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of a queue's quota."""
        return COLUMNS

    def sections(self) -> tuple[Section, ...]:
        """Return the sections specific to quota: cohorts."""
        return SECTIONS

    def tree(self, policy: Policy) -> Hierarchy:
        """Return the cohorts of *policy* and the queues in them."""
        return Hierarchy(policy)

    def capacity(self, policy: Policy, used: Used) -> QuotaCapacity:
        """Return the quota of all queues and cohorts of *policy*, with the usage *used*."""
        return QuotaCapacity(policy, used)

    def organization_nodes(
        self, policy: Policy, queues: Iterable[CapacityNode]
    ) -> tuple[CapacityNode, ...]:
        """Return the sum of the nodes of all *queues* and of the quota that cohorts own."""
        return organization_nodes(policy, queues)


DISCIPLINE = QuotaDiscipline()
