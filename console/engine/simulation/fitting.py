"""
Fitting: whether a workload could ever start in the queue it is routed to, and whether now.

One state answers twice: empty, and with every queue charged with the sum of its current
usage. It has no victims and no pending workloads, so the result depends on the quota
alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.amounts import SCALE, Amount, FlavorResource
from console.engine.model.decision import Outcome
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.model.trace import Trace
from console.engine.model.workload import PODS, Workload
from console.engine.routing.flavor_matching import Matcher, Obstacle
from console.engine.routing.route_result import RouteResult
from console.engine.routing.rule_evaluation import ExpressionResult, evaluate_selector
from console.engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One resource of one flavor and the workload's request of it; amounts in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: What the queue could use if nothing ran anywhere.
    maximum: Amount
    #: What it could use now.
    available: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorEvaluation:
    """One flavor of a queue, in the order of trying, and its evaluation for a workload."""

    flavor: str
    #: Its selector's expressions on the workload's labels.
    expressions: tuple[ExpressionResult, ...]
    #: The obstacle of the first pod set that it excludes; None: it accepts all.
    obstacle: Obstacle | None
    #: Of the requested resources; empty: the flavor would not be tried.
    shares: tuple[Share, ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How one workload fits the quota of a queue."""

    #: The decision about it if nothing ran anywhere.
    ever: Trace
    #: The decision about it with current usage; None when it could not start even without.
    now: Trace | None
    flavors: tuple[FlavorEvaluation, ...]


class Fitting:
    """
    Tries workloads under one policy, each on its own.

    *usage* is the usage of running workloads by queue, in thousandths, *held* the queues
    that an operator holds; queues that the policy does not contain are ignored.
    """

    def __init__(
        self,
        policy: Policy,
        usage: Mapping[str, Mapping[FlavorResource, int]],
        held: Iterable[str] = (),
    ) -> None:
        self._policy = policy
        self._matcher = Matcher(policy)
        self._usage = usage
        self._held = frozenset(held)
        self._state = State(policy, is_sparse=True)

    def fit(self, route_result: RouteResult) -> Fit:
        """Return how the workload of *route_result* fits the queue it is routed to."""
        workload = route_result.workload
        ever = _try(self._state, workload)
        starts = ever.outcome.outcome is Outcome.ADMITTED
        with self._as_it_is_now(route_result.queue):
            return Fit(
                ever=ever,
                now=_try(self._state, workload) if starts else None,
                flavors=tuple(self._flavors(route_result.queue, workload))
                if route_result.queue
                else (),
            )

    @contextmanager
    def _as_it_is_now(self, name: str | None) -> Iterator[None]:
        """Charge and hold the queues around *name* as they are now, for the context's duration."""
        around = [] if name is None else [each.name for each in self._state.queue(name).tree.queues]
        for queue in around:
            self._state.charge(queue, self._usage.get(queue, {}))
            if queue in self._held:
                self._state.hold(queue)
        yield
        for queue in around:
            if queue in self._held:
                self._state.resume(queue)
            used = self._usage.get(queue, {})
            self._state.charge(queue, {cell: -amount for cell, amount in used.items()})

    def _flavors(self, name: str, workload: Workload) -> Iterable[FlavorEvaluation]:
        queue = spec_of(self._policy).queues.get(name)
        if queue is None:
            return
        account = self._state.queue(name).account
        asked = workload.total()
        pods = sum(pod_set.count for pod_set in workload.pod_sets) * SCALE
        obstacles = self._matcher.obstacles(workload, queue)
        for index, group in enumerate(queue.groups):
            wanted = {
                resource: pods if resource == PODS else asked[resource]
                for resource in group.resources
                if resource in asked or resource == PODS
            }
            for place, entry in enumerate(group.flavors):
                against = (each[index][place] for each in obstacles)
                flavor = spec_of(self._policy).flavors.get(entry.flavor)
                selector = flavor.selector if flavor is not None else None
                yield FlavorEvaluation(
                    flavor=entry.flavor,
                    expressions=evaluate_selector(selector, workload.labels) if selector else (),
                    obstacle=next((each for each in against if each is not None), None),
                    shares=tuple(
                        Share(
                            resource=resource,
                            requested=amount,
                            nominal=account.guaranteed((entry.flavor, resource)),
                            maximum=account.limit((entry.flavor, resource)),
                            available=account.available((entry.flavor, resource)),
                        )
                        for resource, amount in wanted.items()
                    ),
                    origin=entry.origin,
                )


def _try(state: State, workload: Workload) -> Trace:
    """Return the decision about *workload* in *state*, which is restored afterwards."""
    state.submit(workload)
    decided = [each for each in state.settle() if each.workload == workload.id]
    trace = state.explain(workload.id) if workload.id in state.pending else decided[-1].trace
    state.finish(workload.id)
    state.settle()
    # Sums have no candidates for preemption, which says nothing about the workload.
    return replace(trace, preemption=None, order=None, turn=None)
