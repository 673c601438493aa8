"""Validation of submitted pod sets and requests (Kueue, spec 1.7 and 1.8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from console.engine.model.amounts import SCALE, format_amount
from console.engine.model.nodes import (
    NAME_FIELD,
    NodeExpression,
    NodeOperator,
    NodeTerm,
    TaintEffect,
    Toleration,
)
from console.engine.model.workload import PodSet, total_of
from console.reading import Reader, join

#: Maximum number of pod sets of one workload.
MOST_POD_SETS: Final = 18

#: Maximum number of pods of one pod set.
MOST_PODS: Final = 2**31 - 1

#: Maximum number of resources in the request of one pod.
MOST_RESOURCES: Final = 20

#: Maximum total over all pods of a workload, in thousandths; Kueue does not count beyond it.
LARGEST_TOTAL: Final = (2**63 - 2) * SCALE

#: Maximum number of characters of a label key with its prefix, of a label value, and of a name.
LONGEST_KEY: Final = 317
LONGEST_VALUE: Final = 63
LONGEST_NAME: Final = 63

#: Maximum number of entries of a node selector or of values; and of terms, expressions and
#: tolerations.
MOST_ENTRIES: Final = 100
MOST_WISHES: Final = 50

LONGEST_NODE_NAME: Final = 253

TOLERATION_OPERATORS: Final = ("Equal", "Exists")

#: The operators of conditions on the name of a node (Kubernetes).
FIELD_OPERATORS: Final = ("In", "NotIn")

FIELDS: Final = (
    "name",
    "count",
    "min_count",
    "requests",
    "node_selector",
    "affinity",
    "tolerations",
    "group",
)

#: Counted automatically for every pod, so it cannot be requested (Kueue).
_PODS = "pods"

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


def read_pod_sets(reader: Reader, value: Any, path: str) -> tuple[PodSet, ...]:
    """Return the pod sets of one workload from the list *value*."""
    items = reader.items(value, path, 1, MOST_POD_SETS)
    before = len(reader.errors)
    pod_sets = tuple(_pod_set(reader, item, f"{path}[{i}]") for i, item in enumerate(items))
    if len(reader.errors) == before:
        _check_together(reader, pod_sets, path)
    return pod_sets


def read_requests(reader: Reader, value: Any, path: str, *, texts: bool) -> dict[str, int]:
    """Return amounts by resource; *texts* allows quantities such as ``64Gi``."""
    requests = {}
    for resource, amount in reader.entries(value, path, MOST_RESOURCES, LONGEST_KEY):
        place = join(path, resource)
        if resource == _PODS:
            message = "Pods are counted automatically; omit this."
            reader.refuse(place, "reserved_resource", message)
        elif texts:
            requests[resource] = reader.quantity(amount, place, resource)
        elif isinstance(amount, str):
            message = "This has to be a number; a quantity such as 64Gi goes into pod_sets."
            reader.refuse(place, "wrong_type", message)
        else:
            requests[resource] = reader.amount(amount, place)
    return requests


def _check_together(reader: Reader, pod_sets: Sequence[PodSet], path: str) -> None:
    names: set[str] = set()
    for i, pod_set in enumerate(pod_sets):
        if pod_set.name in names:
            message = f"Another pod set is called {pod_set.name}; give each its own name."
            reader.refuse(f"{path}[{i}].name", "repeated_name", message)
        names.add(pod_set.name)
    for resource, total in total_of(pod_sets).items():
        if total > LARGEST_TOTAL:
            message = (
                f"All pods together request {format_amount(total)} {resource}; "
                f"at most {format_amount(LARGEST_TOTAL)} can be counted."
            )
            reader.refuse(path, "out_of_range", message)


def _pod_set(reader: Reader, value: Any, path: str) -> PodSet:
    get = reader.mapping(value, path, FIELDS).get
    count, min_count = _counts(reader, get("count"), get("min_count"), path)
    return PodSet(
        name=_name(reader, get("name"), f"{path}.name"),
        count=count,
        min_count=min_count,
        requests=read_requests(reader, get("requests"), f"{path}.requests", texts=True),
        node_selector=_node_selector(reader, get("node_selector"), f"{path}.node_selector"),
        affinity=tuple(
            _term(reader, item, place)
            for item, place in _list(reader, get("affinity"), f"{path}.affinity")
        ),
        tolerations=tuple(
            _toleration(reader, item, place)
            for item, place in _list(reader, get("tolerations"), f"{path}.tolerations")
        ),
        group=reader.optional_text(get("group"), f"{path}.group", LONGEST_NAME),
    )


def _name(reader: Reader, value: Any, path: str) -> str:
    if value is None:
        return PodSet().name
    name = reader.text(value, path, LONGEST_NAME, blank=False)
    if name and not _NAME.fullmatch(name):
        message = "A name has lowercase letters, digits and dashes, and no dash at either end."
        reader.refuse(path, "invalid_name", message)
    return name


def _counts(reader: Reader, count: Any, min_count: Any, path: str) -> tuple[int, int | None]:
    before = len(reader.errors)
    pods = 1 if count is None else reader.integer(count, f"{path}.count", 0, MOST_PODS)
    if min_count is None or len(reader.errors) > before:
        return pods, None
    if pods == 0:
        message = "A pod set without pods has no smaller count; omit this."
        reader.refuse(f"{path}.min_count", "out_of_range", message)
        return pods, None
    return pods, reader.integer(min_count, f"{path}.min_count", 1, pods)


def _node_selector(reader: Reader, value: Any, path: str) -> dict[str, str]:
    return {
        key: _label_value(reader, wanted, join(path, key))
        for key, wanted in reader.entries(value, path, MOST_ENTRIES, LONGEST_KEY)
    }


def _label_value(reader: Reader, value: Any, path: str) -> str:
    if value is None:
        reader.refuse(path, "wrong_type", "This has to be a string, not null.")
    return reader.text(value, path, LONGEST_VALUE)


def _term(reader: Reader, value: Any, path: str) -> NodeTerm:
    labels, names = "matchExpressions", "matchFields"
    fields = reader.mapping(value, path, (labels, names))
    if not fields.get(labels) and not fields.get(names):
        # A term without any expression matches no node in Kubernetes.
        message = f"At least one expression is required here or in {names}."
        reader.refuse(f"{path}.{labels}", "required", message)
        return ()
    return (
        *(
            _expression(reader, item, place)
            for item, place in _list(reader, fields.get(labels), f"{path}.{labels}")
        ),
        *(
            _field(reader, item, place)
            for item, place in _list(reader, fields.get(names), f"{path}.{names}")
        ),
    )


def _expression(reader: Reader, value: Any, path: str) -> NodeExpression:
    required = ("key", "operator")
    fields = reader.mapping(value, path, (*required, "values"), required)
    if not fields.keys() >= set(required):
        return NodeExpression("", NodeOperator.EXISTS)
    key = reader.text(fields["key"], f"{path}.key", LONGEST_KEY, blank=False)
    before = len(reader.errors)
    choices = [each.value for each in NodeOperator]
    operator = NodeOperator(reader.choice(fields["operator"], f"{path}.operator", choices))
    values = tuple(
        _label_value(reader, item, place)
        for item, place in _list(reader, fields.get("values"), f"{path}.values", MOST_ENTRIES)
    )
    if len(reader.errors) == before:
        _check_values(reader, operator, values, f"{path}.values")
    return NodeExpression(key, operator, values)


def _field(reader: Reader, value: Any, path: str) -> NodeExpression:
    required = ("key", "operator", "values")
    fields = reader.mapping(value, path, required, required)
    if not fields.keys() >= set(required):
        return NodeExpression("", NodeOperator.EXISTS)
    key = reader.choice(fields["key"], f"{path}.key", [NAME_FIELD])
    operator = NodeOperator(reader.choice(fields["operator"], f"{path}.operator", FIELD_OPERATORS))
    names = tuple(
        reader.text(item, f"{path}.values[{i}]", LONGEST_NODE_NAME, blank=False)
        for i, item in enumerate(reader.items(fields["values"], f"{path}.values", 1, 1))
    )
    return NodeExpression(key, operator, names, is_field=True)


def _check_values(
    reader: Reader, operator: NodeOperator, values: tuple[str, ...], path: str
) -> None:
    match operator:
        case NodeOperator.IN | NodeOperator.NOT_IN:
            if not values:
                reader.refuse(path, "required", f"{operator} needs at least one value.")
        case NodeOperator.EXISTS | NodeOperator.DOES_NOT_EXIST:
            if values:
                message = f"{operator} checks only the label; omit the values."
                reader.refuse(path, "conflicting_fields", message)
        case NodeOperator.GT | NodeOperator.LT:
            if len(values) != 1 or not _INTEGER.fullmatch(values[0]):
                message = f"{operator} needs one whole number, as a string."
                reader.refuse(path, "wrong_length", message)


def _toleration(reader: Reader, value: Any, path: str) -> Toleration:
    get = reader.mapping(value, path, ("key", "operator", "value", "effect")).get
    before = len(reader.errors)
    found = Toleration(
        key=reader.text(get("key"), f"{path}.key", LONGEST_KEY),
        operator=_one_of(reader, get("operator"), f"{path}.operator", TOLERATION_OPERATORS),
        value=reader.text(get("value"), f"{path}.value", LONGEST_VALUE),
        effect=_one_of(
            reader, get("effect"), f"{path}.effect", ("", *(each.value for each in TaintEffect))
        ),
    )
    if len(reader.errors) == before and found.operator == "Exists" and found.value:
        message = "Exists tolerates every value; omit this."
        reader.refuse(f"{path}.value", "conflicting_fields", message)
    elif len(reader.errors) == before and found.operator != "Exists" and not found.key:
        message = "Without a key, every taint is tolerated; the operator has to be Exists."
        reader.refuse(f"{path}.operator", "conflicting_fields", message)
    return found


def _one_of(reader: Reader, value: Any, path: str, choices: Sequence[str]) -> str:
    """Return one of *choices*; null selects the first one."""
    return choices[0] if value is None else reader.choice(value, path, choices)


def _list(reader: Reader, value: Any, path: str, most: int = MOST_WISHES) -> list[tuple[Any, str]]:
    """Return the items of an optional list, each with its path."""
    items = () if value is None else reader.items(value, path, 0, most)
    return [(item, f"{path}[{i}]") for i, item in enumerate(items)]
