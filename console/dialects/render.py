"""Findings as text with carets for terminals, and as JSON for programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.positions import Positions
from console.engine.wording.characters import CONTROLS, DIRECTIONS, LINE_ENDS

#: A longer source line is cut around the marked place.
_LINE_WIDTH = 120

#: Characters that move the cursor of a terminal or change the direction of its text.
_UNPRINTABLE = re.compile(f"[{CONTROLS}{LINE_ENDS}{DIRECTIONS}]")


def findings_to_json(findings: Sequence[Diagnostic], codes_url: str = "") -> dict[str, Any]:
    """
    Return findings in the format of the API: errors are diagnostics, all others are lints.

    *codes_url* is the URL of the page about all codes, if there is one.
    """
    errors = [d.to_json(codes_url) for d in findings if d.severity is Severity.ERROR]
    return {
        "ok": not errors,
        "diagnostics": errors,
        "lints": [d.to_json(codes_url) for d in findings if d.severity is not Severity.ERROR],
    }


def findings_to_text(findings: Sequence[Diagnostic], text: str | bytes, name: str) -> str:
    """
    Return the findings in *text*, each with its source line and a caret under it.

    *name* is the name of the text, usually a file name. Control characters are shown as
    replacement characters.
    """
    # Invalid UTF-8 is shown with replacement characters; a finding states its place.
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    positions = Positions(decoded)
    blocks = ["\n".join(_block(d, positions, name)) for d in findings]
    # One replacement for each character, so that the carets keep their columns.
    return _UNPRINTABLE.sub("\ufffd", "\n\n".join([*blocks, _summary(findings, name)]))


def _block(diagnostic: Diagnostic, positions: Positions, name: str) -> Iterator[str]:
    span = diagnostic.span
    yield (
        f"{name}:{span.line}:{span.column}: {diagnostic.severity.value} "
        f"{diagnostic.code} {diagnostic.message}"
    )
    line = positions.line(span.line)
    last = span.end_column if span.end_line == span.line else len(line) + 1
    first = max(0, min(span.column - 1 - _LINE_WIDTH // 3, len(line) - _LINE_WIDTH))
    shown = line[first : first + _LINE_WIDTH].replace("\t", " ")
    if shown.strip():
        start = span.column - 1 - first
        width = max(1, min(last - 1 - first, len(shown)) - start)
        yield f"  {shown}"
        yield f"  {' ' * start}{'^' * width}"
    if diagnostic.hint:
        yield f"  {diagnostic.hint}"
    if diagnostic.original:
        yield f"  Original message: {' '.join(diagnostic.original.split())}"


def _summary(findings: Sequence[Diagnostic], name: str) -> str:
    errors = sum(d.severity is Severity.ERROR for d in findings)
    warnings = sum(d.severity is Severity.WARNING for d in findings)
    if not errors and not warnings:
        return f"{name}: no errors, no warnings"
    return f"{name}: {_count(errors, 'error')}, {_count(warnings, 'warning')}"


def _count(number: int, word: str) -> str:
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"
