"""
Traces as they are stored with decisions: plain JSON values, without what is empty.

The rules that were tried are not stored: they follow from the policy, and `routing.with_rules`
finds them again. `TRACE_VERSION` grows with every change of their shape, and the decoder keeps
reading older shapes.
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

TRACE_VERSION = 1


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """Return *trace* as plain JSON values, with its version; empty fields are left out."""
    return {"version": TRACE_VERSION, **_encode(trace)}


def trace_from_json(stored: Mapping[str, Any]) -> Trace:
    """
    Return the trace that `trace_to_json` wrote.

    Raises ValueError when the version is newer than this code.
    """
    version = stored.get("version")
    if version != TRACE_VERSION:
        raise ValueError(f"trace version {version} is not known; this code reads {TRACE_VERSION}")
    trace: Trace = _decode(Trace, stored)
    return trace


def _encode(value: Any) -> Any:
    return _encoder(type(value))(value)


def _find_encoder(kind: type[Any]) -> Callable[[Any], Any]:
    """Return what makes values of exactly this type JSON."""
    if issubclass(kind, str | int | NoneType):
        return _as_it_is
    if issubclass(kind, Origin):
        return _encode_origin
    if issubclass(kind, Unlimited):
        return encode_amount
    if issubclass(kind, tuple):
        return _encode_items
    if issubclass(kind, Mapping):
        return dict
    return _encode_fields


#: The same, remembered: a trace has some fifty values of few types.
_encoder: Any = cache(_find_encoder)


def _as_it_is(value: Any) -> Any:
    return value


def _encode_origin(value: Origin) -> list[int]:
    return [value.line, value.column, value.end_line, value.end_column]


def _encode_items(items: tuple[Any, ...]) -> list[Any]:
    return [_encoder(type(item))(item) for item in items]


def _encode_fields(value: Any) -> dict[str, Any]:
    encoded = {}
    kind: Any = type(value)
    for name, default in _fields_of(kind):
        item = getattr(value, name)
        if item is not default and item != default:
            encoded[name] = _encoder(type(item))(item)
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
    return _decode_fields(hint, stored) if is_dataclass(hint) else stored


def _decode_fields(kind: Any, stored: Any) -> Any:
    hints = _hints_of(kind)
    names = [name for name, _ in _fields_of(kind) if name in stored]
    return kind(**{name: _decode(hints[name], stored[name]) for name in names})
