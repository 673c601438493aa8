"""The tree builder: YAML events to nodes, within limits on depth and number."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Protocol

import yaml

from console.dialects.codes import (
    CONTROL_CHARACTER,
    DUPLICATE_KEY,
    KEY_NOT_TEXT,
    MERGE,
    RECURSIVE_ALIAS,
    SECOND_DOCUMENT,
    TAG,
    TOO_DEEP,
    TOO_MANY_VALUES,
    UNKNOWN_ALIAS,
    Code,
)
from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode

MAX_DEPTH: Final = 64
MAX_NODES: Final = 300_000
#: An anchor and a tag, in either order, in front of a value.
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+|(?=[\r\n])|$))+")
_TAG = re.compile(r"!\S*[ \t]*")


class _Mark(Protocol):
    """What libyaml's marks and PyYAML's own have in common."""

    index: int


@dataclass(slots=True)
class _Frame:
    """A list or mapping whose end was not seen yet."""

    node: ListNode | MapNode
    anchor: str | None
    flow: bool
    #: How many nodes were there before this one.
    count: int
    #: How many levels the values seen so far have.
    height: int = 0
    key: Node | None = None
    #: Keys that a merge brought in, which a key written here overrides.
    merged: set[str] = field(default_factory=set)


class TreeBuilder:
    """
    Takes YAML events one by one and builds the root node.

    An alias stands for the very node of its anchor. Every use of an alias
    counts as many nodes as the anchor holds, so aliases of aliases reach the
    limit as soon as writing them out would.
    """

    def __init__(self, findings: Findings) -> None:
        self.root: Node | None = None
        self._findings = findings
        self._text = findings.positions.text
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Node, int, int]] = {}
        self._count = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> bool:
        """Take the next event; False means that reading has to stop."""
        start: int = _index(event.start_mark)
        if isinstance(event, yaml.ScalarEvent):
            return self._take_scalar(event, start)
        if isinstance(event, yaml.MappingStartEvent):
            return self._open(MapNode(start, start), event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._open(ListNode(start, start), event)
        if isinstance(event, yaml.CollectionEndEvent):
            return self._close(_index(event.end_mark))
        if isinstance(event, yaml.AliasEvent):
            return self._take_alias(event, start)
        if isinstance(event, yaml.DocumentStartEvent):
            return self._open_document(event, start)
        if isinstance(event, yaml.StreamEndEvent) and not self._documents:
            self.root = ScalarNode(0, 0, "", True)
        return True

    def _open_document(self, event: yaml.DocumentStartEvent, start: int) -> bool:
        self._documents += 1
        if self._documents == 1:
            return True
        # Without `---` the mark stands where the text goes on after `...`.
        end = _index(event.end_mark) if event.explicit else start
        self._findings.add(
            SECOND_DOCUMENT,
            Place(start, end),
            "A second document begins here; a config is one document.",
            "Remove this line, or what follows it.",
        )
        return False

    def _take_scalar(self, event: yaml.ScalarEvent, start: int) -> bool:
        end: int = _index(event.end_mark)
        if event.anchor or event.tag:
            start = self._skip_properties(start, end)
        if event.style in ("|", ">"):
            end = start + len(self._text[start:end].rstrip())
        node: Node = ScalarNode(start, end, event.value, not event.style)
        if event.tag:
            self._report_tag(event)
            node = UnreadNode(start, end)
        elif "\0" in event.value:
            # Only an escape can bring it in, and no database takes it as text.
            message = "The character U+0000 cannot be part of a text."
            self._findings.add(CONTROL_CHARACTER, Place(start, end), message, "Remove it.")
            node = UnreadNode(start, end)
        return self._count_up(1, start) and self._add(node, event.anchor, 1, 0)

    def _open(
        self, node: ListNode | MapNode, event: yaml.MappingStartEvent | yaml.SequenceStartEvent
    ) -> bool:
        if event.anchor or event.tag:
            node.start = self._skip_properties(node.start, _index(event.end_mark))
        if event.tag:
            self._report_tag(event)
        if len(self._stack) >= MAX_DEPTH:
            return self._stop_too_deep(node.start)
        flow = bool(event.flow_style)
        self._stack.append(_Frame(node, event.anchor, flow, self._count))
        return self._count_up(1, node.start)

    def _close(self, end: int) -> bool:
        frame = self._stack.pop()
        node = frame.node
        if frame.flow:
            node.end = end
        # A block ends with its last value: libyaml's own mark stands behind the
        # blank lines and comments that follow it.
        node.end = max(node.end, node.start)
        return self._add(node, frame.anchor, self._count - frame.count, frame.height + 1)

    def _take_alias(self, event: yaml.AliasEvent, start: int) -> bool:
        end: int = _index(event.end_mark)
        name = event.anchor
        if name in self._anchors:
            node, weight, height = self._anchors[name]
            if len(self._stack) + height > MAX_DEPTH:
                return self._stop_too_deep(start)
            return self._count_up(weight, start) and self._add(node, None, weight, height, end)
        if any(frame.anchor == name for frame in self._stack):
            self._findings.add(
                RECURSIVE_ALIAS,
                Place(start, end),
                f"*{name} stands inside the value of &{name}.",
            )
        else:
            self._findings.add(
                UNKNOWN_ALIAS,
                Place(start, end),
                f"*{name} repeats an anchor that is not defined above it.",
                f"Mark a value above with &{name}, or quote the text.",
                (Repair("Quote it", (Edit(start, end, f'"*{name}"'),)),),
            )
        return self._count_up(1, start) and self._add(UnreadNode(start, end), None, 1, 0)

    def _add(
        self, node: Node, anchor: str | None, weight: int, height: int, end: int | None = None
    ) -> bool:
        """Put a finished node where it belongs; *end* is where it ends in its parent."""
        if anchor:
            self._anchors[anchor] = (node, weight, height)
        if not self._stack:
            self.root = node
            return True
        frame = self._stack[-1]
        frame.height = max(frame.height, height)
        frame.node.end = max(frame.node.end, node.end if end is None else end)
        if isinstance(frame.node, ListNode):
            frame.node.items.append(node)
        elif frame.key is None:
            frame.key = node
        else:
            self._add_entry(frame, frame.node, frame.key, node)
            frame.key = None
        return True

    def _add_entry(self, frame: _Frame, mapping: MapNode, key: Node, value: Node) -> None:
        if isinstance(key, UnreadNode):
            return
        if not isinstance(key, ScalarNode):
            self._findings.add(
                KEY_NOT_TEXT,
                Place(key.start, key.end),
                "A key must be one text, not a list or a mapping.",
            )
        elif key.plain and key.text == "<<":
            self._merge(frame, mapping, value)
        elif key.text in mapping.entries and key.text not in frame.merged:
            first = mapping.entries[key.text][0].start
            line = self._findings.positions.span(first, first).line
            self._findings.add(
                DUPLICATE_KEY,
                Place(key.start, key.end),
                f'The key "{key.text}" is written twice; the first one stands on line {line}.',
                "Remove one of the two.",
            )
        else:
            frame.merged.discard(key.text)
            mapping.entries[key.text] = (key, value)

    def _merge(self, frame: _Frame, mapping: MapNode, value: Node) -> None:
        for node in value.items if isinstance(value, ListNode) else [value]:
            if isinstance(node, MapNode):
                new = [text for text in node.entries if text not in mapping.entries]
                frame.merged.update(new)
                mapping.entries.update((text, node.entries[text]) for text in new)
            elif not isinstance(node, UnreadNode):
                self._findings.add(
                    MERGE,
                    Place(node.start, node.end),
                    "<< takes an alias of a mapping, or a list of such aliases.",
                    "Quote << if it is meant as an ordinary key.",
                )

    def _skip_properties(self, start: int, end: int) -> int:
        """Return where the value itself begins, behind its anchor and tag."""
        found = _PROPERTIES.match(self._text, start, max(end, start))
        return min(found.end(), end) if found else start

    def _report_tag(self, event: yaml.NodeEvent) -> None:
        start = _index(event.start_mark)
        found = _TAG.search(self._text, start)
        start, end = found.span() if found else (start, start)
        word = self._text[start:end].rstrip()
        self._findings.add(
            TAG,
            Place(start, start + len(word)),
            f"The tag {word} is not read.",
            "Remove the tag; to mark a value as text, quote it.",
            (Repair("Remove the tag", (Edit(start, end, ""),)),),
        )

    def _count_up(self, nodes: int, start: int) -> bool:
        self._count += nodes
        if self._count <= MAX_NODES:
            return True
        return self._stop(
            TOO_MANY_VALUES,
            start,
            f"The text holds more than {MAX_NODES:,} values, counting every use of an alias.",
        )

    def _stop_too_deep(self, start: int) -> bool:
        message = f"Values are nested more than {MAX_DEPTH} levels deep here."
        return self._stop(TOO_DEEP, start, message)

    def _stop(self, code: Code, start: int, message: str) -> bool:
        self._findings.add(code, Place(start, min(start + 1, len(self._text))), message)
        self.root = None
        self._stack.clear()
        return False


def _index(mark: _Mark | None) -> int:
    """Return the offset of a mark, in code points; only synthetic events have none."""
    return 0 if mark is None else mark.index
