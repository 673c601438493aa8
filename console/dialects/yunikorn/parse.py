"""Values of a config to the document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from console.dialects.written import Written
from console.dialects.yunikorn.decode import Values
from console.dialects.yunikorn.schema import (
    FilterDoc,
    LimitDoc,
    PartitionDoc,
    QueueDoc,
    RuleDoc,
    TemplateDoc,
    Texts,
)


def partitions_of(config: Values) -> tuple[PartitionDoc, ...]:
    """Return the partitions of a config."""
    return tuple(map(_partition, _items(config, "partitions") or ()))


def _partition(values: Values) -> PartitionDoc:
    queues = _items(values, "queues")
    return PartitionDoc(
        values=values,
        name=_text(values, "name"),
        queues=None if queues is None else tuple(map(_queue, queues)),
        rules=tuple(map(_rule, _items(values, "placementrules") or ())),
        limits=_limits(values),
    )


def _queue(values: Values) -> QueueDoc:
    guaranteed, maximum = _resources(values)
    template = values.get("childtemplate")
    return QueueDoc(
        values=values,
        name=_text(values, "name"),
        parent=values.get("parent"),
        guaranteed=guaranteed,
        maximum=maximum,
        applications=values.get("maxapplications"),
        properties=values.get("properties"),
        admin=values.get("adminacl"),
        submit=values.get("submitacl"),
        template=None if template is None else _template(template.value),
        limits=_limits(values),
        queues=tuple(map(_queue, _items(values, "queues") or ())),
    )


def _template(values: Values) -> TemplateDoc:
    guaranteed, maximum = _resources(values)
    return TemplateDoc(
        values=values,
        applications=values.get("maxapplications"),
        properties=values.get("properties"),
        guaranteed=guaranteed,
        maximum=maximum,
    )


def _resources(values: Values) -> tuple[Written[Texts] | None, Written[Texts] | None]:
    found = values.get("resources")
    if found is None:
        return None, None
    return found.value.get("guaranteed"), found.value.get("max")


def _limits(values: Values) -> tuple[LimitDoc, ...]:
    return tuple(map(_limit, _items(values, "limits") or ()))


def _limit(values: Values) -> LimitDoc:
    return LimitDoc(
        values=values,
        description=_text(values, "limit"),
        users=_texts(values, "users"),
        groups=_texts(values, "groups"),
        resources=values.get("maxresources"),
        applications=values.get("maxapplications"),
    )


def _rule(values: Values) -> RuleDoc:
    own, parent = values.get("filter"), values.get("parent")
    create = values.get("create")
    return RuleDoc(
        values=values,
        name=_text(values, "name"),
        creates=create is not None and create.value,
        filter=None if own is None else _filter(own.value),
        parent=None if parent is None else _rule(parent.value),
        value=values.get("value"),
    )


def _filter(values: Values) -> FilterDoc:
    return FilterDoc(
        values=values,
        kind=values.get("type"),
        users=_texts(values, "users") or (),
        groups=_texts(values, "groups") or (),
    )


def _text(values: Values, key: str) -> str:
    found = values.get(key)
    return found.value if found is not None else ""


def _texts(values: Values, key: str) -> tuple[Written[str], ...] | None:
    found = values.get(key)
    return None if found is None else found.value


def _items(values: Values, key: str) -> Iterable[Any] | None:
    """Return the values in a list; None if it is absent."""
    found = values.get(key)
    return None if found is None else (item.value for item in found.value)
