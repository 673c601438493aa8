"""Consequences of an apply, which have to be accepted."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeAlias

from console.configs.errors import ConfigRejected, ConsequencesNotAccepted
from console.configs.models import ConfigVersion, ImpactRun
from console.configs.services.check_config import check_config
from console.configs.services.check_expectations import check_expectations
from console.configs.services.find_impact import digest_of
from console.configs.services.lint_config import Checked, lint_config
from console.dialects import dialects
from console.dialects.diagnostics import Severity
from console.dialects.lints import Facts, lint
from console.dialects.lints.codes import (
    LOOKS_RENAMED,
    NEVER_FITS,
    QUOTA_BELOW_USAGE,
    REMOVED_WITH_WORK,
)
from console.dialects.lints.wording import quoted
from console.dialects.objects import place_takers, renames_between
from console.dialects.reading_cache import read_kept
from console.engine.explain.consequences import Consequence, consequence_sentence
from console.engine.model.consequences import GRAVITY, ConsequenceCode, Excess, Finding, with_ends
from console.engine.model.history import Backlog, Live
from console.engine.model.policy import Policy
from console.engine.simulation.consequences import find
from console.engine.simulation.rejected_pending import find_rejected_pending
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version, policy_of
from console.policies.renames import new_name_of
from console.workloads.queries.backlog import backlog_of
from console.workloads.queries.history import live_of
from console.workloads.queries.holdings import holdings_of

#: Warnings that are consequences of their own.
_TOLD = frozenset({QUOTA_BELOW_USAGE.code, REMOVED_WITH_WORK.code, LOOKS_RENAMED.code})

#: Queues that drain whose place is looked for; each takes a query or two.
_MOST_DRAINING = 20

#: A rule by its place, which changes with everything that comes before it.
_PLACE = re.compile(r"\b([Rr]ule) \d+(?: \(line \d+\))?")

#: A count or an amount of now, and the ending of a noun or a verb that goes with it.
_NUMBER = re.compile(r"(?<![\w.-])[0-9][0-9,.]*(?![\w-]) ?")
_PLURAL = re.compile(r"s\b")
#: A name.
_QUOTED = re.compile(r'("[^"]*")')

#: Code of a warning, and what its sentence says.
_Warning: TypeAlias = tuple[str, str]


def find_consequences(actor: Actor, dialect: str, text: str) -> tuple[Consequence, ...]:
    """
    Return what follows when *text* becomes the active version now, gravest first.

    Raises NotAllowed, BadRequest for an unknown dialect, and ConfigRejected when the
    text has errors.
    """
    checked = lint_config(actor, dialect, text)
    if not checked.reading.ok:
        raise ConfigRejected(checked.reading)
    return consequences_of(actor, dialect, text, checked)


def consequences_of(
    actor: Actor, dialect: str, text: str, checked: Checked, backlog: Backlog | None = None
) -> tuple[Consequence, ...]:
    """
    Return what follows when *text*, *checked* and without errors, becomes active.

    What waits is read unless the caller has it: *backlog*.
    """
    return _worded(_findings(actor, dialect, text, checked, backlog))


def _worded(findings: Iterable[Finding]) -> tuple[Consequence, ...]:
    return tuple(
        Consequence(finding.code.value, consequence_sentence(finding), GRAVITY[finding.code])
        for finding in sorted(findings, key=lambda finding: -GRAVITY[finding.code])
    )


def accept_consequences(
    actor: Actor, dialect: str, text: str, accept: Collection[str] | None
) -> list[dict[str, Any]]:
    """
    Return what follows from an apply and what of it its author accepted, as the row keeps it.

    When *accept* is None, nothing has to be accepted, and what follows is told without what only
    deserves a look at the text: its warnings, and a preview that failed. Otherwise the code of
    every consequence has to be in it; raises ConsequencesNotAccepted.
    """
    if accept is None:
        policy = check_config(actor, dialect, text).policy
        assert policy is not None, "a text with errors is not applied"
        active = active_version(actor.org)
        findings = _effects(actor.org, active, dialect, policy, live_of(actor.org))
        consequences = _worded(findings)
    else:
        consequences = find_consequences(actor, dialect, text)
    if accept is not None and any(each.code not in accept for each in consequences):
        raise ConsequencesNotAccepted(consequences, accept)
    return [
        {"code": each.code, "message": each.message, "accepted": accept is not None}
        for each in consequences
    ]


def _findings(
    actor: Actor, dialect: str, text: str, checked: Checked, backlog: Backlog | None
) -> Iterator[Finding]:
    policy = checked.reading.policy
    assert policy is not None
    org = actor.org
    active = active_version(org)
    yield from _effects(org, active, dialect, policy, checked.facts.live, backlog)
    if added := _added(_warnings(checked), _known_warnings(active, policy, checked.facts)):
        names = tuple(code for code, _ in sorted(added))
        yield Finding(code=ConsequenceCode.WARNINGS_ADDED, names=names)
    if _preview_failed(active, org, digest_of(dialect, text)):
        yield Finding(code=ConsequenceCode.PREVIEW_UNAVAILABLE)


def _effects(
    org: Organization,
    active: ConfigVersion | None,
    dialect: str,
    new: Policy,
    live: Live,
    backlog: Backlog | None = None,
) -> Iterator[Finding]:
    """Yield what follows for work, routing, language and expectations when *new* is applied."""
    old = policy_of(active) if active else None
    for finding in find(old, new, live, _heirs(org, old, live)):
        yield replace(finding, excesses=_with_ends(org, finding.excesses))
    if old is not None:
        waiting = backlog_of(org) if backlog is None else backlog
        if found := find_rejected_pending(old, new, waiting):
            yield found
    if active and active.dialect != dialect:
        titles = (dialects()[active.dialect].title, dialects()[dialect].title)
        yield Finding(code=ConsequenceCode.DIALECT_CHANGED, names=titles)
    if broken := check_expectations(org, new):
        names = tuple(each.name for each in broken)
        yield Finding(code=ConsequenceCode.EXPECTATION_BROKEN, names=names)


def _with_ends(org: Organization, excesses: tuple[Excess, ...]) -> tuple[Excess, ...]:
    """Return *excesses* with how many running workloads have to end."""
    queues = {name for excess in excesses for name in excess.holders}
    return with_ends(excesses, holdings_of(org, queues)) if queues else excesses


def _heirs(org: Organization, old: Policy | None, live: Live) -> dict[str, str]:
    """Return the queues that drain already, each with the queue of *old* that has its place."""
    draining = [name for name in live.usage if old is not None and name not in old.queues]
    heirs = {}
    for name in sorted(draining)[:_MOST_DRAINING]:
        renamed = new_name_of(org, name)
        if renamed is not None:
            heirs[name] = renamed[0]
    return heirs


def is_impact_known(org: Organization, dialect: str, text: str, base: int) -> bool:
    """Say whether what *text* would do in the place of version *base* was found out lately."""
    runs = ImpactRun.objects.filter(org=org, digest=digest_of(dialect, text), base=base)
    return runs.filter(state=ImpactRun.State.DONE).exists()


def _preview_failed(active: ConfigVersion | None, org: Organization, digest: str) -> bool:
    """Say whether the impact of this very text was asked for last and is not known."""
    base = active.number if active else 0
    run = ImpactRun.objects.filter(org=org, digest=digest, base=base).order_by("-pk").first()
    return run is not None and run.state in (ImpactRun.State.FAILED, ImpactRun.State.CANCELLED)


def _known_warnings(
    active: ConfigVersion | None, policy: Policy, facts: Facts
) -> Counter[_Warning]:
    """Return the warnings of the active text, in the names that its objects have in *policy*."""
    if active is None or active.dialect not in dialects():
        return Counter()
    dialect = dialects()[active.dialect]
    # It was held against what queue names are fixed to when it was applied.
    known = _warnings(lint(dialect, read_kept(dialect, active.text, {}), facts))
    if not known:
        return known
    old_policy = policy_of(active)
    renamed = renames_between(old_policy, policy).old_names.values()
    # A rename asks one tick of its own, and what was said before of the same thing is not new.
    names = {quoted(old): quoted(new) for pairs in renamed for new, old in pairs.items()}
    takers = place_takers(old_policy, policy, old_policy.queues)
    names |= {quoted(old): quoted(new) for old, new in takers.items()}
    if not names:
        return known
    old_name = re.compile("|".join(map(re.escape, names)))
    return Counter(
        (code, old_name.sub(lambda m: names[m.group()], said)) for code, said in known.elements()
    )


def _added(found: Counter[_Warning], known: Counter[_Warning]) -> list[_Warning]:
    """
    Return the warnings in *found* that are not among the *known*, whatever they count by now.

    That a request can never fit is new again where its queue can have less than before.
    """
    before: defaultdict[_Warning, list[Decimal]] = defaultdict(list)
    for code, said in known.elements():
        before[code, _meaning(said)].append(_limit(code, said))
    added = []
    for code, said in sorted(found.elements()):
        alike, limit = before[code, _meaning(said)], _limit(code, said)
        match = max((each for each in alike if each <= limit), default=None)
        if match is None:
            added.append((code, said))
        else:
            alike.remove(match)
    return added


def _limit(code: str, said: str) -> Decimal:
    """Return what a queue can have by a warning that says it at its end; 0 for any other."""
    numbers = _NUMBER.findall(_QUOTED.sub("", said)) if code == NEVER_FITS.code else []
    return Decimal(numbers[-1].strip(" ,.").replace(",", "")) if numbers else Decimal(0)


def _meaning(message: str) -> str:
    """
    Return what the sentence of a warning says of which objects, whatever numbers it has by now.

    >>> _meaning('Rule 3 leads 1,200 workloads to queue "a2", which has 4 cpu.')
    'Rule lead workload to queue "a2", which ha cpu.'
    """
    parts = _QUOTED.split(_PLACE.sub(r"\1", message))
    return "".join(
        part if place % 2 else _PLURAL.sub("", _NUMBER.sub("", part))
        for place, part in enumerate(parts)
    )


def _warnings(checked: Checked) -> Counter[_Warning]:
    """Return the warnings of a text, wherever they and what they tell of are in it."""
    return Counter(
        (found.code, _PLACE.sub(r"\1", found.message))
        for found in checked.findings
        if found.severity is Severity.WARNING and found.code not in _TOLD
    )
