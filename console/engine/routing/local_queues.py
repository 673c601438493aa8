"""Local queues: from a namespace and two labels to a queue and an effective priority."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from console.engine.model.common_reasons import QUEUE_STOPPED
from console.engine.model.policy import LocalQueueRouting, PriorityClass, Queue, StopPolicy
from console.engine.model.reasons import Reason
from console.engine.model.trace import FailedExpression, LocalQueueStep, LocalQueueVerdict
from console.engine.routing.flavor_matching import first_false
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    PRIORITY_CLASS_MISSING,
)
from console.engine.wording.suggest import nearest as nearest_word

#: The label that every namespace has: its own name.
NAMESPACE_NAME = "kubernetes.io/metadata.name"

#: The priority class of a workload that names none and requests no priority.
DEFAULT_CLASS = "default"

#: Names on either side of an unknown one among which the intended name is searched: a worker
#: does this for every submission, whatever queue name it gives.
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
_IN_LINE = frozenset({LocalQueueVerdict.LEADS, LocalQueueVerdict.NAMESPACE_NOT_ALLOWED})


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRoute:
    """Where the local queue of a workload routes it."""

    step: LocalQueueStep
    #: None where it leads to no pending queue.
    queue: Queue | None
    #: None when the priority class is missing.
    priority: int | None
    problem: Reason | None
    #: The local queue is stopped and its running workloads are evicted too.
    drains: bool


def follow_local_queue(
    routing: LocalQueueRouting,
    queues: Mapping[str, Queue],
    *,
    labels: Mapping[str, str],
    namespace: str,
    requested: int | None,
) -> LocalRoute:
    """
    Follow the local queue of a workload in *namespace* (Kueue, spec 1.5, 1.6, 3.4).

    The local queue is the one that *labels* name, else the default of the namespace.
    Of several problems the most lasting one counts: the local queue or its
    queue is missing, then the priority class is, then the local queue is
    stopped. A workload of a stopped local queue enters no pending queue (spec 2.5),
    so whether its namespace is allowed is checked last.
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
        nearest = _nearest(name, (n for space, n in routing.local_queues if space == namespace))
    elif queue is None:
        verdict = LocalQueueVerdict.QUEUE_MISSING
        nearest = _nearest(local.queue, queues)
    elif class_name is not None and chosen is None:
        verdict = LocalQueueVerdict.PRIORITY_CLASS_MISSING
        nearest = _nearest(class_name, routing.priority_classes)
    elif local.stop is not StopPolicy.NONE:
        verdict = LocalQueueVerdict.STOPPED
    else:
        verdict, failed = _judge_namespace(queue, namespace_labels(routing, namespace))
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
        queue=queue if verdict in _IN_LINE else None,
        priority=_effective(class_name, chosen, requested),
        problem=_PROBLEMS.get(verdict),
        drains=local is not None and local.stop is StopPolicy.HOLD_AND_DRAIN,
    )


def local_queue_name(routing: LocalQueueRouting, labels: Mapping[str, str], namespace: str) -> str:
    """
    Return the name of a workload's local queue: by its label, else by default.

    Empty when it names none and *namespace* has no local queue of the default name. A blank
    label names none. A stopped default is used all the same, so that a workload that
    runs by default stops when its local queue is drained.
    """
    named = labels.get(routing.queue_label)
    default = routing.default_local_queue
    if named:
        return named
    return default if default and (namespace, default) in routing.local_queues else ""


def namespace_labels(routing: LocalQueueRouting, namespace: str) -> dict[str, str]:
    """Return the labels of *namespace*; every namespace has its own name as a label."""
    return {**routing.namespaces.get(namespace, {}), NAMESPACE_NAME: namespace}


def _judge_namespace(
    queue: Queue, labels: Mapping[str, str]
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


def _nearest(name: str, known: Iterable[str]) -> str | None:
    return _nearest_of(name, _neighbors(name, sorted(known)))


def _neighbors(name: str, known: list[str]) -> tuple[str, ...]:
    """Return the sorted neighbors of *name*, at most twice `MOST_NEIGHBORS`."""
    place = bisect_left(known, name)
    return tuple(known[max(0, place - MOST_NEIGHBORS) : place + MOST_NEIGHBORS])


@lru_cache(maxsize=256)
def _nearest_of(name: str, known: tuple[str, ...]) -> str | None:
    return nearest_word(name, known)
