"""The places of a text that lints point to, looked up by the origins of a policy's objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from console.dialects.findings import Place
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode
from console.dialects.source import Source
from console.engine.model.origin import Origin

#: The parent of a node, and the node's key or index in it.
_Above: TypeAlias = "tuple[Node, str | int] | None"

_LINE = re.compile(r"[^\r\n]*")

#: The start of the text: the place of findings about objects that are not in it.
START = Place(0, 0)


class PlaceFinder:
    """
    Looks up places in one text.

    Every method gets the origin of an object and returns the place of a part of it. If the origin
    is unknown, or is not a node of the text, it returns the first line of the origin.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.positions.text
        self._above: dict[int, _Above] = {}
        self._by_span: dict[tuple[int, int], Node] = {}

    def head(self, origin: Origin | None) -> Place:
        """Return the first line of an object."""
        found = self._find(origin)
        if found is None:
            return self._first_line(origin)
        line = _LINE.match(self._text, found.start, found.end)
        end = line.end() if line else found.end
        return Place(
            found.start,
            found.start + len(self._text[found.start : end].rstrip()),
            self._path(found),
        )

    def whole(self, origin: Origin | None) -> Place:
        """Return the place of a whole object; use it for small ones."""
        found = self._find(origin)
        return self._place(found) if found is not None else self._first_line(origin)

    def name(self, origin: Origin | None, name: str) -> Place:
        """Return the value of the field ``name`` that equals *name*, else of any such field."""
        return self._field(origin, name, is_name=True)

    def last_name(self, origin: Origin | None, path: str) -> Place:
        """Return the value of the field ``name`` that is the last name of a path with dots."""
        return self.name(origin, path.rpartition(".")[2])

    def reference(self, origin: Origin | None, name: str) -> Place:
        """Return the value of a field other than ``name`` that equals *name*."""
        return self._field(origin, name, is_name=False)

    def key(self, origin: Origin | None, key: str) -> Place:
        """Return the place of the label *key* in an expression."""
        return self._field(origin, key, is_name=False)

    def entry(self, origin: Origin | None, key: str, value: str) -> tuple[Place, Place]:
        """Return key and value of the innermost field *key* of an object that is *value*."""
        found = self._find(origin)
        inner = None
        for mapping in _mappings(found) if isinstance(found, MapNode) else ():
            key_node, node = mapping.entries.get(key, (None, None))
            if key_node is not None and isinstance(node, ScalarNode) and node.text == value:
                place = self._place(node)
                inner = Place(key_node.start, key_node.end, place.path), place
        head = self.head(origin)
        return inner if inner is not None else (head, head)

    def item(self, origin: Origin | None, text: str) -> Place:
        """Return the item *text* of a list in an object."""
        found = self._find(origin)
        for node in _below(found) if found is not None else ():
            if isinstance(node, ListNode):
                for each in node.items:
                    if isinstance(each, ScalarNode) and each.text == text:
                        return self._place(each)
        return self.head(origin)

    def _field(self, origin: Origin | None, text: str, *, is_name: bool) -> Place:
        found = self._find(origin)
        if not isinstance(found, MapNode):
            return self.head(origin)
        candidates = [
            (key, value)
            for mapping in _mappings(found)
            for key, (_, value) in mapping.entries.items()
            if isinstance(value, ScalarNode) and value.text == text
        ]
        if not candidates:
            return self.head(origin)
        fitting = [value for key, value in candidates if (key == "name") is is_name]
        return self._place((fitting or [value for _, value in candidates])[0])

    def _first_line(self, origin: Origin | None) -> Place:
        if origin is None:
            return START
        start = self._source.positions.offset(origin.line, origin.column)
        line = _LINE.match(self._text, start)
        return Place(start, line.end() if line else start)

    def _place(self, node: Node) -> Place:
        return Place(node.start, node.end, self._path(node))

    def _find(self, origin: Origin | None) -> Node | None:
        """Return the node whose span is *origin*."""
        if origin is None:
            return None
        if not self._by_span:
            self._index()
        offset = self._source.positions.offset
        start = offset(origin.line, origin.column)
        return self._by_span.get((start, offset(origin.end_line, origin.end_column)))

    def _index(self) -> None:
        source = self._source
        roots = (*source.roots, *(root for _, root in source.embedded))
        waiting: list[tuple[Node, _Above]] = [(root, None) for root in roots]
        for node, above in waiting:
            if id(node) in self._above:
                # An alias reaches the node of its anchor again.
                continue
            self._above[id(node)] = above
            # If a collection and its only value have the same span, the outer one is used.
            self._by_span.setdefault((node.start, node.end), node)
            if isinstance(node, MapNode):
                waiting += [(value, (node, key)) for key, (_, value) in node.entries.items()]
            elif isinstance(node, ListNode):
                waiting += [(item, (node, index)) for index, item in enumerate(node.items)]

    def _path(self, node: Node) -> str:
        steps: list[str] = []
        at = self._above[id(node)]
        root = node
        while at is not None:
            root, step = at
            steps.append(f"[{step}]" if isinstance(step, int) else f".{step}")
            at = self._above[id(root)]
        steps.append(self._path_of_root(root))
        return "".join(reversed(steps)).removeprefix(".")

    def _path_of_root(self, root: Node) -> str:
        for path, each in self._source.embedded:
            if each is root:
                return path
        if len(self._source.roots) == 1:
            return ""
        index = next(i for i, each in enumerate(self._source.roots) if each is root)
        return f"[{index}]"


def _mappings(node: MapNode) -> Iterator[MapNode]:
    """Yield a mapping and the mappings nested in it as values, the outer ones first."""
    level = [node]
    while level:
        yield from level
        level = [
            value
            for mapping in level
            for _, value in mapping.entries.values()
            if isinstance(value, MapNode)
        ]


def _below(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, MapNode):
        for _, value in node.entries.values():
            yield from _below(value)
    elif isinstance(node, ListNode):
        for item in node.items:
            yield from _below(item)
