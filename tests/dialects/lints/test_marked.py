"""Every marked document has the expected lints, and their fixes remove them."""

from __future__ import annotations

import pytest

from console.dialects.lints import Checked, lint
from console.dialects.positions import apply_fix
from tests.dialects.carets import expected_findings
from tests.dialects.lints.marked import Marked, marked_documents

DOCUMENTS = list(marked_documents())
EVERY = pytest.mark.parametrize("document", DOCUMENTS, ids=[each.name for each in DOCUMENTS])


def lints_of(checked: Checked) -> list[tuple[int, int, str]]:
    """Return line, column and code of every lint, in their order."""
    assert checked.reading.ok, checked.reading.errors
    return [(d.span.line, d.span.column, d.code) for d in checked.lints]


@EVERY
def test_marked_document_has_the_expected_lints(document: Marked):
    expected = expected_findings(document.text)
    assert expected
    assert expected == lints_of(document.check())


@EVERY
def test_line_ends_and_a_byte_order_mark_do_not_move_lints(document: Marked):
    expected = lints_of(document.check())
    for variant in (document.text.replace("\n", "\r\n"), "\ufeff" + document.text):
        assert expected == lints_of(document.check(variant))
    assert expected == lints_of(document.check(document.text.encode("utf-8-sig")))


@EVERY
def test_fix_removes_its_lint(document: Marked):
    before = document.check()
    for each in before.lints:
        for fix in each.fixes:
            after = document.check(apply_fix(document.text, fix))
            codes = [other.code for other in after.lints]
            assert codes.count(each.code) < [other.code for other in before.lints].count(each.code)


@EVERY
def test_live_lints_are_those_that_need_facts(document: Marked):
    alone = lint(document.dialect, document.dialect.read(document.text, {})).lints
    told = {each.code for each in alone}
    assert [each.code for each in alone if each.is_live] == []
    assert {each.code: each.is_live for each in document.check().lints} == {
        each.code: each.code not in told for each in document.check().lints
    }
