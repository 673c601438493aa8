"""
Findings as SARIF 2.1.0, the common format of checkers for code hosts and editors.

Lines and columns count from 1 and columns are code points, as in `Diagnostic`; the end of a region
is after its last character, also as there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from console.dialects.codes import Code
from console.dialects.diagnostics import Diagnostic, Fix, Severity, doc_url
from console.engine.model.origin import Origin

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file and its findings."""

    name: str
    text: bytes
    findings: Sequence[Diagnostic]


def to_sarif(
    files: Sequence[CheckedFile], codes: Iterable[Code], codes_url: str = ""
) -> dict[str, Any]:
    """
    Return the SARIF log of one run over *files*.

    Its rules are those of *codes* that have findings, each with its help. *codes_url* is the URL of
    the page about all codes; with one, each rule links to its entry.
    """
    found = {finding.code for file in files for finding in file.findings}
    rules = [code for code in codes if code.code in found]
    index = {code.code: number for number, code in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Sluice",
                        "rules": [_rule(code, codes_url) for code in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "artifacts": [{"location": _location(file.name)} for file in files],
                "results": [
                    _result(finding, file, number, index)
                    for number, file in enumerate(files)
                    for finding in file.findings
                ],
            }
        ],
    }


def _rule(code: Code, codes_url: str) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": code.code,
        "shortDescription": {"text": f"{code.title}."},
        "fullDescription": {"text": code.advice},
        "help": {"text": code.advice, "markdown": f"**{code.title}**\n\n{code.advice}"},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
    }
    if codes_url:
        rule["helpUri"] = doc_url(codes_url, code.code)
    return rule


def _result(
    finding: Diagnostic, file: CheckedFile, number: int, index: Mapping[str, int]
) -> dict[str, Any]:
    place = {
        "physicalLocation": {
            "artifactLocation": {**_location(file.name), "index": number},
            "region": _region(finding.span),
        }
    }
    if finding.path:
        place[("logicalLocations")] = [{("fullyQualifiedName"): finding.path}]  # type: ignore[assignment]
    result = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": " ".join(filter(None, (finding.message, finding.hint)))},
        "locations": [place],
    }
    if finding.fixes:
        result["fixes"] = [_fix(fix, file.name) for fix in finding.fixes]
    return result


def _fix(fix: Fix, name: str) -> dict[str, Any]:
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {
                "artifactLocation": _location(name),
                "replacements": [
                    {
                        "deletedRegion": _region(edit.span),
                        "insertedContent": {"text": edit.new_text},
                    }
                    for edit in fix.edits
                ],
            }
        ],
    }


def _region(span: Origin) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _location(name: str) -> dict[str, str]:
    """Return the location of a file; a relative name is relative to the root of the sources."""
    path = PurePosixPath(name)
    if path.is_absolute():
        return {"uri": f"file://{quote(str(path))}"}
    return {"uri": quote(str(path)), "uriBaseId": "%SRCROOT%"}
