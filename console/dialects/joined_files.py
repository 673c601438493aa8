"""Several files read as one text, and its findings split by file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from console.dialects.diagnostics import Diagnostic, Fix, TextEdit
from console.dialects.positions import BYTE_ORDER_MARK, FileStart, Positions
from console.engine.model.origin import LINE_BREAK, Origin

#: Separator of documents of a stream; it ends the previous document.
_BETWEEN: Final = "...\n"
_OPENING: Final = "---\n"
#: Comments and empty lines, and a marker or directive that starts a document.
_BEGINS: Final = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*(?:---(?:[ \t\r\n]|\Z)|%)")
_DOCUMENT: Final = re.compile(r"\[(\d+)\]\.?")


@dataclass(frozen=True, slots=True)
class _Part:
    """One file in the joined text."""

    name: str
    text: str
    #: The line of the joined text where the file starts.
    first_line: int
    #: Number of documents before the file, and in it.
    before: int
    documents: int


class JoinedFiles:
    """
    A stream of documents from several files.

    *files* are names and texts of valid YAML, each with the number of its documents.
    """

    def __init__(self, files: Iterable[tuple[str, str, int]]) -> None:
        parts: list[_Part] = []
        pieces: list[str] = []
        line, before = 1, 0
        for name, raw, documents in files:
            text = raw.removeprefix(BYTE_ORDER_MARK)
            opening = _BETWEEN if parts else ""
            if not _BEGINS.match(text):
                opening += _OPENING
            line += opening.count("\n")
            parts.append(_Part(name, text, line, before, documents))
            ended = text if LINE_BREAK.search(text[-1:]) else f"{text}\n"
            pieces += (opening, ended)
            line += sum(1 for _ in LINE_BREAK.finditer(ended))
            before += documents
        self._parts = parts
        self._lines = [part.first_line for part in parts]
        self._documents = before
        self.text = "".join(pieces)
        #: The first line of each file, for messages with line numbers.
        self.files = tuple(FileStart(part.name, part.first_line) for part in parts)
        end = len(self.text)
        self._end = Positions(self.text).span(end, end)

    def place(self, origin: Origin) -> str:
        """Return file, line and column of a span of the joined text, as ``FILE:LINE:COLUMN``."""
        part = self._parts[self._index(origin)]
        own = _moved(origin, part)
        return f"{part.name}:{own.line}:{own.column}"

    def split(self, findings: Sequence[Diagnostic]) -> list[list[Diagnostic]]:
        """Return the findings of every file, with lines and paths relative to the file."""
        found: list[list[Diagnostic]] = [[] for _ in self._parts]
        for finding in findings:
            index = self._index(finding.span)
            found[index].append(self._own(finding, self._parts[index]))
        return found

    def _index(self, origin: Origin) -> int:
        return max(0, bisect_right(self._lines, origin.line) - 1)

    def _own(self, finding: Diagnostic, part: _Part) -> Diagnostic:
        fixes = (self._fix(fix, part) for fix in finding.fixes)
        return replace(
            finding,
            span=_moved(finding.span, part),
            path=self._path(finding.path, part),
            fixes=tuple(fix for fix in fixes if fix is not None),
        )

    def _path(self, path: str, part: _Part) -> str:
        """Return *path* relative to the file: documents are numbered only if it has several."""
        found = _DOCUMENT.match(path) if self._documents > 1 else None
        if found is None:
            return path
        rest = path[found.end() :]
        if part.documents == 1:
            return rest
        number = f"[{int(found[1]) - part.before}]"
        return f"{number}.{rest}" if rest else number

    def _fix(self, fix: Fix, part: _Part) -> Fix | None:
        """Return a fix with edits of one file, or None if it changes another file."""
        edits: list[TextEdit] = []
        for edit in fix.edits:
            if edit.span == self._end:
                edits.append(_at_end(edit, part))
            elif self._parts[self._index(edit.span)] is part:
                edits.append(TextEdit(_moved(edit.span, part), edit.new_text))
            else:
                return None
        return Fix(fix.title, tuple(edits))


def _moved(origin: Origin, part: _Part) -> Origin:
    """Return a span of the joined text as a span of the file, limited to its end."""
    last = _end_of(part.text)
    before = part.first_line - 1
    start = min((max(1, origin.line - before), origin.column), last)
    end = min((max(1, origin.end_line - before), origin.end_column), last)
    return Origin(*start, *end)


def _at_end(edit: TextEdit, part: _Part) -> TextEdit:
    """Return an insertion at the end of the joined text as one at the end of the file."""
    line, column = _end_of(part.text)
    start = "\n" if column > 1 else ""
    return TextEdit(Origin(line, column, line, column), start + edit.new_text)


def _end_of(text: str) -> tuple[int, int]:
    span = Positions(text).span(len(text), len(text))
    return span.line, span.column
