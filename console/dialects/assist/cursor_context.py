"""The context of the cursor: its path in the document, and whether a key or a value goes there."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Final, Literal

from console.dialects.assist.tolerant_parser import Node, TolerantParser, split_lines

Path = tuple[str | int, ...]

#: A character that separates a word from the text before it.
_BOUNDARY: Final = re.compile(r"[\s,\[\]{}\"'#]|:(?!\S)")
_STRINGS: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_NOTE: Final = re.compile(r"(?:^|\s)#")
_DASHES: Final = re.compile(r"\s*(?:-[ \t]+)*$")

#: Maximum number of characters of a line that are evaluated.
_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorContext:
    """
    The context of the cursor.

    A *key* goes into the mapping at *path*, and a *value* is at *path*. With *begins*, the value at
    *path* is still empty, so a key or a value can go there. *root* is the document as far as it was
    parsed, that is, up to the cursor.
    """

    role: Literal["key", "value", "begins"]
    path: Path
    #: The part of the word before the cursor.
    word: str
    document: int
    root: Node | None
    #: Keys of the mapping above the cursor.
    present: frozenset[str] = frozenset()
    #: The path of the key right above, if it has no value yet: a list with the same indentation may
    #: start here.
    list_of: Path | None = None


def find_cursor_context(
    text: str, line: int, column: int, documents: Container[str] = ()
) -> CursorContext | None:
    """
    Return the context of a cursor; *line* and *column* count from 1.

    Blocks of text of the keys *documents* are documents.

    None in comments, in block scalars, after a complete quoted text, and beyond `_LONGEST`
    characters of a line.
    """
    lines = split_lines(text)
    if not 1 <= line <= len(lines):
        return None
    before = lines[line - 1][: max(column - 1, 0)]
    if len(before) > _LONGEST:
        return None
    if _NOTE.search(_STRINGS.sub("''", before)):
        return None
    start = max((found.end() for found in _BOUNDARY.finditer(before)), default=0)
    before, word = before[:start], before[start:]
    parsed = TolerantParser(documents)
    for each in lines[: line - 1]:
        parsed.read(each)
    if before.endswith(("'", '"')) and not _STRINGS.sub("", before).endswith(("'", '"')):
        # After a complete quoted text nothing can be inserted.
        return None
    parsed.read(before.rstrip("'\"") if before.endswith(("'", '"')) else before)
    if parsed.in_text is not None and start > parsed.in_text:
        return None
    if parsed.stack and parsed.stack[-1].column is None:
        return _in_flow(parsed, word)
    if _DASHES.fullmatch(before):
        return _at_start(parsed, before, word)
    top = parsed.stack[-1] if parsed.stack else None
    if top is None or top.node.kind != "mapping" or top.node.entries[-1].value is not None:
        return None
    return _context(parsed, "value", _path(parsed), word)


def _in_flow(parsed: TolerantParser, word: str) -> CursorContext:
    top = parsed.stack[-1]
    above = _path(parsed, up_to=len(parsed.stack) - 1)
    if top.node.kind == "sequence":
        return _context(parsed, "begins", (*above, len(top.node.entries)), word)
    if top.awaits and top.node.entries[-1].value is None:
        return _context(parsed, "value", _path(parsed), word)
    return _context(parsed, "key", above, word, top.node.keys)


def _at_start(parsed: TolerantParser, before: str, word: str) -> CursorContext | None:
    """Return the context for a line with only indentation and dashes before the cursor."""
    column = len(before)
    if "-" in before:
        return _context(parsed, "begins", _path(parsed), word)
    stack = parsed.stack
    while stack and stack[-1].column is not None and stack[-1].column > column:
        stack.pop()
    while stack and stack[-1].node.kind == "sequence":
        stack.pop()
    if not stack:
        is_inside = parsed.roots[-1] is not None and parsed.roots[-1].column - 1 != column
        present = parsed.roots[-1].keys if parsed.roots[-1] is not None else frozenset()
        return None if is_inside else _context(parsed, "key", (), word, present)
    top = stack[-1]
    if top.column == column:
        above = _path(parsed, up_to=len(stack) - 1)
        open_key = _path(parsed) if top.node.entries[-1].value is None else None
        return _context(parsed, "key", above, word, top.node.keys, open_key)
    value = top.node.entries[-1].value
    if value is None or value.kind != "scalar":
        present = value.keys if value is not None else frozenset()
        return _context(parsed, "begins", _path(parsed), word, present)
    return None


def _path(parsed: TolerantParser, up_to: int | None = None) -> Path:
    steps: list[str | int] = []
    for each in parsed.stack[:up_to]:
        last = each.node.entries[-1] if each.node.entries else None
        if each.node.kind == "sequence":
            steps.append(max(len(each.node.entries) - 1, 0))
        elif last is not None and last.key is not None:
            steps.append(last.key.text)
    return tuple(steps)


def _context(
    parsed: TolerantParser,
    role: Literal["key", "value", "begins"],
    path: Path,
    word: str,
    present: frozenset[str] = frozenset(),
    list_of: Path | None = None,
) -> CursorContext:
    return CursorContext(
        role=role,
        path=path,
        word=word,
        document=len(parsed.roots) - 1,
        root=parsed.roots[-1],
        present=present,
        list_of=list_of,
    )
