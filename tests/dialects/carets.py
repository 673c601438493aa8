"""
Marked documents: configs whose comments state the expected findings.

A comment line such as ``#     ^ NAT012`` expects this finding in the line above, at the
column of the caret; ``#< DOC001`` means column 1. Several comment lines may follow one line.
"""

from __future__ import annotations

import re

from console.dialects.base import Reading

_CARET = re.compile(r"\^ ([A-Z]{3}\d{3})|(?<=^#)< ([A-Z]{3}\d{3})")
_MARKS = re.compile(r"#[ <^]*[A-Z]{3}\d{3}(?: +\^ [A-Z]{3}\d{3})*\s*")


def expected_findings(text: str) -> list[tuple[int, int, str]]:
    """Return line, column and code of every finding that the comments of *text* expect."""
    findings = []
    marked = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not _MARKS.fullmatch(line):
            marked = number
            continue
        for caret in _CARET.finditer(line):
            column = 1 if caret[2] else caret.start() + 1
            findings.append((marked, column, caret[1] or caret[2]))
    return sorted(findings)


def actual_findings(reading: Reading) -> list[tuple[int, int, str]]:
    """Return line, column and code of every finding of *reading*, in its order."""
    return [(d.span.line, d.span.column, d.code) for d in reading.diagnostics]
