"""A parser of YAML or JSON text into the value that JSON would have, with positions by path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode
from console.dialects.positions import Positions
from console.dialects.source import read_source
from console.engine.model.origin import Origin
from console.reading.fields import join

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,39})", re.ASCII)
_NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,39})(?:\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,3})?", re.ASCII
)
_WORDS = {"true": True, "false": False}

#: Characters of all places that are remembered: below a name of thousands, each has as many.
_MAX_PATH_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True)
class Typed:
    """
    The result of parsing a text.

    *value* has numbers as int and Decimal, and strings for scalars that JSON does not have,
    such as ``500m``. It is None if there are *findings*.
    """

    value: Any
    #: The errors of the text.
    findings: tuple[Diagnostic, ...]
    _spans: dict[str, Origin]

    @property
    def problems(self) -> tuple[str, ...]:
        """The messages of the errors, each with its line."""
        return tuple(f"Line {found.span.line}: {found.message}" for found in self.findings)

    def line_of(self, path: str) -> int:
        """Return the line of the value at *path*, or of the nearest value that contains it."""
        return self.span_of(path).line

    def span_of(self, path: str) -> Origin:
        """Return the span of the value at *path*, or of the nearest value that contains it."""
        while path not in self._spans:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self._spans[path]


def read_typed(text: str | bytes, path: str) -> Typed:
    """Parse *text* as the value at *path*."""
    source = read_source(text)
    errors = tuple(
        found for found in source.findings.diagnostics() if found.severity is Severity.ERROR
    )
    spans = {"": Origin(1, 1, 1, 1)}
    if errors or source.root is None:
        return Typed(None, errors, spans)
    remaining = _MAX_PATH_CHARACTERS
    for place, node in _walk(source.root, path):
        remaining -= len(place)
        if remaining < 0:
            break
        spans[place] = _span(source.positions, node)
    return Typed(_value(source.root), (), spans)


def _span(positions: Positions, node: Node) -> Origin:
    """Return the span of a node; for a list or mapping, only its start."""
    end = node.end if isinstance(node, ScalarNode) else node.start
    return positions.span(node.start, end)


def _walk(node: Node, path: str) -> Iterator[tuple[str, Node]]:
    yield path, node
    if isinstance(node, ListNode):
        for i, item in enumerate(node.items):
            yield from _walk(item, f"{path}[{i}]")
    elif isinstance(node, MapNode):
        for name, (key, value) in node.entries.items():
            yield from _walk(value, join(path, name))
            # The position of a field is that of its name.
            yield join(path, name), key


def _value(node: Node) -> Any:
    match node:
        case ListNode():
            return [_value(item) for item in node.items]
        case MapNode():
            return {name: _value(value) for name, (_, value) in node.entries.items()}
        case ScalarNode():
            return _scalar(node)
        case _:
            return None


def _scalar(node: ScalarNode) -> Any:
    if node.is_null:
        return None
    if not node.plain:
        return node.text
    if _WHOLE.fullmatch(node.text):
        return int(node.text)
    if _NUMBER.fullmatch(node.text):
        return Decimal(node.text)
    return _WORDS.get(node.text, node.text)
