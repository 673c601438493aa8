"""Repairs that add a document to a stream."""

from __future__ import annotations

from console.dialects.findings import Edit, Findings, Repair


def append_document(findings: Findings, title: str, *lines: str) -> Repair:
    """Return the repair that appends a document to the text."""
    text = findings.positions.text
    start = "" if text.endswith("\n") else "\n"
    added = "".join(f"{line}\n" for line in ("---", *lines))
    return Repair(title, (Edit(len(text), len(text), start + added),))
