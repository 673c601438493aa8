"""
Stored form of traces: conversion to and from plain JSON values, without empty fields.

The rules that were tried are not stored: they follow from the policy, and `with_rules` of
`console.engine.routing.rule_routing` restores them. There are two versions:

1. has the fields of the section of quota next to those of the trace. Traces that have only
   this section are written in this version, which older processes read too.
2. has every section in `sections`, by its code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from console.engine.model.amounts import Amount, Unlimited, decode_amount, encode_amount
from console.engine.model.origin import Origin
from console.engine.model.reasons import Reason, reason_of
from console.engine.model.trace import Trace
from console.engine.model.trace_sections import (
    TraceSection,
    UnreadSection,
    section_kind,
    version_1_section,
)

#: The latest version; it increases with every change of the format.
TRACE_VERSION = 2


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """Return *trace* as plain JSON values, with its version, without empty fields."""
    sections = tuple(trace.sections.items())
    is_version_1 = len(sections) == 1 and sections[0][1].in_version_1
    encoded: dict[str, Any] = {"version": 1 if is_version_1 else TRACE_VERSION}
    for name, default in _fields_of(Trace):
        item = getattr(trace, name)
        if item is default or item == default:
            continue
        if name != "sections":
            encoded[name] = _encode(item)
        elif is_version_1:
            encoded |= _encode_fields(sections[0][1])
        else:
            encoded[name] = {code: _encode_section(section) for code, section in sections}
    return encoded


def trace_from_json(stored: Mapping[str, Any]) -> Trace:
    """
    Return the trace that `trace_to_json` wrote.

    Sections that are not registered stay unread. Raises ValueError when the version is
    unknown.
    """
    version = stored.get("version")
    sections: dict[str, TraceSection]
    if version == 1:
        code, kind = version_1_section()
        sections = {code: kind(**_decoded_fields(kind, stored))}
    elif version == TRACE_VERSION:
        written = stored.get("sections", {})
        sections = {code: _decode_section(code, section) for code, section in written.items()}
    else:
        raise ValueError(f"trace version {version} is not known; this code reads 1 and 2")
    return Trace(**{**_decoded_fields(Trace, stored), "sections": sections})


def _encode(value: Any) -> Any:
    encoder = _encoder(type(value))
    return value if encoder is None else encoder(value)


def _encode_section(section: TraceSection) -> dict[str, Any]:
    if isinstance(section, UnreadSection):
        return dict(section.stored)
    return _encode_fields(section)


def _decode_section(code: str, stored: Mapping[str, Any]) -> TraceSection:
    kind = section_kind(code)
    if kind is None:
        return UnreadSection(stored)
    return kind(**_decoded_fields(kind, stored))


def _find_encoder(kind: type[Any]) -> Callable[[Any], Any] | None:
    """Return the function that encodes values of exactly this type; None: they are JSON already."""
    if issubclass(kind, str | int | NoneType):
        return None
    if issubclass(kind, Origin):
        return _encode_origin
    if issubclass(kind, Unlimited):
        return encode_amount
    if issubclass(kind, tuple):
        return _encode_items
    if issubclass(kind, Mapping):
        return dict
    return _encode_fields


#: `_find_encoder` with a cache: a trace has about fifty values of a few types.
_encoder: Any = cache(_find_encoder)


def _encode_origin(value: Origin) -> list[int]:
    return [value.line, value.column, value.end_line, value.end_column]


def _encode_items(items: tuple[Any, ...]) -> list[Any]:
    return [_encode(item) for item in items]


def _encode_fields(value: Any) -> dict[str, Any]:
    encoded = {}
    kind: Any = type(value)
    for name, default in _fields_of(kind):
        item = getattr(value, name)
        if item is not default and item != default:
            # Without a call of `_encode`, because most fields are JSON already.
            encoder = _encoder(type(item))
            encoded[name] = item if encoder is None else encoder(item)
    return encoded


@cache
def _fields_of(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (each.name, each.default if each.default_factory is MISSING else each.default_factory())
        for each in fields(kind)
    )


@cache
def _hints_of(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _decode(hint: Any, stored: Any) -> Any:
    if hint is Origin:
        return Origin(*stored)
    if hint == Amount:
        return decode_amount(stored)
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        return None if stored is None else _decode(inner[0], stored)
    if origin is tuple:
        return tuple(_decode(get_args(hint)[0], item) for item in stored)
    if origin is not None:
        return dict(stored)
    if hint is Reason:
        return reason_of(stored)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(stored)
    if isinstance(hint, type) and is_dataclass(hint):
        return hint(**_decoded_fields(hint, stored))
    return stored


def _decoded_fields(kind: Any, stored: Any) -> dict[str, Any]:
    hints = _hints_of(kind)
    names = [name for name, _ in _fields_of(kind) if name in stored]
    return {name: _decode(hints[name], stored[name]) for name in names}
