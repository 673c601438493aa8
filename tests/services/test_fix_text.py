"""All obvious fixes of a typed text, and the sentence about them."""

from __future__ import annotations

import pytest

from console.configs.services.fix_text import FixedText, fix_text
from console.errors import BadRequest, NotAllowed
from console.orgs.permissions import Actor
from tests.browser.documents import CAP

BROKEN = CAP.replace("resource_flavors:", "resource_flavours:").replace(
    "resource_queue: default", "resource_queue: defalt"
)


def test_problems_are_fixed_and_what_remains_is_told(editor: Actor) -> None:
    fixed = fix_text(editor, "native", BROKEN)
    assert fixed == FixedText(CAP, 2, "2 problems fixed; no problems remain.")
    assert fix_text(editor, "native", CAP) == FixedText(CAP, 0, "There are no problems.")
    other = BROKEN.replace("nominal_quota: 24", "nominal_quota: many")
    told = fix_text(editor, "native", other)
    assert told.text == CAP.replace("nominal_quota: 24", "nominal_quota: many")
    assert told.sentence == "2 problems fixed; 1 error remains."
    assert fix_text(editor, "native", "[").sentence == (
        "No problem has a single fix; 1 error remains."
    )


def test_only_those_who_may_draft_fix_a_text(operator: Actor, editor: Actor) -> None:
    with pytest.raises(NotAllowed):
        fix_text(operator, "native", CAP)
    with pytest.raises(BadRequest, match="One field"):
        fix_text(editor, "nothing", CAP)
