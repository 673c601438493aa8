"""The toy dialect `fifo`: queues called lines, each FIFO with a limit; for tests only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.fifo.codes import FIFO_CODES
from console.dialects.fifo.compile import compile_policy
from console.dialects.fifo.json_schema import json_schema
from console.dialects.fifo.objects import VOCABULARY, line_objects
from console.dialects.fifo.parse import check, parse
from console.dialects.findings import ReadingStopped
from console.dialects.source import read_source
from console.engine.disciplines.slots.spec import SlotsSpec

_HEADER = re.compile(r"^[{\"']*lines\b", re.MULTILINE)


def read(text: str | bytes, past: Mapping[str, PastSpec]) -> Reading:
    """Parse *text*; *past* is ignored, because a line may change without a new name."""
    source = read_source(text)
    findings = source.findings
    if source.root is None:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    try:
        document = parse(source.root, findings)
        check(document, findings)
    except ReadingStopped:
        pass
    if findings.has_errors:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    policy = compile_policy(document, source.positions)
    return Reading(diagnostics=findings.diagnostics(), policy=policy, queue_specs={}, source=source)


def recognizes(text: str) -> bool:
    """Return whether *text* contains the top-level key ``lines``."""
    return _HEADER.search(text) is not None


def samples() -> dict[str, str]:
    """Return the sample document by its title."""
    return {"Two lines": (files(__name__) / "samples" / "two-lines.yaml").read_text("utf-8")}


DIALECT = Dialect(
    name="fifo",
    title="FIFO",
    empty_spec=SlotsSpec(),
    read=read,
    recognizes=recognizes,
    codes=FIFO_CODES,
    about_codes="Rules for the limits of lines.",
    schema=json_schema,
    samples=samples,
    objects=line_objects,
    vocabulary=VOCABULARY,
)
