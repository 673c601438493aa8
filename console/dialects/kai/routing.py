"""Routing by the label of the queue, and priorities by priority class."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.disciplines.fairshare.reasons import QUEUE_MISSING
from console.engine.model.route import Route
from console.engine.model.routing import Destination
from console.engine.model.trace import LocalQueueStep, LocalQueueVerdict
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import PriorityClass, nearest_name

#: The labels with the name of the queue; the first one that a workload has counts.
QUEUE_LABELS: Final = ("kai.scheduler/queue", "runai/queue")
#: The label with the name of the priority class.
PRIORITY_LABEL: Final = "priorityClassName"
#: The queue of workloads that name none.
DEFAULT_QUEUE: Final = "default-queue"
#: The priority classes that KAI brings.
BUILT_IN_CLASSES: Final[Mapping[str, int]] = {
    "train": 50,
    "build-preemptible": 75,
    "build": 100,
    "inference": 125,
}
#: The class of workloads that name none that exists, in a config without ``globalDefault``.
DEFAULT_CLASS: Final = PriorityClass(name="train", value=BUILT_IN_CLASSES["train"])


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLabelRouting:
    """
    Every workload is routed to the queue that a label names.

    Its priority is the stated one, or that of the priority class that a label names.
    """

    #: The names of the queues that run workloads.
    queues: tuple[str, ...] = ()
    #: The priority classes of the config, besides those that KAI brings.
    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    #: The class of workloads that name none that exists.
    default_class: PriorityClass = DEFAULT_CLASS

    name = "queue_label"
    label_keys = frozenset({*QUEUE_LABELS, PRIORITY_LABEL})
    may_drain = False
    takes_everything = False
    is_without_quota = False
    reads_users = False

    def attributes(self, workload: Workload) -> Hashable:
        """Return the stated priority and the namespace, which a missing queue is reported with."""
        return workload.priority, workload.namespace

    def finder(self, queues: Mapping[str, Destination]) -> QueueLabelFinder:
        """Return a finder that routes to *queues*."""
        return QueueLabelFinder(self, queues)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return the label of the queue with the queues, and that of the priority class."""
        named = {key: self.queues for key in QUEUE_LABELS if workload.labels.get(key)}
        classes = dict.fromkeys((*BUILT_IN_CLASSES, *self.priority_classes))
        return {**(named or {QUEUE_LABELS[0]: self.queues}), PRIORITY_LABEL: classes}

    def entrances(self) -> Mapping[Hashable, str]:
        """Return every queue by its own name."""
        return {name: name for name in self.queues}

    def class_of(self, workload: Workload) -> PriorityClass:
        """Return the priority class of a workload that states no priority."""
        name = workload.labels.get(PRIORITY_LABEL, "")
        if name in self.priority_classes:
            return self.priority_classes[name]
        if name in BUILT_IN_CLASSES:
            return PriorityClass(name=name, value=BUILT_IN_CLASSES[name])
        return self.default_class


class QueueLabelFinder:
    """Routes workloads to *queues* by their label."""

    def __init__(self, routing: QueueLabelRouting, queues: Mapping[str, Destination]) -> None:
        self._routing = routing
        self._queues = queues

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload*; without a queue if the config has no such queue."""
        name = queue_name(workload.labels)
        named = self._routing.class_of(workload) if workload.priority is None else None
        priority = workload.priority if named is None else named.value
        if name in self._queues:
            return Route(queue=name, priority=priority)
        step = LocalQueueStep(
            namespace=workload.namespace,
            name=name,
            verdict=LocalQueueVerdict.NO_QUEUE,
            nearest=nearest_name(name, self._routing.queues),
            priority_class=named.name if named is not None else None,
            priority=named.value if named is not None else None,
            priority_origin=named.origin if named is not None else None,
        )
        return Route(priority=priority, local_queue=step, problem=QUEUE_MISSING)


def queue_name(labels: Mapping[str, str]) -> str:
    """Return the name of the queue in labels, or the default one."""
    return next((labels[key] for key in QUEUE_LABELS if labels.get(key)), DEFAULT_QUEUE)
