"""
Lints: what a sound config of any language probably does not mean to say.

They judge a policy, not a text: alone, by recorded history, and by what runs now.
What a dialect says itself of the same place is said once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from console.dialects.base import Dialect, Reading
from console.dialects.collector import collector_paused
from console.dialects.diagnostics import Diagnostic
from console.dialects.findings import Findings
from console.dialects.lints.codes import RECORDED_WITHOUT_RULE
from console.dialects.lints.facts import NO_FACTS, Facts
from console.dialects.lints.flavors import lint_flavors
from console.dialects.lints.labels import lint_labels
from console.dialects.lints.lenders import lint_lenders
from console.dialects.lints.past import Past
from console.dialects.lints.quotas import lint_quotas
from console.dialects.lints.reach import lint_lost, lint_queues
from console.dialects.lints.requests import lint_requests
from console.dialects.lints.running import lint_removed, lint_usage
from console.dialects.lints.selectors import lint_selectors
from console.dialects.lints.shadows import lint_shadows, shadowed
from console.dialects.lints.spots import Spots
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.recent_answers import IdentityKey

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
    #: What was known of the organization then, for whoever judges the same text by more.
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
        known = _lasting(reading, facts.history)
        findings = known.findings.copy()
        _lint_now(reading.policy, facts, known.spots, findings)
    return replace(_said_once(dialect, reading, findings.diagnostics()), facts=facts)


@dataclass(frozen=True, slots=True)
class _Lasting:
    """What a policy and recorded history tell, whatever runs: nobody adds to it but a copy."""

    spots: Spots
    findings: Findings


def _lint_lasting(reading: Reading, history: History) -> _Lasting:
    policy, source = reading.policy, reading.source
    assert policy is not None, "only what compiles is linted"
    assert source is not None, "what compiles knows its places"
    spots, findings, ledger = Spots(source), Findings(source.positions), Ledger(policy)
    shadows = shadowed(policy.rules)
    lint_shadows(shadows, policy.rules, spots, findings)
    lint_selectors(policy, spots, findings)
    lint_queues(policy, shadows, spots, findings)
    lint_flavors(policy, spots, findings)
    lint_quotas(policy, ledger, spots, findings)
    lint_lenders(policy, spots, findings)
    if history.shapes:
        past = Past(policy, history)
        lint_lost(policy, past, spots, findings)
        lint_requests(policy, ledger, past, spots, findings)
        lint_labels(policy, past, spots, findings)
    return _Lasting(spots, findings)


def _lint_now(policy: Policy, facts: Facts, spots: Spots, findings: Findings) -> None:
    """Judge by what runs at this moment, which nothing remembers."""
    if facts.before is not None:
        lint_removed(policy, facts.before, facts.live, spots, findings)
    # It charges the ledger with what runs, so it has one of its own.
    lint_usage(policy, Ledger(policy), facts.live, spots, findings)


def _lasting(reading: Reading, history: History) -> _Lasting:
    assert reading.source is not None, "what compiles knows its places"
    if len(reading.source.positions.text) > LONGEST_KEPT:
        return _lint_lasting(reading, history)
    return _kept(IdentityKey(reading), IdentityKey(history))


@lru_cache(maxsize=4)
def _kept(reading: IdentityKey[Reading], history: IdentityKey[History]) -> _Lasting:
    return _lint_lasting(reading.value, history.value)


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
