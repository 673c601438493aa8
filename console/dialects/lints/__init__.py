"""
Lints: what a sound config of any language probably does not mean to say.

They judge a policy, not a text: alone, by recorded history, and by what runs now.
What a dialect says itself of the same place is said once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, TypeAlias

from console.dialects.base import Dialect, DisciplineLints, Reading
from console.dialects.collector import collector_paused
from console.dialects.diagnostics import Diagnostic
from console.dialects.findings import Findings
from console.dialects.lints.codes import RECORDED_WITHOUT_RULE
from console.dialects.lints.facts import NO_FACTS, Facts
from console.dialects.lints.labels import lint_labels
from console.dialects.lints.reach import lint_lost, lint_queues
from console.dialects.lints.running import lint_removed
from console.dialects.lints.selectors import lint_selectors
from console.dialects.lints.shadows import lint_shadows, shadowed
from console.dialects.past import Past
from console.dialects.spots import Spots
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.recent_answers import IdentityKey
from console.engine.routing.rule_routing import rules_of

#: What makes the lints of a discipline.
_Lints: TypeAlias = Callable[[Policy], DisciplineLints] | None

__all__ = ["NO_FACTS", "Checked", "Facts", "lint"]

#: Characters of a text whose lints are remembered: those of the last four take up to 20 MB each.
LONGEST_KEPT: Final = 400_000

_FIELD: Final = re.compile(r"\.[^.\[\]]+$")

#: Lints that tell more than the finding of a dialect at the same place, and take its place.
_TELL_MORE: Final = frozenset({RECORDED_WITHOUT_RULE.code})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A reading, and the lints beside it; a text with errors has none."""

    reading: Reading
    lints: tuple[Diagnostic, ...] = ()
    #: The data of the organization at that time, to evaluate the same text with more data.
    facts: Facts = field(default=NO_FACTS, repr=False, compare=False)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Diagnostics and lints together, in the order of the text."""
        return tuple(sorted((*self.reading.diagnostics, *self.lints), key=lambda d: d.span))


def lint(dialect: Dialect, reading: Reading, facts: Facts = NO_FACTS) -> Checked:
    """Return *reading*, which *dialect* made, with what *facts* and its policy tell about it."""
    if reading.policy is None or reading.source is None:
        return Checked(reading=reading)
    with collector_paused():
        known = _lasting(dialect.lints, reading, facts.history)
        findings = known.findings.copy()
        _lint_now(dialect.lints, reading.policy, facts, known.spots, findings)
    return replace(_said_once(dialect, reading, findings.diagnostics()), facts=facts)


@dataclass(frozen=True, slots=True)
class _Lasting:
    """Results of a policy and recorded history, without running workloads; never modified."""

    spots: Spots
    findings: Findings


def _lint_lasting(lints: _Lints, reading: Reading, history: History) -> _Lasting:
    policy, source = reading.policy, reading.source
    assert policy is not None, "only what compiles is linted"
    assert source is not None, "what compiles knows its places"
    spots, findings = Spots(source), Findings(source.positions)
    own = lints(policy) if lints is not None else None
    rules = rules_of(policy)
    shadows = shadowed(rules)
    lint_shadows(shadows, rules, spots, findings)
    lint_selectors(policy, spots, findings)
    lint_queues(policy, shadows, spots, findings)
    if own is not None:
        own.lint_policy(spots, findings)
    if history.shapes:
        past = Past(policy, history)
        lint_lost(policy, past, spots, findings)
        if own is not None:
            own.lint_past(past, spots, findings)
        lint_labels(policy, past, spots, findings)
    return _Lasting(spots, findings)


def _lint_now(
    lints: _Lints, policy: Policy, facts: Facts, spots: Spots, findings: Findings
) -> None:
    """Judge by what runs at this moment, which nothing remembers."""
    if facts.before is not None:
        lint_removed(policy, facts.before, facts.live, spots, findings)
    if lints is not None:
        lints(policy).lint_live(facts.live, spots, findings)


def _lasting(lints: _Lints, reading: Reading, history: History) -> _Lasting:
    assert reading.source is not None, "what compiles knows its places"
    if len(reading.source.positions.text) > LONGEST_KEPT:
        return _lint_lasting(lints, reading, history)
    return _kept(lints, IdentityKey(reading), IdentityKey(history))


@lru_cache(maxsize=4)
def _kept(lints: _Lints, reading: IdentityKey[Reading], history: IdentityKey[History]) -> _Lasting:
    return _lint_lasting(lints, reading.value, history.value)


def _said_once(dialect: Dialect, reading: Reading, lints: tuple[Diagnostic, ...]) -> Checked:
    """Return both without what is said of one place by either."""
    kept, dropped = [], set()
    for theirs in reading.diagnostics:
        code = dialect.said_by_lints.get(theirs.code)
        same = [d for d in lints if d.code == code and d.path.startswith(_object(theirs.path))]
        if same and code in _TELL_MORE:
            continue
        dropped.update(same)
        kept.append(theirs)
    return Checked(
        reading=replace(reading, diagnostics=tuple(kept)),
        lints=tuple(each for each in lints if each not in dropped),
    )


def _object(path: str) -> str:
    """Return the path of the object whose field *path* may be."""
    return _FIELD.sub("", path)
