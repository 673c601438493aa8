"""The effective text: a policy with every default spelled out, in one form for all languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from console.engine.diff.plain import plain, plain_fields
from console.engine.diff.values import Limit, Noun, Plain
from console.engine.model.amounts import format_amount
from console.engine.model.policy import WEIGHT_ONE, LocalQueueRouting, Policy, ResourceGroup
from console.engine.recent_answers import Recent

#: Text that reads as itself without quotes.
_BARE = re.compile(r"[A-Za-z_][\w./@-]*")
#: Words that would read as something else than text.
_TAKEN = frozenset({"true", "false", "null", "yes", "no", "on", "off", "unlimited"})


class _Number(str):
    """A number as text, which needs no quotes."""

    __slots__ = ()


@Recent
def effective_text(policy: Policy) -> str:
    """
    Return all that *policy* says, object by object, in YAML that no reader has to accept.

    Rules count from 1. Equal policies give equal texts, whatever language they came from.
    The last few texts are remembered.
    """
    lines: list[str] = []
    for head, fields in _objects(policy):
        lines += [f"{head}:", *_block(fields, 1), ""]
    return "\n".join(lines)


def _objects(policy: Policy) -> Iterator[tuple[str, Mapping[str, Plain]]]:
    """Yield the head and the fields of every object."""
    yield "settings", {"discipline": policy.discipline, **plain_fields(policy.settings)}
    for name, flavor in policy.flavors.items():
        yield _head(Noun.FLAVOR, name), plain_fields(flavor, ("name",))
    for kind, nodes in ((Noun.COHORT, policy.cohorts), (Noun.QUEUE, policy.queues)):
        for name, node in nodes.items():
            fields = plain_fields(node, ("name", "groups", "fair_weight"))
            fields["fair_weight"] = _weight(node.fair_weight)
            fields["groups"] = [_group(group) for group in node.groups]
            yield _head(kind, name), fields
    for rule in policy.rules:
        yield f"rule {rule.index + 1}", plain_fields(rule, ("index",))
    if policy.local_routing is not None:
        yield from _routing(policy.local_routing)


def _routing(routing: LocalQueueRouting) -> Iterator[tuple[str, Mapping[str, Plain]]]:
    yield (
        "routing",
        {
            "default_local_queue": routing.default_local_queue,
            "queue_label": routing.queue_label,
            "priority_label": routing.priority_label,
        },
    )
    for (namespace, name), local_queue in routing.local_queues.items():
        fields = plain_fields(local_queue, ("namespace", "name"))
        yield _head(Noun.LOCAL_QUEUE, f"{namespace}/{name}"), fields
    for name, priority in routing.priority_classes.items():
        yield _head(Noun.PRIORITY_CLASS, name), plain_fields(priority, ("name",))
    for name, labels in routing.namespaces.items():
        yield _head(Noun.NAMESPACE, name), {"labels": plain(labels)}


def _head(noun: Noun, name: str) -> str:
    return f"{noun.value} {_scalar(name)}"


def _weight(billionths: int) -> _Number:
    whole, rest = divmod(billionths, WEIGHT_ONE)
    return _Number(f"{whole}.{rest:09d}".rstrip("0") if rest else whole)


def _group(group: ResourceGroup) -> dict[str, Plain]:
    flavors: list[Plain] = [
        {
            "name": entry.flavor,
            "quotas": {
                resource: {
                    limit.value: _Number(format_amount(getattr(quota, limit.value)))
                    for limit in Limit
                }
                for resource, quota in entry.quotas.items()
            },
        }
        for entry in group.flavors
    ]
    return {"resources": list(group.resources), "flavors": flavors}


def _block(value: Plain, depth: int) -> Iterator[str]:
    """Yield the lines of a mapping or a list."""
    indent = "  " * depth
    if isinstance(value, Mapping):
        for key, item in value.items():
            if _is_block(item):
                yield f"{indent}{_scalar(key)}:"
                yield from _block(item, depth + 1)
            else:
                yield f"{indent}{_scalar(key)}: {_inline(item)}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            if _is_block(item):
                first, *rest = _block(item, depth + 1)
                yield f"{indent}- {first.lstrip()}"
                yield from rest
            else:
                yield f"{indent}- {_inline(item)}"


def _is_block(value: Plain) -> bool:
    """Say whether *value* is more than what fits on a line."""
    if isinstance(value, Mapping):
        return bool(value)
    return isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value)


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_scalar, value))}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, _Number):
        return value
    if isinstance(value, str):
        is_bare = _BARE.fullmatch(value) and value.lower() not in _TAKEN
        return value if is_bare else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)
