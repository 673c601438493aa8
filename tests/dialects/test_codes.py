"""Diagnostic codes: declared once, produced by some text, and documented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from console.dialects import dialects
from console.dialects.base import JobReading, Reading
from console.dialects.catalogue import catalogue, every_code
from console.dialects.codes import SHARED_CODES
from console.dialects.lints.codes import LINT_CODES
from tests.dialects.lints.marked import marked_documents
from tests.dialects.native.test_queue_specs import PAST, TEXT
from tests.dialects.test_source import SYNTAX

ROOT = Path(__file__).parents[2]


def readings() -> Iterator[Reading | JobReading]:
    """Yield readings of texts that together have every error."""
    for name, dialect in dialects().items():
        for path in (Path(__file__).parent / name / "bad").glob("*.yaml"):
            yield dialect.read(path.read_text("utf-8"), {})
        for path in (Path(__file__).parent / name / "jobs").glob("*.yaml"):
            yield dialect.read_job(path.read_text("utf-8"), dialect.empty_policy)
    native = dialects()["native"]
    rules = "".join(f"- resource_queue: q{n}\n" for n in range(600))
    texts = [
        *(text for _, text, _ in SYNTAX),
        f"scheduling_rules:\n{rules}",
        f"resource_flavors: [{{ name: {'x' * 501} }}]",
    ]
    for text in texts:
        yield native.read(text, {})
    yield native.read(TEXT.replace("nominal_quota: 8", "nominal_quota: 9"), PAST)


def test_codes_are_declared_once_with_title_and_advice():
    codes = [code.code for code in every_code()]
    assert sorted(set(codes)) == sorted(codes)
    for code in every_code():
        assert re.fullmatch(r"[A-Z]{3}\d{3}", code.code)
        assert code.title
        assert not code.title.endswith(".")
        assert code.advice.endswith(".")


def test_the_codes_of_a_dialect_share_a_prefix_of_their_own():
    prefixes = [{code.code[:3] for code in dialect.codes} for dialect in dialects().values()]
    prefixes += [{code.code[:3] for code in LINT_CODES}]
    prefixes += [{code.code[:3]} for code in SHARED_CODES[:1]]
    assert [len(own) for own in prefixes] == [1] * len(prefixes)
    assert len(set().union(*prefixes)) == len(prefixes)


def test_readings_produce_exactly_the_declared_codes():
    severities = {d.code: d.severity for reading in readings() for d in reading.diagnostics}
    severities |= {d.code: d.severity for each in marked_documents() for d in each.check().lints}
    assert {code.code: code.severity for code in every_code()} == severities


def test_the_catalogue_is_the_one_in_the_docs():
    assert (ROOT / "docs" / "diagnostics.md").read_text("utf-8") == catalogue()
