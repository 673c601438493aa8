"""Fix all problems of a typed text that have one obvious fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from console.configs.services.lint_config import lint_config
from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.fix_all import fix_all, is_obvious
from console.engine.wording.words import listed, plural
from console.orgs.permissions import Actor, Permission

_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text after its fixes."""

    text: str
    #: Number of applied fixes.
    count: int
    #: One sentence about the fixed and the remaining problems.
    sentence: str


def fix_text(actor: Actor, dialect: str, text: str) -> FixedText:
    """
    Return *text* with all obvious fixes of its problems, and what remains; nothing is stored.

    Raises NotAllowed, and BadRequest for an unknown dialect.
    """
    actor.require(Permission.DRAFT)

    def find(text: str) -> Sequence[Diagnostic]:
        return lint_config(actor, dialect, text).findings

    fixed = fix_all(text, find)
    return FixedText(fixed.text, fixed.count, _sentence(fixed.count, find(fixed.text)))


def _sentence(count: int, left: Sequence[Diagnostic]) -> str:
    done = f"{plural(count, 'problem')} fixed" if count else "No problem has a single fix"
    if not left:
        return f"{done}; no problems remain." if count else "There are no problems."
    counts = Counter(each.severity for each in left)
    parts = [plural(counts[each], noun) for each, noun in _NOUNS.items() if counts[each]]
    verb = "remains" if len(left) == 1 else "remain"
    choices = sum(len(each.fixes) > 1 for each in left)
    more = f", {choices} with several fixes to choose from" if choices else ""
    return f"{done}; {listed(parts)} {verb}{more}."


def obvious_count(findings: Sequence[Diagnostic]) -> int:
    """Return the number of *findings* that `fix_text` fixes first."""
    return sum(map(is_obvious, findings))
