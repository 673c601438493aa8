"""Positions: conversion between offsets of a text and its lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from console.dialects.diagnostics import Fix
from console.engine.model.origin import LINE_BREAK, Origin

BYTE_ORDER_MARK = "\ufeff"


class FileStart(NamedTuple):
    """The name of a file of a joined text, and its first line there."""

    name: str
    #: The line of the joined text where the file starts.
    line: int


class Positions:
    r"""
    A text and the offsets of its lines.

    *files* are the files that the text was joined from, if any. *first_line* is the number of its
    first line if it is a part of another text; messages count from it, and spans do not.

    A byte order mark at the start is not part of the text and has no column.

    >>> Positions("a\r\nbc").span(3, 5)
    Origin(line=2, column=1, end_line=2, end_column=3)
    """

    def __init__(
        self, text: str, files: tuple[FileStart, ...] = (), *, first_line: int = 1
    ) -> None:
        self.text = text.removeprefix(BYTE_ORDER_MARK)
        self.files = files
        self._first_line = first_line
        self._starts = [0, *(m.end() for m in LINE_BREAK.finditer(self.text))]

    def span(self, start: int, end: int) -> Origin:
        """Return the span of the text from offset *start* to *end*."""
        line = bisect_right(self._starts, start)
        end_line = bisect_right(self._starts, end)
        return Origin(
            line,
            start - self._starts[line - 1] + 1,
            end_line,
            end - self._starts[end_line - 1] + 1,
        )

    def line_words(self, offset: int) -> str:
        r"""
        Return the line of an offset in words, for a message.

        >>> Positions("a\n---\nb", (FileStart("one", 1), FileStart("two", 3))).line_words(6)
        'line 1 of two'
        """
        line = self.span(offset, offset).line + self._first_line - 1
        file = next((each for each in reversed(self.files) if each.line <= line), None)
        return f"line {line}" if file is None else f"line {line - file.line + 1} of {file.name}"

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a column, which must be in the text."""
        return self._starts[line - 1] + column - 1

    def line(self, number: int) -> str:
        """Return the text of a line without its line break; *number* counts from 1."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


def apply_fix(text: str, fix: Fix) -> str:
    """
    Return *text* with the edits of *fix* applied.

    >>> from console.dialects.diagnostics import TextEdit
    >>> apply_fix("a: yes", Fix("Quote it", (TextEdit(Origin(1, 4, 1, 7), '"yes"'),)))
    'a: "yes"'
    """
    positions = Positions(text)
    result = positions.text
    for edit in sorted(fix.edits, key=lambda e: e.span, reverse=True):
        start = positions.offset(edit.span.line, edit.span.column)
        end = positions.offset(edit.span.end_line, edit.span.end_column)
        result = result[:start] + edit.new_text + result[end:]
    return text[: len(text) - len(positions.text)] + result
