"""Writes the effective text of a policy: all values with defaults, the same for all languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from console.engine.diff.objects import Number, PolicyObject, PolicyObjects, Role
from console.engine.diff.values import Plain

#: Text that needs no quotes.
_BARE = re.compile(r"[A-Za-z_][\w./@-]*")
#: Words that need quotes, because YAML would not read them as text.
_TAKEN = frozenset({"true", "false", "null", "yes", "no", "on", "off", "unlimited"})


def write_effective(objects: PolicyObjects) -> str:
    """
    Return *objects* one by one in YAML, which is not a config that a dialect accepts.

    Ordered objects are numbered from 1. Equal policies have equal texts, whatever their
    language.
    """
    lines: list[str] = []
    for item in objects:
        lines += [f"{_head(item)}:", *_block(_fields(item), 1), ""]
    return "\n".join(lines)


def _head(item: PolicyObject) -> str:
    if item.kind.role is Role.WHOLE:
        return item.kind.name
    key = item.place + 1 if item.kind.role is Role.ORDERED else _scalar(item.key)
    return f"{item.kind.name} {key}"


def _fields(item: PolicyObject) -> dict[str, Plain]:
    """Return the facts of an object, simple values first."""
    facts = [
        (name, fact)
        for name, fact in item.kind.facts.items()
        if fact.is_effective and name in item.facts
    ]
    facts.sort(key=lambda pair: pair[1].form.rank)
    return {name: fact.form.effective(item.facts[name]) for name, fact in facts}


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
    """Return whether *value* needs several lines."""
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
    if isinstance(value, Number):
        return value
    if isinstance(value, str):
        is_bare = _BARE.fullmatch(value) and value.lower() not in _TAKEN
        return value if is_bare else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)
