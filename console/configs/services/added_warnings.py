"""Warnings of a config text that the active version does not have."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import TypeAlias

from console.configs.models import ConfigVersion
from console.dialects import dialects
from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.lints import Checked, Facts, lint
from console.dialects.lints.codes import (
    LOOKS_RENAMED,
    NEVER_FITS,
    QUOTA_BELOW_USAGE,
    REMOVED_WITH_WORK,
)
from console.dialects.lints.wording import quoted
from console.dialects.objects import continued_queues, find_replacements, renames_between
from console.dialects.reading_cache import read_cached
from console.engine.model.policy import Policy
from console.policies.queries import policy_of

#: Codes of warnings that are reported as consequences of their own.
_OWN_CONSEQUENCES = frozenset({QUOTA_BELOW_USAGE.code, REMOVED_WITH_WORK.code, LOOKS_RENAMED.code})

#: The position of a rule in a message; it changes when earlier rules or lines change.
_PLACE = re.compile(r"\b([Rr]ule) \d+(?: \(line \d+\))?")

#: A count or amount in a message, and the ending of nouns and verbs that depends on a count.
_NUMBER = re.compile(r"(?<![\w.-])[0-9][0-9,.]*(?![\w-]) ?")
_PLURAL = re.compile(r"s\b")
#: A quoted name in a message.
_QUOTED = re.compile(r'("[^"]*")')

#: Code and message of a warning.
_Warning: TypeAlias = tuple[str, str]


def added_warnings(active: ConfigVersion | None, checked: Checked) -> tuple[Diagnostic, ...]:
    """
    Return the warnings of *checked*, which has no errors, that *active* does not have.

    They are in the order of their codes. A changed count is not a new warning. A warning NEVER_FITS
    is new if the maximum quota of the queue is lower than before.
    """
    policy = checked.reading.policy
    assert policy is not None, "a text with errors has no warnings"
    before: defaultdict[_Warning, list[Decimal]] = defaultdict(list)
    for code, message in _known_warnings(active, policy, checked.facts).elements():
        before[code, _without_numbers(message)].append(_quota_limit(code, message))
    added = []
    for (code, message), diagnostic in sorted(_warnings(checked), key=lambda each: each[0]):
        alike, limit = before[code, _without_numbers(message)], _quota_limit(code, message)
        match = max((each for each in alike if each <= limit), default=None)
        if match is None:
            added.append(diagnostic)
        else:
            alike.remove(match)
    return tuple(added)


def _known_warnings(
    active: ConfigVersion | None, policy: Policy, facts: Facts
) -> Counter[_Warning]:
    """Return the warnings of the active text, with the names that its objects have in *policy*."""
    if active is None or active.dialect not in dialects():
        return Counter()
    dialect = dialects()[active.dialect]
    # The active text was checked against the fixed queue specs when it was applied.
    checked = lint(dialect, read_cached(dialect, active.text, {}), facts)
    known = Counter(warning for warning, _ in _warnings(checked))
    if not known:
        return known
    old_policy = policy_of(active)
    renamed = renames_between(old_policy, policy).old_names.values()
    # A rename is a consequence of its own; the object's known warnings are not new because of it.
    names = {quoted(old): quoted(new) for pairs in renamed for new, old in pairs.items()}
    takers = find_replacements(old_policy, policy, old_policy.queues)
    names |= {quoted(old): quoted(new) for old, new in takers.items()}
    if not names:
        return known
    patterns = [re.escape(name) for name in names]
    # Some messages list queues without quotes.
    continued = continued_queues(old_policy, policy)
    patterns += [rf"(?<![\w:.-]){re.escape(name)}(?![\w-]|:\w)" for name in continued]
    names |= continued
    old_name = re.compile("|".join(patterns))
    return Counter(
        (code, old_name.sub(lambda m: names[m.group()], message))
        for code, message in known.elements()
    )


def _quota_limit(code: str, message: str) -> Decimal:
    """Return the maximum quota of the queue, the last number of NEVER_FITS; 0 for other codes."""
    numbers = _NUMBER.findall(_QUOTED.sub("", message)) if code == NEVER_FITS.code else []
    return Decimal(numbers[-1].strip(" ,.").replace(",", "")) if numbers else Decimal(0)


def _without_numbers(message: str) -> str:
    """
    Return *message* without numbers, positions of rules and endings that depend on a count.

    Names in quotes stay unchanged. Messages that differ only in counts become equal.

    >>> _without_numbers('Rule 3 leads 1,200 workloads to queue "a2", which has 4 cpu.')
    'Rule lead workload to queue "a2", which ha cpu.'
    """
    parts = _QUOTED.split(_PLACE.sub(r"\1", message))
    return "".join(
        part if place % 2 else _PLURAL.sub("", _NUMBER.sub("", part))
        for place, part in enumerate(parts)
    )


def _warnings(checked: Checked) -> Iterator[tuple[_Warning, Diagnostic]]:
    """Yield the warnings of a text without positions, except those that are consequences."""
    for found in checked.findings:
        if found.severity is Severity.WARNING and found.code not in _OWN_CONSEQUENCES:
            yield (found.code, _PLACE.sub(r"\1", found.message)), found
