"""Checks between the fields of a native document."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.codes import DUPLICATE_NAME
from console.dialects.expression_values import Operators, check_values
from console.dialects.findings import Findings
from console.dialects.native.codes import (
    PRIORITY_ORDER,
    UNKNOWN_QUEUE,
    VALUES_MISSING,
    VALUES_NOT_ALLOWED,
)
from console.dialects.native.queue_checks import check_queue
from console.dialects.native.references import DefinedNames
from console.dialects.native.schema import Document, ExpressionDoc, PriorityDoc
from console.dialects.repairs import replace
from console.dialects.repeated import note_repeated
from console.dialects.written import Read, Written
from console.engine.model.selectors import Operator

_OPERATORS = Operators(
    is_in=Operator.IN,
    not_in=Operator.NOT_IN,
    exists=Operator.EXISTS,
    does_not_exist=Operator.DOES_NOT_EXIST,
    missing=VALUES_MISSING,
    not_allowed=VALUES_NOT_ALLOWED,
)


def check(document: Document, findings: Findings) -> None:
    """Report errors between the fields of *document*."""
    flavors = DefinedNames(
        "Flavor",
        "resource_flavors",
        _first_of_each("Flavor", [flavor.name for flavor in document.flavors], findings),
        document.all_flavors_known,
    )
    queues = DefinedNames(
        "Queue",
        "resource_queues",
        _first_of_each("Queue", [queue.name for queue in document.queues], findings),
        document.all_queues_known,
    )
    for expression in _expressions(document):
        check_values(expression.operator, expression.values, _OPERATORS, findings)
    for queue in document.queues:
        check_queue(queue, flavors, findings)
    for rule in document.rules:
        queues.check(rule.resource_queue, UNKNOWN_QUEUE, findings)
        if rule.priority_policy is not None:
            _check_priority(rule.priority_policy, findings)


def _first_of_each(
    what: str, names: list[Read[str]], findings: Findings
) -> dict[str, Written[str]]:
    written = [name for name in names if isinstance(name, Written)]
    return note_repeated(findings, DUPLICATE_NAME, written, what)


def _expressions(document: Document) -> Iterator[ExpressionDoc]:
    selectors = [
        *(flavor.selector for flavor in document.flavors),
        *(rule.selector for rule in document.rules),
    ]
    for selector in selectors:
        if isinstance(selector, Written):
            yield from selector.value


def _check_priority(policy: PriorityDoc, findings: Findings) -> None:
    low, high, default = policy.minimum, policy.maximum, policy.default
    hint = "Write min <= default <= max."
    if isinstance(low, Written) and isinstance(high, Written) and low.value > high.value:
        message = f"min {low.value} is above max {high.value}."
        findings.add(PRIORITY_ORDER, low.place, message, hint)
    elif isinstance(default, Written):
        if isinstance(low, Written) and default.value < low.value:
            message = f"default {default.value} is below min {low.value}."
            repairs = (replace(default.place, str(low.value), number=True),)
            findings.add(PRIORITY_ORDER, default.place, message, hint, repairs)
        elif isinstance(high, Written) and default.value > high.value:
            message = f"default {default.value} is above max {high.value}."
            repairs = (replace(default.place, str(high.value), number=True),)
            findings.add(PRIORITY_ORDER, default.place, message, hint, repairs)
