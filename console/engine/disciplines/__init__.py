"""The discipline protocol, and the loader of disciplines: one folder each, named by a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Protocol

from console.engine.live.decision_builder import TraceFacts

if TYPE_CHECKING:
    from console.engine.disciplines.read_model import (
        Capacity,
        CapacityTree,
        CapacityWording,
        Column,
        Section,
        Used,
    )
    from console.engine.disciplines.share_report import NumberChange, ShareFacts, ShareReport
    from console.engine.explain.explain_sections import ExplainSections
    from console.engine.live.accounts import QueueLedger
    from console.engine.live.live_tree import AnyQueue, LiveTree
    from console.engine.live.running import Running
    from console.engine.model.amounts import FlavorResource
    from console.engine.model.capacity_node import CapacityNode
    from console.engine.model.consequences import Excess, Finding
    from console.engine.model.decision import Place
    from console.engine.model.history import Live
    from console.engine.model.inventory import Inventory
    from console.engine.model.load_plan import LoadPlan
    from console.engine.model.nomination import Nomination, Report
    from console.engine.model.plugins import PluginHost
    from console.engine.model.policy import Policy, Queue
    from console.engine.model.running_outcomes import Exposure, Loss
    from console.engine.model.usage_history import RecordedUsage, UsageHistory, UsageRange
    from console.engine.model.workload import Workload
    from console.engine.pending.eligibility import Judge
    from console.engine.pending.pending_class import Pending
    from console.engine.routing.flavor_evaluation import FlavorEvaluation
    from console.engine.state import State


class Progress(Enum):
    """The result of one cycle of a tree."""

    #: A workload was admitted or preempted.
    DECIDED = "decided"
    #: No decision, but some queues have another head or other flavors to try.
    MOVED = "moved"
    #: Nothing changed.
    NOTHING = "nothing"


class Discipline(TraceFacts, Protocol):
    """An admission algorithm, which reads the state and changes it through the state's methods."""

    #: The words of pages about its capacity nodes.
    wording: CapacityWording
    #: Whether decisions depend on the inventory of clusters and nodes, and on their usage.
    reads_inventory: bool
    #: Whether decisions depend on the requests of all pending workloads together, so that
    #: explanations load them.
    reads_requests: bool
    #: Whether released pods of a running workload get another place one by one. Otherwise only
    #: the workload as a whole can be released.
    grants_pods: bool
    #: Whether the priority of a running workload can change. Otherwise its pods keep the one with
    #: which they started.
    changes_running_priority: bool
    #: Whether what queues may use depends on the requests of pending workloads, so that each of
    #: them that arrives or leaves gives all queues of its tree a turn.
    shares_by_request: bool

    def eligibility(self, policy: Policy) -> Judge:
        """Return the judge of whether queues of *policy* accept workloads, whatever the quota."""

    def referenced_labels(
        self, policy: Policy, queue: Queue | None = None
    ) -> Mapping[str, Iterable[str]]:
        """
        Return the labels that selectors of capacity refer to, each with the values they name.

        With *queue*, return only the labels that matter there, in the order of its capacity.
        """

    def ledger(self, policy: Policy) -> QueueLedger:
        """Return the accounts of all queues of *policy*, with nothing charged."""

    def declared_labels(self, policy: Policy) -> Mapping[str, Mapping[str, str]]:
        """
        Return the clusters that *policy* declares, each with its labels.

        They override the labels that the cluster reports, key by key.
        """

    def templates(self, policy: Policy) -> Sequence[str]:
        """Return the names of placements of *policy* that a workload's placement may refer to."""

    def advance(self, state: State, before: int) -> None:
        """
        Handle the passing of time from *before* to ``state.now``, in milliseconds since 1970.

        Stir the trees in which that may change a decision, see `StateMutations.stir`.
        """

    def next_wakeup(self, state: State) -> int | None:
        """
        Return the time at which a decision of a settled *state* may change without a new fact.

        The time is later than ``state.now``, in the same unit; None: never.
        """

    def take_inventory(self, state: State, before: Inventory) -> None:
        """Handle the replacement of *before* by ``state.inventory``; stir as `advance` does."""

    def is_lost(self, policy: Policy, inventory: Inventory, place: Place) -> bool:
        """
        Return whether the pods in *place* are lost, because its node or cluster is gone.

        A discipline announces lost pods without another place, and their return, by a resize
        without pods.
        """

    def usage_range(self, policy: Policy, now: int) -> UsageRange | None:
        """
        Return the past whose usage matters for decisions at *now*; None: usage never matters.

        Usage is measured only for policies for which it matters.
        """

    def measure_usage(
        self, policy: Policy, now: int, recorded: Iterable[RecordedUsage]
    ) -> dict[str, dict[str, float]]:
        """
        Return `UsageHistory.parts` at *now*, from what was *recorded* in `usage_range`.

        *recorded* are spans of time in order, without overlap. The first one may begin earlier.
        """

    def take_usage(self, state: State, before: UsageHistory | None) -> None:
        """Handle the replacement of *before* by ``state.usage_history``; stir as `advance` does."""

    def requeue(self, state: State, tree: LiveTree) -> None:
        """
        Requeue the classes of a *tree* that may be admissible now.

        The engine calls this before the next cycle of the tree.
        """

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """
        Give the head of every queue of *tree* its turn.

        *skipping* leaves out turns that cannot succeed; the decisions are the same.
        """

    def final_pass(self, state: State, tree: LiveTree) -> bool:
        """
        Admit inadmissible workloads that fit after the last cycle; return whether any was admitted.

        The order of turns can leave a workload inadmissible although it fits.
        """

    def nominate(
        self,
        state: State,
        queue: AnyQueue,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> Nomination:
        """
        Return what would happen to *pending* now, without changing anything.

        *without* are ids of running workloads that the ledger no longer counts.
        """

    def report(self, state: State, queue: AnyQueue, pending: Pending) -> Report:
        """Return the nomination with all details, for an explanation."""

    def has_no_room(self, queue: AnyQueue, least: Mapping[str, int]) -> bool:
        """Return whether no workload requesting *least* or more can fit now; False: not known."""

    def surely_fails(
        self, policy: Policy, queue: AnyQueue, least: Mapping[str, int], priority: int
    ) -> bool:
        """
        Return whether every workload of at most *priority* requesting *least* or more must wait.

        False when that is not known. Amounts are in thousandths, by resource.
        """

    def consequences(self, old: Policy | None, new: Policy, live: Live) -> Iterable[Finding]:
        """
        Return the consequences for *live* when *new* replaces *old*, except those of routing.

        *old* is None for a policy of another discipline: no amount of it is known.
        """

    def excess_beside_draining(
        self,
        successors: Mapping[str, str],
        old: Policy,
        new: Policy,
        live: Live,
        heirs: Mapping[str, str],
    ) -> tuple[Excess, ...]:
        """
        Return the excess of queues of *new* together with the removed queues that they replace.

        *successors* are the removed queues of *old* with their replacements. *heirs* are queues
        that drain already, each with its replacement under *old*.
        """

    def demand(self, queue: AnyQueue, workload: Workload) -> dict[str, int]:
        """Return the request of *workload* in *queue*, by resource, in thousandths."""

    def requested(
        self, queue: AnyQueue, workload: Workload, obstacles: Sequence[Any]
    ) -> dict[FlavorResource, int]:
        """
        Return what *workload* requests of all capacity that accepts it, in thousandths.

        *obstacles* are the obstacles of its pod sets in *queue*, from its eligibility.
        """

    def is_limited(self, queue: AnyQueue) -> bool:
        """Return whether *queue* has capacity of its own that a workload can be nominated for."""

    def evaluations(
        self, policy: Policy, queue: AnyQueue, workload: Workload, judge: Judge
    ) -> tuple[FlavorEvaluation, ...]:
        """Return the capacity of *queue*, in the order of trying, evaluated for *workload* now."""

    def exposures(self, queue: AnyQueue, over: set[str]) -> dict[str, frozenset[Exposure]]:
        """
        Return the kinds of preemption that may stop running workloads of *queue*, by id.

        *over* are the ids of workloads that use more than the guaranteed amount of the queue.
        """

    def loss(
        self, policy: Policy, queue: Queue, running: Running, judge: Judge, inventory: Inventory
    ) -> Loss | None:
        """
        Return what *running* loses in *queue* under *policy*; None: it could stay.

        *inventory* are the clusters at this time.
        """

    def preemption_summary(self, queue: Queue) -> str:
        """Return a short label of what *queue* preempts; empty if it never preempts."""

    def preempted_by(self, policy: Policy, queue: Queue, *, borrows: bool) -> tuple[str, ...]:
        """
        Return sentences on what may preempt the workloads of *queue*, one for each policy.

        *borrows* tells whether the queue uses capacity of other queues now.
        """

    def load_plan(
        self,
        policy: Policy,
        queue: AnyQueue,
        requests: Sequence[Mapping[str, int]],
        priority: int,
        lowest: int | None,
    ) -> LoadPlan:
        """
        Return the running workloads to load to explain pending ones of *queue* with *priority*.

        *requests* are their smallest requests, in thousandths. *lowest* is the lowest
        priority that runs in the queue; None: no workload runs there.
        """

    def explain_sections(self) -> ExplainSections:
        """Return the wording of its section of a trace; see `TraceFacts.trace_sections`."""

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table of a queue's capacity nodes, in order."""

    def sections(self) -> tuple[Section, ...]:
        """Return the optional parts of the product that this discipline supports."""

    def tree(self, policy: Policy) -> CapacityTree:
        """Return the trees of the queues of *policy*."""

    def capacity(self, policy: Policy, used: Used) -> Capacity:
        """
        Return the capacity of all queues and cohorts of *policy*, with the usage *used*.

        *used* is not changed afterwards. Usage of a queue that *policy* does not have appears
        in the nodes of that queue only.
        """

    def organization_nodes(
        self, policy: Policy, queues: Iterable[CapacityNode]
    ) -> tuple[CapacityNode, ...]:
        """
        Return the capacity of the whole organization, a node for each flavor-resource.

        It is the sum of the nodes of all *queues* and of the quota that cohorts own.
        """

    def share_report(
        self,
        policy: Policy,
        facts: ShareFacts,
        change: NumberChange | None = None,
        *,
        reclaiming: str | None = None,
    ) -> ShareReport | None:
        """
        Return the shares of all queues of *policy*, with one number changed if requested.

        None: queues have no shares. Only for the queue *reclaiming*, the report has what the queue
        may reclaim. Raises KeyError if the changed number does not exist.
        """


def load_reasons() -> None:
    """Import the module `reasons` of every discipline that has one; it registers its reasons."""
    _load_all("reasons")


def load_trace_sections() -> None:
    """Import the module `trace` of every discipline that has one; it registers its section."""
    _load_all("trace")


def plugin_hosts() -> Iterator[PluginHost]:
    """Yield the `HOST` of the module `plugin_host` of every discipline that takes plugins."""
    for module in _modules("plugin_host"):
        yield module.HOST


@cache
def load_discipline(name: str) -> Discipline:
    """Return the discipline in the folder *name*, which the dialect guarantees to exist."""
    discipline: Discipline = import_module(f"{__name__}.{name}.discipline").DISCIPLINE
    return discipline


def _load_all(name: str) -> None:
    for _ in _modules(name):
        pass


def _modules(name: str) -> Iterator[Any]:
    """Import and yield the module *name* of every discipline that has one."""
    for folder in sorted(each.name for each in iter_modules(__path__) if each.ispkg):
        module = f"{__name__}.{folder}.{name}"
        if find_spec(module) is not None:
            yield import_module(module)
