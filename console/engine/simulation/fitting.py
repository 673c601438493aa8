"""
Fitting: whether a workload could ever start in the queue of its route, and whether now.

The workload is tried in an empty state, and in the same state with the present usage of
every queue as a sum. The state has no candidates for preemption and no pending workloads,
so the result depends only on quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from console.engine.disciplines import load_discipline
from console.engine.live.node_usage import NodeKey
from console.engine.model.amounts import FlavorResource
from console.engine.model.decision import Outcome
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.route_result import RouteResult
from console.engine.model.trace import Trace
from console.engine.model.workload import Workload
from console.engine.routing.flavor_evaluation import FlavorEvaluation
from console.engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How one workload fits the quota of a queue."""

    #: The trace of its decision if nothing ran anywhere.
    ever: Trace
    #: The trace of its decision with present usage; None when it could not start without any.
    now: Trace | None
    flavors: tuple[FlavorEvaluation, ...]


class Fitting:
    """
    Tries workloads under one policy, each on its own.

    *usage* is the usage of running workloads by queue, in thousandths, *held* the queues
    that an operator holds; queues that the policy does not contain are ignored. *inventory* and
    *node_usage* are the clusters and the usage of their nodes, if the discipline reads them.
    """

    def __init__(
        self,
        policy: Policy,
        usage: Mapping[str, Mapping[FlavorResource, int]],
        held: Iterable[str] = (),
        *,
        inventory: Inventory | None = None,
        node_usage: Mapping[NodeKey, Mapping[str, int]] | None = None,
    ) -> None:
        self._policy = policy
        self._judge = load_discipline(policy.discipline).eligibility(policy)
        self._usage = usage
        self._held = frozenset(held)
        #: In which nothing runs.
        self._state = State(policy, is_sparse=True)
        #: With the present usage of nodes.
        self._busy = self._state
        if inventory is not None:
            self._state.change_inventory(inventory)
            if node_usage:
                self._busy = State(policy, is_sparse=True)
                for node, used in node_usage.items():
                    self._busy.node_usage.charge(node, used)
                self._busy.change_inventory(inventory)

    def fit(self, route_result: RouteResult) -> Fit:
        """Return how the workload of *route_result* fits the queue of its route."""
        workload = route_result.workload
        ever = _try(self._state, workload)
        starts = ever.outcome.outcome is Outcome.ADMITTED
        with self._with_present_usage(route_result.queue):
            return Fit(
                ever=ever,
                now=_try(self._busy, workload) if starts else None,
                flavors=self._flavors(route_result.queue, workload),
            )

    def _flavors(self, name: str | None, workload: Workload) -> tuple[FlavorEvaluation, ...]:
        if name is None or self._policy.queue(name) is None:
            return ()
        discipline = load_discipline(self._policy.discipline)
        queue = self._busy.queue(name)
        return discipline.evaluations(self._policy, queue, workload, self._judge)

    @contextmanager
    def _with_present_usage(self, name: str | None) -> Iterator[None]:
        """Give the tree of *name* the present usage and holds, within the context."""
        around = [] if name is None else [each.name for each in self._busy.queue(name).tree.queues]
        for queue in around:
            self._busy.charge(queue, self._usage.get(queue, {}))
            if queue in self._held:
                self._busy.hold(queue)
        yield
        for queue in around:
            if queue in self._held:
                self._busy.resume(queue)
            used = self._usage.get(queue, {})
            self._busy.charge(queue, {cell: -amount for cell, amount in used.items()})


def _try(state: State, workload: Workload) -> Trace:
    """Return the trace of *workload* in *state*, which is restored afterwards."""
    state.submit(workload)
    decided = [each for each in state.settle() if each.workload == workload.id]
    trace = state.explain(workload.id) if workload.id in state.pending else decided[-1].trace
    state.finish(workload.id)
    state.settle()
    # Usage is a sum without candidates for preemption, so facts about candidates are removed.
    sections = {code: section.without_running() for code, section in trace.sections.items()}
    return replace(trace, sections=sections, order=None, turn=None)
