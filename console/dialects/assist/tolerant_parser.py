"""
A tolerant YAML parser: the probable structure of a text, also while it is incomplete.

The parser of a dialect needs a complete document and reports its errors. An editor needs the
position of the cursor in a text that is often invalid. So this parser works line by line, trusts
indentation and brackets, and reports no errors: of contradictory lines the later one wins, and
levels deeper than the limit are omitted. A block of text that is a document itself, such as a file
in a ConfigMap, is read like a mapping below its key.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Final, Literal

from console.dialects.positions import BYTE_ORDER_MARK
from console.dialects.tree import MAX_DEPTH
from console.engine.model.origin import LINE_BREAK

Kind = Literal["mapping", "sequence", "scalar"]

_DASH: Final = re.compile(r"-(?:[ \t]+|$)")
_KEY: Final = re.compile(
    r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'"""
    # Possessive quantifiers prevent backtracking: every character is examined once.
    r"""|([^\s\-?#"'{}\[\],&*!|>%@`:](?:[^\s#:]|:(?=\S)|\s++(?!:(?:\s|$)|\#|$))*+|-[^\s:#]+?))"""
    r"""\s*+:(?=\s|$)"""
)
_PROPERTY: Final = re.compile(r"(?:[&!]\S*[ \t]+)+")
_BLOCK_TEXT: Final = re.compile(r"[|>][+\-0-9]*[ \t]*(?:#.*)?$")
#: A double-quoted text that continues on the next line may end in a backslash.
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)(?:("|$)|\\$)|\'((?:[^\']|\'\')*)(\'|$)')
_PLAIN: Final = re.compile(r"\S(?:[^\s#]|(?<=\S)#|[ \t]+(?=[^\s#]))*")
_FLOW: Final = re.compile(
    r"""(?P<mark>[{}\[\],])|(?P<colon>:(?=[\s,\[\]{}]|$))|(?P<quote>["'])|(?P<note>\#.*)"""
    r"""|(?P<plain>[^\s,\[\]{}"'\#]"""
    r"""(?:[^\s,\[\]{}:]|:(?=[^\s,\[\]{}])|[ \t]+(?=[^\s,\[\]{}:\#]))*)"""
)


@dataclass(slots=True)
class Node:
    """A node of the text; lines and columns count from 1, *end_column* is after the node."""

    kind: Kind
    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""
    entries: list[Entry] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """Return the value of *key* in a mapping: the last one if the key is repeated."""
        for entry in reversed(self.entries):
            if entry.key is not None and entry.key.text == key:
                return entry.value
        return None

    @property
    def keys(self) -> frozenset[str]:
        """The keys of a mapping."""
        return frozenset(entry.key.text for entry in self.entries if entry.key is not None)


@dataclass(slots=True)
class Entry:
    """A key with its value, or an item of a sequence; *value* is None if there is no value yet."""

    key: Node | None
    value: Node | None = None


@dataclass(slots=True)
class Open:
    """A collection that the next line may continue; *column* counts from 0, None in flow style."""

    node: Node
    column: int | None
    #: In a flow mapping: the value after a colon has not been read yet.
    awaits: bool = False


class TolerantParser:
    """The documents of a text, as far as it has been parsed."""

    def __init__(self, documents: Container[str] = ()) -> None:
        #: The keys whose blocks of text are documents.
        self._documents = documents
        self.roots: list[Node | None] = [None]
        #: The open collections, from the root to the end of the text read so far.
        self.stack: list[Open] = []
        #: Column of the collection whose block scalar is being skipped; None outside of one.
        self.in_text: int | None = None
        self._line = 0
        self._scalar: Node | None = None

    def read(self, line: str) -> None:
        """Parse the next line, given without its line break."""
        self._line += 1
        content = line.strip()
        indent = len(line) - len(line.lstrip(" \t"))
        if self.in_text is not None:
            if not content or indent > self.in_text:
                return
            self.in_text = None
        if self._in_flow and not self._leave_unclosed_flow(line, indent):
            self._flow(line, 0)
        elif line.startswith(("---", "...")) and (len(line) == 3 or line[3].isspace()):
            self._next_document()
        elif content and not content.startswith("#"):
            self._block(line, indent)

    @property
    def _in_flow(self) -> bool:
        return bool(self.stack) and self.stack[-1].column is None

    def _leave_unclosed_flow(self, line: str, indent: int) -> bool:
        """Leave an unclosed bracket if the line looks like block style; return whether it did."""
        column = next((each.column for each in reversed(self.stack) if each.column is not None), -1)
        is_outside = column >= 0 and indent <= column and bool(line.strip())
        if not is_outside or not (_KEY.match(line, indent) or _DASH.match(line, indent)):
            return False
        self._leave_flow()
        return True

    def _leave_flow(self) -> None:
        self._scalar = None
        while self._in_flow:
            self.stack.pop()

    def _next_document(self) -> None:
        self.stack.clear()
        if self.roots[-1] is not None:
            self.roots.append(None)

    def _block(self, line: str, indent: int) -> None:
        at = indent
        has_place = False
        while dash := _DASH.match(line, at):
            self._close_to(at, is_dash=True)
            if len(self.stack) >= MAX_DEPTH:
                break
            self._collection("sequence", at)
            self.stack[-1].node.entries.append(Entry(None))
            at = dash.end()
            has_place = True
        if at >= len(line) or line[at] == "#":
            return
        if key := _KEY.match(line, at):
            self._close_to(at, is_dash=False)
            if len(self.stack) >= MAX_DEPTH:
                return
            self._collection("mapping", at)
            name = next(group for group in key.groups() if group is not None)
            end = key.end() - 1
            while line[end - 1] in " \t":
                end -= 1
            entry = Entry(self._node("scalar", at, end, name))
            self.stack[-1].node.entries.append(entry)
            at = key.end()
            has_place = True
        if has_place or self._expects_value(at):
            self._value(line, at)

    def _expects_value(self, column: int) -> bool:
        """Return whether a text on its own line is a value of the key above, or a document."""
        if not self.stack:
            return self.roots[-1] is None
        top = self.stack[-1]
        return top.column is not None and top.column < column and top.node.entries[-1].value is None

    def _close_to(self, column: int, *, is_dash: bool) -> None:
        while self.stack:
            top = self.stack[-1]
            assert top.column is not None
            ends = top.column > column or (
                top.column == column and not is_dash and top.node.kind == "sequence"
            )
            if not ends:
                return
            self.stack.pop()

    def _collection(self, kind: Kind, column: int) -> None:
        """Continue the collection at *column*, or start one there."""
        if self.stack:
            top = self.stack[-1]
            if top.column == column and top.node.kind == kind:
                return
        root = self.roots[-1]
        if not self.stack and root is not None and root.kind == kind:
            self.stack.append(Open(root, column))
            return
        node = self._node(kind, column, column)
        self._attach(node)
        self.stack.append(Open(node, column))

    def _value(self, line: str, at: int) -> None:
        while at < len(line) and line[at] in " \t":
            at += 1
        if properties := _PROPERTY.match(line, at):
            at = properties.end()
        if at >= len(line) or line[at] == "#":
            return
        if line[at] in "{[":
            self._flow(line, at)
            return
        if _BLOCK_TEXT.match(line, at):
            top = self.stack[-1] if self.stack else None
            key = top.node.entries[-1].key if top is not None else None
            if key is not None and key.text in self._documents:
                return
            self.in_text = top.column if top and top.column is not None else -1
            self._attach(self._node("scalar", at, len(line.rstrip()), ""))
            return
        if quoted := _QUOTED.match(line, at):
            text = quoted[1] if quoted[1] is not None else quoted[3]
            self._attach(self._node("scalar", at, quoted.end(), text))
        elif plain := _PLAIN.match(line, at):
            self._attach(self._node("scalar", at, plain.end(), plain[0]))

    def _flow(self, line: str, at: int) -> None:
        while at < len(line):
            token = _FLOW.search(line, at)
            if token is None:
                return
            at = token.end()
            if token["quote"]:
                quoted = _QUOTED.match(line, token.start())
                assert quoted is not None
                text = quoted[1] if quoted[1] is not None else quoted[3]
                self._scalar = self._node("scalar", quoted.start(), quoted.end(), text)
                at = quoted.end()
                # In JSON, no space is required after the colon of a quoted key.
                if line.startswith(":", at) and self.stack[-1].node.kind == "mapping":
                    self._flow_key()
                    at += 1
            elif token["plain"]:
                self._scalar = self._node("scalar", token.start(), token.end(), token["plain"])
            elif token["colon"]:
                self._flow_key()
            elif token["mark"]:
                self._mark(token["mark"], token.start())
                if not self._in_flow:
                    return
            else:
                return

    def _mark(self, mark: str, at: int) -> None:
        if mark in "{[":
            node = self._node("mapping" if mark == "{" else "sequence", at, at + 1)
            if self._in_flow:
                self._flow_value(node)
            else:
                self._attach(node)
            self.stack.append(Open(node, None))
            if len(self.stack) > MAX_DEPTH:
                self._leave_flow()
            return
        if self._scalar is not None:
            scalar, self._scalar = self._scalar, None
            self._flow_value(scalar)
        self.stack[-1].awaits = False
        if mark in "}]":
            node = self.stack.pop().node
            node.end_line, node.end_column = self._line, at + 2
            self._grow(node)

    def _flow_key(self) -> None:
        top = self.stack[-1]
        if top.node.kind == "mapping" and self._scalar is not None:
            top.node.entries.append(Entry(self._scalar))
            top.awaits = True
            self._scalar = None

    def _flow_value(self, node: Node) -> None:
        top = self.stack[-1]
        if top.node.kind == "sequence":
            top.node.entries.append(Entry(None, node))
        elif top.awaits:
            top.node.entries[-1].value = node
        else:
            top.node.entries.append(Entry(node))
        self._grow(node)

    def _attach(self, node: Node) -> None:
        if self.stack and self.stack[-1].node.entries:
            self.stack[-1].node.entries[-1].value = node
        elif not self.stack:
            self.roots[-1] = node
        self._grow(node)

    def _grow(self, node: Node) -> None:
        for each in self.stack:
            each.node.end_line, each.node.end_column = node.end_line, node.end_column

    def _node(self, kind: Kind, start: int, end: int, text: str = "") -> Node:
        node = Node(kind, self._line, start + 1, self._line, end + 1, text)
        for each in self.stack:
            each.node.end_line, each.node.end_column = self._line, end + 1
        return node


def parse_tolerantly(text: str, documents: Container[str] = ()) -> TolerantParser:
    """
    Return the probable structure of *text*; never raises.

    Blocks of text of the keys *documents* are documents.
    """
    made = TolerantParser(documents)
    for line in split_lines(text):
        made.read(line)
    return made


def split_lines(text: str) -> list[str]:
    """Return the lines of *text* without line breaks; the last one may be empty."""
    return LINE_BREAK.split(text.removeprefix(BYTE_ORDER_MARK))
