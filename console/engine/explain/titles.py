"""What the stages of an explanation and its verdicts are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.engine.explain.sentences import Verdict

VERDICT_TITLES: Final[Mapping[Verdict, str]] = {
    Verdict.PASS: "Passed:",
    Verdict.FAIL: "Not passed:",
    Verdict.INFO: "Noted:",
    Verdict.SKIP: "Not reached:",
}


def stage_title(code: str) -> str:
    """
    Return the title of a stage, which is its code in words.

    >>> stage_title("route"), stage_title("fair_shares")
    ('Rules', 'Fair shares')
    """
    return "Rules" if code == "route" else code.replace("_", " ").capitalize()
