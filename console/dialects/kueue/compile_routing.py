"""Compiles routing: namespaces, local queues, priority classes and selectors."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from console.dialects.findings import Place
from console.dialects.kueue.compile_parts import labels_of, name_of
from console.dialects.kueue.schema import (
    Document,
    ExpressionDoc,
    Labels,
    LocalQueueDoc,
    PriorityClassDoc,
    SelectorDoc,
)
from console.dialects.kueue.words import SelectorOperator, Stop
from console.dialects.written import Read, Written, value_of, written_items
from console.engine.model.origin import Origin
from console.engine.model.policy import StopPolicy
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting, PriorityClass

#: The label that every namespace has, with its name.
NAME_LABEL: Final = "kubernetes.io/metadata.name"

#: The LocalQueue of a namespace for workloads that name none: gate LocalQueueDefaulting, on
#: since 0.12 and no longer a gate since 0.17.
DEFAULT_LOCAL_QUEUE: Final = "default"

_STOPS: Final = {
    Stop.NONE: StopPolicy.NONE,
    Stop.HOLD: StopPolicy.HOLD,
    Stop.HOLD_AND_DRAIN: StopPolicy.HOLD_AND_DRAIN,
}
_OPERATORS: Final = {
    SelectorOperator.IN: Operator.IN,
    SelectorOperator.NOT_IN: Operator.NOT_IN,
    SelectorOperator.EXISTS: Operator.EXISTS,
    SelectorOperator.DOES_NOT_EXIST: Operator.DOES_NOT_EXIST,
}


def stop_of(stop: Read[Stop], *, is_deleted: bool) -> StopPolicy:
    """
    Return the stop policy of a queue.

    A queue that is being deleted admits nothing new, and its running workloads continue (Kueue,
    spec 2.4): its reason is Terminating, and its quota and usage count until it is deleted.
    """
    policy = _STOPS[value_of(stop) or Stop.NONE]
    return StopPolicy.HOLD if is_deleted and policy is StopPolicy.NONE else policy


class RoutingCompiler:
    """Compiles the routing of workloads to queues, from objects without errors."""

    def __init__(self, origin: Callable[[Place], Origin]) -> None:
        self._origin = origin

    def routing(self, document: Document) -> LocalQueueRouting:
        """Return the local queues, namespaces and priority classes."""
        # A namespace that is being deleted accepts no new objects, so its queues admit none.
        ending = {name_of(each.name) for each in document.namespaces if each.deleted}
        local_queues = [self._local_queue(queue, ending) for queue in document.local_queues]
        classes = [self._priority_class(each) for each in document.priority_classes]
        namespaces = {name_of(each.name): each.labels for each in document.namespaces}
        return LocalQueueRouting(
            local_queues={(queue.namespace, queue.name): queue for queue in local_queues},
            namespaces={
                name: {NAME_LABEL: name, **labels_of(labels)} for name, labels in namespaces.items()
            },
            priority_classes={each.name: each for each in classes},
            default_local_queue=DEFAULT_LOCAL_QUEUE,
        )

    def _local_queue(self, queue: LocalQueueDoc, ending: AbstractSet[str]) -> LocalQueue:
        return LocalQueue(
            namespace=name_of(queue.namespace),
            name=name_of(queue.name),
            queue=value_of(queue.queue) or "",
            stop=stop_of(queue.stop, is_deleted=name_of(queue.namespace) in ending),
            origin=self._origin(queue.place),
        )

    def _priority_class(self, each: PriorityClassDoc) -> PriorityClass:
        return PriorityClass(
            name=name_of(each.name),
            value=value_of(each.value) or 0,
            origin=self._origin(each.place),
        )

    def selector(self, read: Read[SelectorDoc]) -> Selector | None:
        """Return a selector of namespaces; None if there is none, which selects no namespace."""
        if not isinstance(read, Written):
            return None
        return Selector(
            (
                *self._match_labels(read.value.labels),
                *map(self._expression, read.value.expressions),
            ),
            self._origin(read.place),
        )

    def _match_labels(self, labels: Labels) -> list[MatchExpression]:
        if not isinstance(labels, Written):
            return []
        return [
            MatchExpression(
                key.value,
                Operator.IN,
                (value_of(value) or "",),
                # From the key to the value.
                self._origin(Place(key.place.start, max(key.place.end, _end(value)))),
            )
            for key, value in labels.value
        ]

    def _expression(self, expression: ExpressionDoc) -> MatchExpression:
        operator = value_of(expression.operator)
        assert operator is not None, expression
        values = tuple(value.value for value in written_items(expression.values))
        return MatchExpression(
            name_of(expression.key), _OPERATORS[operator], values, self._origin(expression.place)
        )


def _end(read: Read[str]) -> int:
    return read.place.end if isinstance(read, Written) else 0
