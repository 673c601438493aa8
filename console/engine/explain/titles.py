"""Titles of the stages and verdicts of explanations."""

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
    Return the title of a stage: "Rules" for the route, otherwise its code in words.

    >>> stage_title("route"), stage_title("fair_shares")
    ('Rules', 'Fair shares')
    """
    return "Rules" if code == "route" else code.replace("_", " ").capitalize()
