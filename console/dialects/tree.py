"""The tree builder: YAML events to nodes, with limits on depth and number of nodes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

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
from console.dialects.findings import Edit, Findings, Place, ReadingStopped, Repair
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.syntax import report_template
from console.dialects.wording import shorten

MAX_DEPTH: Final = 64
MAX_NODES: Final = 200_000
_BLOCK_STYLES = ("|", ">")
#: An anchor and a tag, in either order, and comments, before a value.
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s+|$)|#[^\r\n]*\s*)+")
_WORD = re.compile(r"\S+")
#: An escape of a byte that is not ASCII, in a tag.
_TAG_ESCAPE = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")
_TAG = re.compile(r"!\S*[ \t]*")


@dataclass(slots=True)
class _Frame:
    """A list or mapping whose end has not been read yet."""

    node: ListNode | MapNode
    anchor: str | None
    flow: bool
    #: Number of nodes before this one.
    count: int
    #: Number of levels of the values read so far.
    height: int = 0
    key: Node | None = None
    #: Whether the value is a template tag, ``{{ ... }}``, which YAML reads as a mapping.
    is_template: bool = False
    #: Keys added by a merge, which a key in the mapping itself overrides.
    merged: set[str] = field(default_factory=set)


def build_trees(findings: Findings, *, stream: bool = False) -> list[Node]:
    """
    Return the root node of every document of the text: one, unless it is a *stream*.

    Raises yaml.MarkedYAMLError if the text is not YAML, and ReadingStopped at a limit.
    """
    builder = _TreeBuilder(findings, stream)
    # Events are read one by one, so that the limits apply before libyaml has parsed all of a
    # hostile text; composing nodes would recurse.
    loader = yaml.CSafeLoader(findings.positions.text)
    reached = 0
    try:
        while not builder.done:
            event: Any = loader.get_event()
            reached = event.end_mark.index
            builder.handle(event)
    except UnicodeDecodeError:
        # libyaml decodes the escaped bytes of a tag, which may not be UTF-8.
        _report_tag_escape(findings, reached)
        raise ReadingStopped from None
    finally:
        loader.dispose()
    return builder.roots or [ScalarNode(0, 0, "", True)]


def report_repeated_key(
    findings: Findings, key: ScalarNode, first: ScalarNode, original: str = "", line: str = ""
) -> None:
    """
    Report a key that is written again; *original* as in `Diagnostic.original`.

    *line* is the line of the first one in words, if that of its place is another one.
    """
    findings.add(
        DUPLICATE_KEY,
        Place(key.start, key.end),
        f'The key "{shorten(key.text)}" is written twice; the first one is on '
        f"{line or findings.positions.line_words(first.start)}.",
        "Remove one of the two.",
        original=original,
    )


def _report_tag_escape(findings: Findings, reached: int) -> None:
    # Word by word: a combined pattern would restart at every character of a long word.
    words = _WORD.finditer(findings.positions.text, reached)
    found = next((word for word in words if _TAG_ESCAPE.search(word[0])), None)
    start, end = found.span() if found else (reached, reached)
    findings.add(
        TAG,
        Place(start, end),
        "This tag has an escape that is not UTF-8.",
        "Remove the tag; to mark a value as text, quote it.",
    )


class _TreeBuilder:
    """
    Builds the root nodes from YAML events.

    An alias is the same node object as its anchor. Every use of an alias counts as many nodes as
    the anchored value has, so nested aliases reach the limit like the expanded text would.
    """

    def __init__(self, findings: Findings, stream: bool) -> None:
        self.roots: list[Node] = []
        self.done = False
        self._stream = stream
        self._findings = findings
        self._text = findings.positions.text
        self._stack: list[_Frame] = []
        #: By anchor: the node, its number of nodes, and its number of levels.
        self._anchors: dict[str, tuple[Node, int, int]] = {}
        self._count = 0
        self._documents = 0
        # Dispatch by type, because a chain of isinstance calls would dominate the time.
        # The events are Any because the marks of libyaml have no common type.
        self._handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._add_scalar,
            yaml.MappingStartEvent: self._open_mapping,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceStartEvent: self._open_list,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._add_alias,
            yaml.DocumentStartEvent: self._open_document,
            yaml.StreamEndEvent: self._finish,
        }

    def handle(self, event: Any) -> None:
        """Process the next event."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def _finish(self, event: Any) -> None:
        self.done = True

    def _open_document(self, event: Any) -> None:
        self._documents += 1
        if self._stream:
            # An anchor is valid only in its own document.
            self._anchors.clear()
            return
        if self._documents == 1:
            return
        start, end = event.start_mark.index, event.end_mark.index
        self._findings.add(
            SECOND_DOCUMENT,
            Place(start, end),
            "A second document begins here; a config is one document.",
            "Remove this line, or what follows it.",
        )
        self.done = True

    def _add_scalar(self, event: Any) -> None:
        start: int = event.start_mark.index
        end: int = event.end_mark.index
        style = event.style
        if event.anchor or event.tag:
            start = self._skip_properties(start, end)
        if style in _BLOCK_STYLES:
            end = start + len(self._text[start:end].rstrip())
        node: Node = ScalarNode(start, end, event.value, not style)
        if event.tag:
            self._report_tag(event)
            node = UnreadNode(start, end)
        elif "\0" in event.value:
            # Only an escape can produce it, and databases do not store it in text.
            message = "The character U+0000 cannot be part of a text."
            self._findings.add(CONTROL_CHARACTER, Place(start, end), message, "Remove it.")
            node = UnreadNode(start, end)
        self._count_up(1, start)
        if event.anchor:
            self._anchors[event.anchor] = (node, 1, 0)
        self._add(node, end, 0)

    def _open_mapping(self, event: Any) -> None:
        start = event.start_mark.index
        self._open(MapNode(start, start), event)

    def _open_list(self, event: Any) -> None:
        start = event.start_mark.index
        self._open(ListNode(start, start), event)

    def _open(self, node: ListNode | MapNode, event: Any) -> None:
        if event.anchor or event.tag:
            node.start = node.end = self._skip_properties(node.start, event.end_mark.index)
        if event.tag:
            self._report_tag(event)
        self._check_depth(1, node.start)
        self._stack.append(_Frame(node, event.anchor, bool(event.flow_style), self._count))
        self._count_up(1, node.start)

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        node: Node = frame.node
        # A block ends with its last value; the end mark of libyaml is after the following blank
        # lines and comments.
        if frame.flow:
            node.end = event.end_mark.index
        if frame.is_template:
            report_template(self._findings, node.start, node.end)
            node = UnreadNode(node.start, node.end)
        if frame.anchor:
            self._anchors[frame.anchor] = (node, self._count - frame.count, frame.height + 1)
        self._add(node, node.end, frame.height + 1)

    def _add_alias(self, event: Any) -> None:
        start, end, name = event.start_mark.index, event.end_mark.index, event.anchor
        if any(frame.anchor == name for frame in self._stack):
            shown = shorten(name)
            message = f"*{shown} is inside the value of &{shown}."
            self._findings.add(RECURSIVE_ALIAS, Place(start, end), message)
        elif name in self._anchors:
            node, weight, height = self._anchors[name]
            self._check_depth(height, start)
            self._count_up(weight, start)
            self._add(node, end, height)
            return
        else:
            self._findings.add(
                UNKNOWN_ALIAS,
                Place(start, end),
                f"*{shorten(name)} repeats an anchor that is not defined above it.",
                f"Mark a value above with &{shorten(name)}, or quote the text.",
                (Repair("Quote it", (Edit(start, end, f'"*{name}"'),)),),
            )
        self._count_up(1, start)
        self._add(UnreadNode(start, end), end, 0)

    def _add(self, node: Node, end: int, height: int) -> None:
        """Add a finished node to its parent; *end* is its end offset in the parent."""
        if not self._stack:
            self.roots.append(node)
            return
        frame = self._stack[-1]
        parent = frame.node
        if end > parent.end:
            parent.end = end
        if height > frame.height:
            frame.height = height
        if isinstance(parent, ListNode):
            parent.items.append(node)
        elif frame.key is None:
            frame.key = node
        else:
            self._add_entry(frame, parent, frame.key, node)
            frame.key = None

    def _add_entry(self, frame: _Frame, mapping: MapNode, key: Node, value: Node) -> None:
        if isinstance(key, UnreadNode):
            return
        if frame.flow and self._text.startswith("{{", mapping.start):
            frame.is_template = True
        elif not isinstance(key, ScalarNode):
            self._findings.add(
                KEY_NOT_TEXT,
                Place(key.start, key.end),
                "A key must be one text, not a list or a mapping.",
            )
        elif key.plain and key.text == "<<":
            self._merge(frame, mapping, value)
        elif key.text in mapping.entries and key.text not in frame.merged:
            mapping.repeated += (key,)
            report_repeated_key(self._findings, key, mapping.entries[key.text][0])
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
        """Return the start of the value itself, after its anchor and tag."""
        found = _PROPERTIES.match(self._text, start, max(end, start))
        return min(found.end(), end) if found else start

    def _report_tag(self, event: Any) -> None:
        start = event.start_mark.index
        found = _TAG.search(self._text, start)
        start, end = found.span() if found else (start, start)
        word = self._text[start:end].rstrip()
        self._findings.add(
            TAG,
            Place(start, start + len(word)),
            f"The tag {shorten(word)} is not read.",
            "Remove the tag; to mark a value as text, quote it.",
            (Repair("Remove the tag", (Edit(start, end, ""),)),),
        )

    def _count_up(self, nodes: int, start: int) -> None:
        self._count += nodes
        if self._count > MAX_NODES:
            message = f"The text holds more than {MAX_NODES:,} values, aliases written out."
            self._stop(TOO_MANY_VALUES, start, message)

    def _check_depth(self, more: int, start: int) -> None:
        if len(self._stack) + more > MAX_DEPTH:
            message = f"Values are nested more than {MAX_DEPTH} levels deep here."
            self._stop(TOO_DEEP, start, message)

    def _stop(self, code: Code, start: int, message: str) -> None:
        self._findings.add(code, Place(start, min(start + 1, len(self._text))), message)
        raise ReadingStopped
