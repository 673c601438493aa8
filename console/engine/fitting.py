"""
Fitting: whether a workload could ever start in the queue it lands in, and whether it could now.

One world answers twice: with nothing in it, and while every queue holds what it holds at this
moment as a sum. Nobody is stopped and nobody waits in it, so what is found is what the quota
alone says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from console.engine.amounts import SCALE, Amount
from console.engine.decision import Outcome
from console.engine.landing import Landing
from console.engine.ledger import FlavorResource
from console.engine.matching import Matcher, Obstacle
from console.engine.origin import Origin
from console.engine.policy import Policy
from console.engine.state import State
from console.engine.trace import Trace
from console.engine.truth import ExpressionTruth, judge_selector
from console.engine.workload import PODS, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One resource of one flavor beside what a workload asks of it; amounts in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: What the queue could have if nothing ran anywhere.
    maximum: Amount
    #: What it could have now.
    available: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorTruth:
    """One flavor of a queue, in the order of trying, and what it says to a workload."""

    flavor: str
    #: What its selector asks of the workload's labels.
    expressions: tuple[ExpressionTruth, ...]
    #: What keeps the first of the pod sets that it keeps off; None: it accepts all.
    obstacle: Obstacle | None
    #: Of the resources that are asked for; empty: it would not be tried.
    shares: tuple[Share, ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What the quota of a queue says to one workload."""

    #: The decision about it if nothing ran anywhere.
    ever: Trace
    #: The decision about it with what runs now; None when it could not start even without that.
    now: Trace | None
    flavors: tuple[FlavorTruth, ...]


class Fitting:
    """
    Tries workloads under one policy, each on its own.

    *usage* is what running workloads hold by queue, in thousandths, *held* the queues that
    a person holds now; queues that the policy does not have are left out.
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

    def fit(self, landing: Landing) -> Fit:
        """Return how the workload of *landing* fits where it lands."""
        workload = landing.workload
        ever = _try(self._state, workload)
        starts = ever.outcome.outcome is Outcome.ADMITTED
        with self._as_it_is_now(landing.queue):
            return Fit(
                ever=ever,
                now=_try(self._state, workload) if starts else None,
                flavors=tuple(self._flavors(landing.queue, workload)) if landing.queue else (),
            )

    @contextmanager
    def _as_it_is_now(self, name: str | None) -> Iterator[None]:
        """Let the queues around *name* hold what they hold, and be held, for a while."""
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

    def _flavors(self, name: str, workload: Workload) -> Iterable[FlavorTruth]:
        queue = self._policy.queues.get(name)
        if queue is None:
            return
        node = self._state.queue(name).node
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
                flavor = self._policy.flavors.get(entry.flavor)
                selector = flavor.selector if flavor is not None else None
                yield FlavorTruth(
                    flavor=entry.flavor,
                    expressions=judge_selector(selector, workload.labels) if selector else (),
                    obstacle=next((each for each in against if each is not None), None),
                    shares=tuple(
                        Share(
                            resource=resource,
                            requested=amount,
                            nominal=node.quota((entry.flavor, resource)).nominal,
                            maximum=node.potential((entry.flavor, resource)),
                            available=node.available((entry.flavor, resource)),
                        )
                        for resource, amount in wanted.items()
                    ),
                    origin=entry.origin,
                )


def _try(state: State, workload: Workload) -> Trace:
    """Return the decision about *workload* in *state*, which is as before afterwards."""
    state.submit(workload)
    decided = [each for each in state.settle() if each.workload == workload.id]
    trace = state.explain(workload.id) if workload.id in state.pending else decided[-1].trace
    state.finish(workload.id)
    state.settle()
    # With sums alone nobody is found who could be stopped, which says nothing about it.
    return replace(trace, preemption=None, order=None, turn=None)
