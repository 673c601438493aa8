"""Every marked document has the expected findings, and their fixes remove them."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.dialects import dialects
from console.dialects.base import Dialect, Reading
from console.dialects.positions import apply_fix
from tests.dialects.carets import actual_findings, expected_findings

FOLDER = Path(__file__).parent
DOCUMENTS = [
    pytest.param(dialect, path, id=f"{name}-{path.stem}")
    for name, dialect in dialects().items()
    for path in sorted((FOLDER / name / "bad").glob("*.yaml"))
]
EVERY = pytest.mark.parametrize(("dialect", "path"), DOCUMENTS)


def count(reading: Reading, code: str) -> int:
    """Return how many findings have *code*."""
    return sum(d.code == code for d in reading.diagnostics)


@EVERY
def test_marked_document_has_the_expected_findings(dialect: Dialect, path: Path):
    text = path.read_text("utf-8")
    expected = expected_findings(text)
    assert expected
    assert expected == actual_findings(dialect.read(text, {}))


@EVERY
def test_line_ends_and_a_byte_order_mark_do_not_move_findings(dialect: Dialect, path: Path):
    text = path.read_text("utf-8")
    expected = actual_findings(dialect.read(text, {}))
    for variant in (
        text.replace("\n", "\r\n"),
        text.replace("\n", "\r"),
        "\ufeff" + text,
        text.encode("utf-8"),
        text.encode("utf-8-sig"),
    ):
        assert expected == actual_findings(dialect.read(variant, {}))


@EVERY
def test_fix_removes_its_finding(dialect: Dialect, path: Path):
    text = path.read_text("utf-8")
    reading = dialect.read(text, {})
    for diagnostic in reading.diagnostics:
        for fix in diagnostic.fixes:
            after = dialect.read(apply_fix(text, fix), {})
            assert count(after, diagnostic.code) < count(reading, diagnostic.code), (
                diagnostic,
                fix.title,
            )


def test_thirty_mistakes_are_found_in_one_check():
    text = (FOLDER / "native" / "bad" / "thirty.yaml").read_text("utf-8")
    reading = dialects()["native"].read(text, {})
    assert 30 == len(expected_findings(text)) == len(reading.errors)
    assert reading.policy is None
