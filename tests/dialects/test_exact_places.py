"""Every diagnostic code has a test of its exact position."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.dialects import dialects
from console.dialects.catalogue import every_code
from tests.dialects.carets import actual_findings, expected_findings
from tests.dialects.native.test_queue_specs import PAST, TEXT
from tests.dialects.test_source import SYNTAX

FOLDER = Path(__file__).parent
#: Cases that marked documents cannot show, because of their size or of a past version.
ELSEWHERE = [
    (
        "resource_queues: [{name: q}]\nscheduling_rules:\n" + "- resource_queue: qq\n" * 501,
        # Reported at the position of the last finding that is kept.
        (502, 19, "DOC020"),
    ),
    (f"resource_flavors:\n  - name: {'x' * 501}\n", (2, 11, "DOC021")),
    (TEXT.replace("nominal_quota: 8", "nominal_quota: 9"), (3, 11, "NAT015")),
]


@pytest.mark.parametrize(("text", "place"), ELSEWHERE, ids=[place[2] for _, place in ELSEWHERE])
def test_finding_has_an_exact_position(text: str, place: tuple[int, int, str]):
    found = actual_findings(dialects()["native"].read(text, PAST))
    assert [each for each in found if each[2] == place[2]] == [place]


def test_every_code_has_a_test_of_its_position():
    placed = {place[2] for *_, place in (*SYNTAX, *ELSEWHERE)}
    for path in FOLDER.rglob("*.yaml"):
        placed |= {code for _, _, code in expected_findings(path.read_text("utf-8"))}
    assert {code.code for code in every_code()} == placed
