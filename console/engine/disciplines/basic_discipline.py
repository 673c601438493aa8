"""
The discipline without optional parts: no preemption, time, nodes, selectors or queues above queues.

A discipline extends it and defines what it has; mypy reports what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from console.engine.disciplines import Discipline
from console.engine.disciplines.flat_read_model import FlatTree, sums
from console.engine.disciplines.read_model import CapacityTree, Section
from console.engine.disciplines.share_report import NumberChange, ShareFacts, ShareReport
from console.engine.live.live_tree import AnyQueue, LiveTree
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.consequences import Excess, Finding
from console.engine.model.decision import Place
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.load_plan import LoadPlan
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy, Queue, StopPolicy
from console.engine.model.running_outcomes import Exposure, Loss
from console.engine.model.trace import OutcomeStep, PreemptedStep, QueueStep
from console.engine.model.trace_sections import TraceSection
from console.engine.model.unsupported_settings import UnsupportedSetting
from console.engine.model.usage_history import RecordedUsage, UsageHistory, UsageRange
from console.engine.model.workload import Workload
from console.engine.pending.eligibility import Judge
from console.engine.routing.flavor_evaluation import FlavorEvaluation

if TYPE_CHECKING:
    from console.engine.state import State


class BasicDiscipline(Discipline):
    """The answers of a discipline to questions about parts that it does not have."""

    reads_inventory = False
    reads_requests = False
    grants_pods = False
    changes_running_priority = True
    shares_by_request = False

    # Admission

    def referenced_labels(
        self, policy: Policy, queue: Queue | None = None
    ) -> Mapping[str, Iterable[str]]:
        """Return nothing: labels select no capacity."""
        return {}

    def declared_labels(self, policy: Policy) -> Mapping[str, Mapping[str, str]]:
        """Return nothing: a config declares no clusters."""
        return {}

    def templates(self, policy: Policy) -> Sequence[str]:
        """Return nothing: a config has no names of placements."""
        return ()

    def final_pass(self, state: State, tree: LiveTree) -> bool:
        """Return False: a cycle leaves no workload waiting that fits."""
        return False

    def requeue(self, state: State, tree: LiveTree) -> None:
        """Requeue every class: released capacity may help any of them."""
        tree.requeue_all()

    def advance(self, state: State, before: int) -> None:
        """Change nothing: no decision depends on time."""

    def next_wakeup(self, state: State) -> int | None:
        """Return None: no decision depends on time."""
        return None

    def take_inventory(self, state: State, before: Inventory) -> None:
        """Change nothing: no decision depends on nodes."""

    def is_lost(self, policy: Policy, inventory: Inventory, place: Place) -> bool:
        """Return False: pods have no places on nodes."""
        return False

    def usage_range(self, policy: Policy, now: int) -> UsageRange | None:
        """Return None: no decision depends on past usage."""
        return None

    def measure_usage(
        self, policy: Policy, now: int, recorded: Iterable[RecordedUsage]
    ) -> dict[str, dict[str, float]]:
        """Return nothing: no decision depends on past usage."""
        return {}

    def take_usage(self, state: State, before: UsageHistory | None) -> None:
        """Change nothing: no decision depends on past usage."""

    # Questions of the engine

    def has_no_room(self, queue: AnyQueue, least: Mapping[str, int]) -> bool:
        """Return False: only a nomination shows it."""
        return False

    def surely_fails(
        self, policy: Policy, queue: AnyQueue, least: Mapping[str, int], priority: int
    ) -> bool:
        """Return whether there is no room: without preemption, priority does not matter."""
        return self.has_no_room(queue, least)

    def is_limited(self, queue: AnyQueue) -> bool:
        """Return True: workloads of every queue are nominated."""
        return True

    def demand(self, queue: AnyQueue, workload: Workload) -> dict[str, int]:
        """Return the request."""
        return workload.total()

    def requested(
        self, queue: AnyQueue, workload: Workload, obstacles: Sequence[Any]
    ) -> dict[FlavorResource, int]:
        """Return nothing: workloads request no amount of a certain capacity."""
        return {}

    def evaluations(
        self, policy: Policy, queue: AnyQueue, workload: Workload, judge: Judge
    ) -> tuple[FlavorEvaluation, ...]:
        """Return nothing: there are no flavors to choose from."""
        return ()

    def exposures(self, queue: AnyQueue, over: set[str]) -> dict[str, frozenset[Exposure]]:
        """Return nothing: no workload is preempted."""
        return {}

    def preemption_summary(self, queue: Queue) -> str:
        """Return nothing: no workload is preempted."""
        return ""

    def preempted_by(self, policy: Policy, queue: Queue, *, borrows: bool) -> tuple[str, ...]:
        """Return nothing: no workload is preempted."""
        return ()

    def load_plan(
        self,
        policy: Policy,
        queue: AnyQueue,
        requests: Sequence[Mapping[str, int]],
        priority: int,
        lowest: int | None,
    ) -> LoadPlan:
        """Return an empty plan: sums of running requests suffice."""
        return LoadPlan()

    # Another policy

    def consequences(self, old: Policy | None, new: Policy, live: Live) -> Iterable[Finding]:
        """Return nothing: running workloads stay as they are."""
        return ()

    def excess_beside_draining(
        self,
        successors: Mapping[str, str],
        old: Policy,
        new: Policy,
        live: Live,
        heirs: Mapping[str, str],
    ) -> tuple[Excess, ...]:
        """Return nothing: a queue shares its capacity with none that it replaces."""
        return ()

    def loss(
        self, policy: Policy, queue: Queue, running: Running, judge: Judge, inventory: Inventory
    ) -> Loss | None:
        """Return None: all capacity stays."""
        return None

    # Explanations

    def queue_step(self, policy: Policy, name: str, queue: AnyQueue | None) -> QueueStep | None:
        """Return the facts about the queue *name*."""
        found = policy.queue(name)
        if found is None:
            return None
        return QueueStep(
            name=name,
            passthrough=found.is_passthrough,
            held=queue is not None and queue.held,
            stopped=found.stop is not StopPolicy.NONE,
            origin=found.origin,
        )

    def preempted_step(
        self,
        target: Running,
        preemptor: Workload,
        priority: int,
        queue: AnyQueue,
        nomination: Nomination | None = None,
    ) -> PreemptedStep:
        """Raise an error: no workload is preempted."""
        raise AssertionError(f"{target.workload.id} cannot be preempted")

    def unsupported(
        self,
        policy: Policy,
        queue: str | None,
        outcome: OutcomeStep,
        sections: Mapping[str, TraceSection],
    ) -> Iterable[UnsupportedSetting]:
        """Return nothing: every setting is supported."""
        return ()

    # Pages

    def sections(self) -> tuple[Section, ...]:
        """Return nothing: the discipline has no page of its own."""
        return ()

    def tree(self, policy: Policy) -> CapacityTree:
        """Return the tree, which has no nodes above the queues."""
        return FlatTree(policy)

    def organization_nodes(
        self, policy: Policy, queues: Iterable[CapacityNode]
    ) -> tuple[CapacityNode, ...]:
        """Return the sums over the queues."""
        return sums(queues)

    def share_report(
        self,
        policy: Policy,
        facts: ShareFacts,
        change: NumberChange | None = None,
        *,
        reclaiming: str | None = None,
    ) -> ShareReport | None:
        """Return None: queues have no shares."""
        return None
