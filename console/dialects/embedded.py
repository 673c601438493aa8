"""
YAML inside a scalar of another YAML document, such as a file in a ConfigMap.

Its nodes get offsets of the outer text, so that findings and fixes are placed there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import yaml

from console.dialects.findings import Findings, ReadingStopped
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode
from console.dialects.positions import Positions
from console.dialects.syntax import report_syntax_error
from console.dialects.tree import build_trees

#: The first line of a literal block; its text starts on the next line.
_LITERAL: Final = re.compile(r"\|[^\r\n]*(?:\r\n|\r|\n)")
#: Comments and empty lines, and the marker that starts a document.
_MARKER: Final = re.compile(r"((?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*[ \t]*)---(?=[ \t\r\n])")
#: A marker inside the text, which is valid only in the first column.
_ANY_MARKER: Final = re.compile(r"^(?:---|\.\.\.|%)", re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|[^\\]", re.DOTALL)

#: (start, end) in the embedded text -> (start, end) in the outer text.
_Move = Callable[[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Embedded:
    """The root of an embedded document."""

    root: Node
    #: Node -> its line in the embedded text, from 1, if the outer text does not have these lines.
    lines: Mapping[Node, int]


def read_embedded(scalar: ScalarNode, findings: Findings) -> Embedded | None:
    """
    Return the YAML document in *scalar*, or None if it cannot be parsed.

    In a literal block, every place is exact. In a double-quoted text on one line, as in JSON,
    places are exact and no fixes are offered. In any other text, every place is the whole scalar.
    """
    text, move, is_literal = _embedded(scalar, findings)
    first = findings.positions.span(move(0, 0)[0], move(0, 0)[0]).line if is_literal else 1
    inner = Findings(Positions(text, findings.positions.files, first_line=first))
    inner.suggestion_budget = findings.suggestion_budget
    roots: list[Node] = []
    try:
        roots = build_trees(inner)
    except yaml.MarkedYAMLError as error:
        report_syntax_error(inner, error)
    except ReadingStopped:
        pass
    findings.suggestion_budget = inner.suggestion_budget
    findings.take(inner, move, with_repairs=is_literal)
    if not roots:
        return None
    lines: dict[Node, int] = {}
    for node in _nodes(roots[0]):
        if not is_literal:
            lines[node] = inner.positions.span(node.start, node.start).line
        node.start, node.end = move(node.start, node.end)
    if not is_literal:
        findings.offer_no_repairs(scalar.start, scalar.end)
    return Embedded(roots[0], lines)


def _embedded(scalar: ScalarNode, findings: Findings) -> tuple[str, _Move, bool]:
    """Return the embedded text, the mapping of its offsets, and whether it is a literal block."""
    outer = findings.positions.text
    raw = outer[scalar.start : scalar.end]
    opening = _LITERAL.match(raw)
    if opening is not None:
        # The indented text is the same document, except for markers that need the first column.
        content = raw[opening.end() :]
        marker = _MARKER.match(content)
        if marker is not None:
            content = f"{marker[1]}   {content[marker.end() :]}"
        first = _MARKER.match(scalar.text)
        if not _ANY_MARKER.search(scalar.text, first.end() if first else 0):
            base = scalar.start + opening.end()
            return content, lambda start, end: (start + base, end + base), True
    offsets = _escaped(raw, scalar) if raw[:1] == '"' else None
    if offsets is not None:
        return scalar.text, lambda start, end: (offsets[start], offsets[end]), False
    return scalar.text, lambda start, end: (scalar.start, scalar.end), False


def _escaped(raw: str, scalar: ScalarNode) -> list[int] | None:
    """Return the outer offset of every character of a double-quoted text on one line, else None."""
    if "\n" in raw or "\r" in raw:
        return None
    offsets = [scalar.start + 1 + found.start() for found in _ESCAPE.finditer(raw[1:-1])]
    offsets.append(scalar.end - 1)
    # A pair of escapes can encode one character; then the offsets are unknown.
    return offsets if len(offsets) == len(scalar.text) + 1 else None


def _nodes(root: Node) -> Iterator[Node]:
    """Yield all nodes, each once even if aliases repeat it."""
    seen: set[int] = set()
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, ListNode):
            waiting += node.items
        elif isinstance(node, MapNode):
            waiting += node.repeated
            for key, value in node.entries.values():
                waiting += (key, value)
