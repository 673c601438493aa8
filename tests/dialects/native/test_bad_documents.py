"""Every marked document has the findings that it announces, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.dialects.native import DIALECT
from tests.dialects.carets import actual_findings, expected_findings

DOCUMENTS = sorted((Path(__file__).parent / "bad").glob("*.yaml"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_document_has_the_findings_it_announces(path: Path):
    text = path.read_text("utf-8")
    expected = expected_findings(text)
    assert expected
    assert expected == actual_findings(DIALECT.read(text, {}))


def test_thirty_mistakes_are_found_in_one_check():
    text = (Path(__file__).parent / "bad" / "thirty.yaml").read_text("utf-8")
    reading = DIALECT.read(text, {})
    assert 30 == len(expected_findings(text)) == len(reading.errors)
    assert reading.policy is None


def test_line_ends_and_a_byte_order_mark_do_not_move_findings():
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        expected = actual_findings(DIALECT.read(text, {}))
        for variant in (
            text.replace("\n", "\r\n"),
            text.replace("\n", "\r"),
            "\ufeff" + text,
            text.encode("utf-8"),
            text.encode("utf-8-sig"),
        ):
            assert expected == actual_findings(DIALECT.read(variant, {}))
