"""
Lints: probable mistakes in a valid config of any language.

They evaluate a policy, not a text: alone, against recorded history, and against running workloads.
If a dialect reports the same problem at the same place, only one of the two findings is shown.
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
from console.dialects.lints.reach import lint_queues, lint_unrouted
from console.dialects.lints.running import lint_removed
from console.dialects.lints.selectors import lint_selectors
from console.dialects.lints.shadows import find_shadowed, lint_shadows
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.result_cache import IdentityKey
from console.engine.routing.rule_routing import rules_of

#: Policy -> the lints of its discipline.
_Lints: TypeAlias = Callable[[Policy], DisciplineLints] | None

__all__ = ["NO_FACTS", "Checked", "Facts", "lint"]

#: Maximum length of a text whose lints are cached; the last four take up to 20 MB each.
LONGEST_CACHED: Final = 400_000

_FIELD: Final = re.compile(r"\.[^.\[\]]+$")

#: Lints that are more detailed than the dialect's finding at the same place, and replace it.
_MORE_DETAILED: Final = frozenset({RECORDED_WITHOUT_RULE.code})


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A reading with its lints; a text with errors has no lints."""

    reading: Reading
    lints: tuple[Diagnostic, ...] = ()
    #: The data of the organization at that time, to evaluate the same text with more data.
    facts: Facts = field(default=NO_FACTS, repr=False, compare=False)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Diagnostics and lints together, in the order of the text."""
        return tuple(sorted((*self.reading.diagnostics, *self.lints), key=lambda d: d.span))


def lint(dialect: Dialect, reading: Reading, facts: Facts = NO_FACTS) -> Checked:
    """Return *reading* of *dialect* with the lints of its policy, given *facts*."""
    if reading.policy is None or reading.source is None:
        return Checked(reading=reading)
    with collector_paused():
        known = _cached_policy_lints(dialect.lints, reading, facts.history)
        findings = known.findings.copy()
        _lint_live(dialect.lints, reading.policy, facts, known.places, findings)
    return replace(_without_duplicates(dialect, reading, findings.diagnostics()), facts=facts)


@dataclass(frozen=True, slots=True)
class _PolicyLints:
    """Results of a policy and recorded history, without running workloads; never modified."""

    places: PlaceFinder
    findings: Findings


def _lint_policy(lints: _Lints, reading: Reading, history: History) -> _PolicyLints:
    policy, source = reading.policy, reading.source
    assert policy is not None, "only a text without errors is linted"
    assert source is not None, "a text without errors has a source"
    places, findings = PlaceFinder(source), Findings(source.positions)
    own = lints(policy) if lints is not None else None
    rules = rules_of(policy)
    shadows = find_shadowed(rules)
    lint_shadows(shadows, rules, places, findings)
    lint_selectors(policy, places, findings)
    lint_queues(policy, shadows, places, findings)
    if own is not None:
        own.lint_policy(places, findings)
    if history.shapes:
        past = RoutedHistory(policy, history)
        lint_unrouted(policy, past, places, findings)
        if own is not None:
            own.lint_past(past, places, findings)
        lint_labels(policy, past, places, findings)
    return _PolicyLints(places, findings)


def _lint_live(
    lints: _Lints, policy: Policy, facts: Facts, places: PlaceFinder, findings: Findings
) -> None:
    """Add the lints that depend on live workloads; they are never cached."""
    if facts.before is not None:
        lint_removed(policy, facts.before, facts.live, places, findings)
    if lints is not None:
        own = lints(policy)
        own.lint_live(facts.live, places, findings)
        if facts.inventory is not None:
            own.lint_inventory(facts.inventory, places, findings)


def _cached_policy_lints(lints: _Lints, reading: Reading, history: History) -> _PolicyLints:
    assert reading.source is not None, "a text without errors has a source"
    if len(reading.source.positions.text) > LONGEST_CACHED:
        return _lint_policy(lints, reading, history)
    return _lint_policy_cached(lints, IdentityKey(reading), IdentityKey(history))


@lru_cache(maxsize=4)
def _lint_policy_cached(
    lints: _Lints, reading: IdentityKey[Reading], history: IdentityKey[History]
) -> _PolicyLints:
    return _lint_policy(lints, reading.value, history.value)


def _without_duplicates(
    dialect: Dialect, reading: Reading, lints: tuple[Diagnostic, ...]
) -> Checked:
    """Return reading and lints without duplicate findings about one object."""
    kept, dropped = [], set()
    for theirs in reading.diagnostics:
        code = dialect.equivalent_lints.get(theirs.code)
        same = [d for d in lints if d.code == code and d.path.startswith(_object(theirs.path))]
        if same and code in _MORE_DETAILED:
            continue
        dropped.update(same)
        kept.append(theirs)
    return Checked(
        reading=replace(reading, diagnostics=tuple(kept)),
        lints=tuple(each for each in lints if each not in dropped),
    )


def _object(path: str) -> str:
    """Return the path of the object that contains the field *path*."""
    return _FIELD.sub("", path)
