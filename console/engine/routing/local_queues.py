"""Routing by local queues: a namespace and two labels determine the queue and the priority."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from console.engine.model.common_reasons import QUEUE_STOPPED
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.routing import Destination
from console.engine.model.trace import FailedExpression, LocalQueueStep, LocalQueueVerdict
from console.engine.model.workload import Workload
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    PRIORITY_CLASS_MISSING,
)
from console.engine.routing.selector_evaluation import first_false
from console.engine.wording.suggest import nearest as nearest_word

#: The label that every namespace has, with its own name.
NAMESPACE_NAME = "kubernetes.io/metadata.name"

#: The priority class of a workload that names none and requests no priority.
DEFAULT_CLASS = "default"

#: Names before and after an unknown name, in sorted order, among which the most similar one is
#: searched: a worker does this for every submission, with any queue name.
MOST_NEIGHBORS = 100

_PROBLEMS = {
    LocalQueueVerdict.NOT_NAMED: LOCAL_QUEUE_MISSING,
    LocalQueueVerdict.MISSING: LOCAL_QUEUE_MISSING,
    LocalQueueVerdict.QUEUE_MISSING: LOCAL_QUEUE_MISSING,
    LocalQueueVerdict.PRIORITY_CLASS_MISSING: PRIORITY_CLASS_MISSING,
    LocalQueueVerdict.STOPPED: QUEUE_STOPPED,
    LocalQueueVerdict.NAMESPACE_NOT_ALLOWED: NAMESPACE_NOT_ALLOWED,
}
#: Verdicts under which the workload is pending in the queue it was routed to.
_QUEUED = frozenset({LocalQueueVerdict.LEADS, LocalQueueVerdict.NAMESPACE_NOT_ALLOWED})


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueue:
    """A local queue: it routes the workloads of one namespace to a queue."""

    namespace: str
    name: str
    #: Name of its queue, which need not exist.
    queue: str
    stop: StopPolicy = StopPolicy.NONE
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityClass:
    """A named priority that workloads request by label."""

    name: str
    value: int
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueRouting:
    """
    Routing by namespace and label.

    A workload selects a local queue of its namespace and, optionally, a priority
    class, each by a label. A workload that reaches no queue stays pending.
    """

    #: By namespace and name.
    local_queues: Mapping[tuple[str, str], LocalQueue] = field(default_factory=dict)
    #: Labels of namespaces by name; a missing namespace has only the label of its name.
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    #: Name of the local queue of workloads without the label, in namespaces that have one of
    #: this name; None: such workloads stay pending.
    default_local_queue: str | None = None
    queue_label: str = "kueue.x-k8s.io/queue-name"
    priority_label: str = "kueue.x-k8s.io/priority-class"

    name = "local_queues"
    may_drain = True
    takes_everything = False
    is_without_quota = False
    reads_users = False

    @property
    def label_keys(self) -> frozenset[str]:
        """The labels of the local queue and of the priority class."""
        return frozenset({self.queue_label, self.priority_label})

    def attributes(self, workload: Workload) -> Hashable:
        """Return the requested priority and the namespace."""
        return workload.priority, workload.namespace

    def finder(self, queues: Mapping[str, Destination]) -> LocalQueueFinder:
        """Return a finder that routes to *queues* by local queue."""
        return LocalQueueFinder(self, queues)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return both labels, with the local queues of the namespace and the priority classes."""
        names = [name for namespace, name in self.local_queues if namespace == workload.namespace]
        return {self.queue_label: names, self.priority_label: self.priority_classes}

    def entrances(self) -> Mapping[Hashable, str]:
        """Return the queue of every local queue."""
        return {key: local_queue.queue for key, local_queue in self.local_queues.items()}


class LocalQueueFinder:
    """Routes workloads to *queues* by their local queue."""

    def __init__(self, routing: LocalQueueRouting, queues: Mapping[str, Destination]) -> None:
        self._routing = routing
        self._queues = queues

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload* by its local queue, or with the problem that it has."""
        local_route = follow_local_queue(
            self._routing,
            self._queues,
            labels=workload.labels,
            namespace=workload.namespace,
            requested=workload.priority,
        )
        return Route(
            queue=local_route.queue.name if local_route.queue is not None else None,
            priority=local_route.priority,
            local_queue=local_route.step,
            problem=local_route.problem,
            drains=local_route.drains,
        )


def local_routing_of(policy: Policy) -> LocalQueueRouting | None:
    """Return the routing of *policy* if it routes by local queues, otherwise None."""
    return policy.routing if isinstance(policy.routing, LocalQueueRouting) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRoute:
    """The queue and priority of a workload by its local queue and priority class."""

    step: LocalQueueStep
    #: None when the workload enters no pending queue.
    queue: Destination | None
    #: None when the priority class is missing.
    priority: int | None
    problem: Reason | None
    #: Whether the local queue is stopped and its running workloads are evicted.
    drains: bool


def follow_local_queue(
    routing: LocalQueueRouting,
    queues: Mapping[str, Destination],
    *,
    labels: Mapping[str, str],
    namespace: str,
    requested: int | None,
) -> LocalRoute:
    """
    Return the local route of a workload in *namespace* (Kueue, spec 1.5, 1.6, 3.4).

    The local queue is the one in *labels*, or else the default of the namespace.
    Of several problems the most lasting one is reported: the local queue or its
    queue is missing, the priority class is missing, the local queue is
    stopped. A workload of a stopped local queue enters no pending queue (spec 2.5),
    so the namespace selector of the queue is checked last.
    """
    name = local_queue_name(routing, labels, namespace)
    local = routing.local_queues.get((namespace, name))
    queue = queues.get(local.queue) if local is not None else None
    class_name = labels.get(routing.priority_label)
    chosen = _priority_class(routing, class_name, requested)
    failed: FailedExpression | None = None
    nearest: str | None = None
    if not name:
        verdict = LocalQueueVerdict.NOT_NAMED
    elif local is None:
        verdict = LocalQueueVerdict.MISSING
        nearest = nearest_name(name, (n for space, n in routing.local_queues if space == namespace))
    elif queue is None:
        verdict = LocalQueueVerdict.QUEUE_MISSING
        nearest = nearest_name(local.queue, queues)
    elif class_name is not None and chosen is None:
        verdict = LocalQueueVerdict.PRIORITY_CLASS_MISSING
        nearest = nearest_name(class_name, routing.priority_classes)
    elif local.stop is not StopPolicy.NONE:
        verdict = LocalQueueVerdict.STOPPED
    else:
        verdict, failed = _check_namespace(queue, namespace_labels(routing, namespace))
    step = LocalQueueStep(
        namespace=namespace,
        name=name,
        verdict=verdict,
        default=None if labels.get(routing.queue_label) else routing.default_local_queue,
        queue=local.queue if local is not None else None,
        failed=failed,
        priority_class=chosen.name if chosen is not None else class_name,
        priority=chosen.value if chosen is not None else None,
        priority_origin=chosen.origin if chosen is not None else None,
        nearest=nearest,
        label=None if name else routing.queue_label,
        origin=local.origin if local is not None else None,
    )
    return LocalRoute(
        step=step,
        queue=queue if verdict in _QUEUED else None,
        priority=_effective(class_name, chosen, requested),
        problem=_PROBLEMS.get(verdict),
        drains=local is not None and local.stop is StopPolicy.HOLD_AND_DRAIN,
    )


def local_queue_name(routing: LocalQueueRouting, labels: Mapping[str, str], namespace: str) -> str:
    """
    Return the name of a workload's local queue: the label, or else the default.

    Empty when the label is absent or blank and *namespace* has no local queue of the default
    name. A stopped default is used, too, so that running workloads without the label stop when
    the default local queue is drained.
    """
    named = labels.get(routing.queue_label)
    default = routing.default_local_queue
    if named:
        return named
    return default if default and (namespace, default) in routing.local_queues else ""


def namespace_labels(routing: LocalQueueRouting, namespace: str) -> dict[str, str]:
    """Return the labels of *namespace*; every namespace has its own name as a label."""
    return {**routing.namespaces.get(namespace, {}), NAMESPACE_NAME: namespace}


def _check_namespace(
    queue: Destination, labels: Mapping[str, str]
) -> tuple[LocalQueueVerdict, FailedExpression | None]:
    if queue.namespaces is None:
        return LocalQueueVerdict.NAMESPACE_NOT_ALLOWED, None
    failed = first_false(queue.namespaces, labels)
    if failed is not None:
        return LocalQueueVerdict.NAMESPACE_NOT_ALLOWED, failed
    return LocalQueueVerdict.LEADS, None


def _priority_class(
    routing: LocalQueueRouting, named: str | None, requested: int | None
) -> PriorityClass | None:
    if named is not None:
        return routing.priority_classes.get(named)
    return routing.priority_classes.get(DEFAULT_CLASS) if requested is None else None


def _effective(
    named: str | None, chosen: PriorityClass | None, requested: int | None
) -> int | None:
    if chosen is not None:
        return chosen.value
    return None if named is not None else (requested or 0)


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to *name*, among its neighbors; None: none is."""
    return _nearest_of(name, _neighbors(name, sorted(known)))


def _neighbors(name: str, known: list[str]) -> tuple[str, ...]:
    """Return the names next to *name* in the sorted *known*, at most twice `MOST_NEIGHBORS`."""
    place = bisect_left(known, name)
    return tuple(known[max(0, place - MOST_NEIGHBORS) : place + MOST_NEIGHBORS])


@lru_cache(maxsize=256)
def _nearest_of(name: str, known: tuple[str, ...]) -> str | None:
    return nearest_word(name, known)
