"""Reads the text of a config: its findings, and its policy if none is an error."""

from __future__ import annotations

from dataclasses import dataclass

from console.dialects.base import Reading
from console.dialects.findings import ReadingStopped
from console.dialects.source import Source
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.checks import check
from console.dialects.yunikorn.compile import compile_policy
from console.dialects.yunikorn.decode import Decoder
from console.dialects.yunikorn.documents import Located, locate
from console.dialects.yunikorn.library_types import CONFIG
from console.dialects.yunikorn.parse import partitions_of
from console.dialects.yunikorn.problems import Problems
from console.dialects.yunikorn.schema import Document
from console.dialects.yunikorn.switches import read_switches
from console.dialects.yunikorn.validator import validator_message
from console.dialects.yunikorn.warnings import warn
from console.engine.disciplines.hierarchy.spec import Compatibility


@dataclass(slots=True)
class Examined:
    """A config as written, with what is known about it."""

    document: Document
    amounts: Amounts
    problems: Problems


def read_config(source: Source) -> Reading:
    """Return the reading of a parsed text."""
    findings = source.findings
    examined: Examined | None = None
    if source.roots:
        examined = examine(source)
    elif source.positions.text:
        findings.cite(validator_message(source.positions.text)[0] or "")
    if findings.has_errors or examined is None:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    policy = compile_policy(
        examined.document,
        examined.amounts,
        examined.problems.compatibility,
        source.positions,
    )
    return Reading(diagnostics=findings.diagnostics(), policy=policy, queue_specs={}, source=source)


def examine(source: Source, compatibility: Compatibility | None = None) -> Examined | None:
    """
    Return the config in a parsed text, and report its problems.

    *compatibility* takes the place of its own switches. None if there are too many problems.
    """
    findings = source.findings
    try:
        located = locate(source.roots, findings)
        if located.path and located.root is not None:
            source.embedded.append((located.path, located.root))
        stated = read_switches(located.switches, findings)
        problems = Problems(findings, compatibility or stated)
        found = Examined(_document(located, problems), Amounts(problems), problems)
        check(found.document, found.amounts, problems)
        warn(found.document, found.amounts, problems)
    except ReadingStopped:
        return None
    return found


def _document(located: Located, problems: Problems) -> Document:
    if located.root is None:
        return Document(settings=located.settings)
    decoder = Decoder(problems, located.first_line, located.lines)
    config = decoder.struct(located.root, CONFIG, located.path)
    partitions = partitions_of(config) if config is not None else ()
    return Document(partitions=partitions, settings=located.settings, text=located.text)
