"""Consequences of an apply: effects that the author has to accept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from console.configs.errors import ConfigRejected, ConsequencesNotAccepted
from console.configs.models import ConfigVersion, ImpactRun
from console.configs.queries import digest_of
from console.configs.services.added_warnings import added_warnings
from console.configs.services.check_config import check_config
from console.configs.services.check_expectations import check_expectations
from console.configs.services.lint_config import Checked, lint_config
from console.dialects import dialects
from console.dialects.diagnostics import Diagnostic
from console.dialects.objects import continued_queues
from console.engine.explain.consequences import Consequence, consequence_of
from console.engine.model.consequences import (
    ConsequenceCode,
    Excess,
    Finding,
    with_ends,
)
from console.engine.model.history import Backlog, Live
from console.engine.model.policy import Policy
from console.engine.simulation.consequences import simulate_consequences
from console.engine.simulation.rejected_pending import find_rejected_pending
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version, policy_of
from console.policies.renames import new_name_of
from console.workloads.queries.backlog import backlog_of
from console.workloads.queries.history import live_of
from console.workloads.queries.holdings import holdings_of

#: Maximum number of draining queues whose successor is looked up; each takes one or two queries.
_MOST_DRAINING = 20


def find_consequences(actor: Actor, dialect: str, text: str) -> tuple[Consequence, ...]:
    """
    Return the consequences of an apply of *text* now, the most severe first.

    Raises NotAllowed, BadRequest for an unknown dialect, and ConfigRejected if the text has errors.
    """
    checked = lint_config(actor, dialect, text)
    if not checked.reading.ok:
        raise ConfigRejected(checked.reading)
    return consequences_of(actor, dialect, text, checked)


def consequences_of(
    actor: Actor,
    dialect: str,
    text: str,
    checked: Checked,
    backlog: Backlog | None = None,
    added: Sequence[Diagnostic] | None = None,
) -> tuple[Consequence, ...]:
    """
    Return the consequences of an apply of *text*, whose check *checked* has no errors.

    The pending workloads are read unless the caller passes them as *backlog*, and the active text
    is linted unless the caller passes the result of `added_warnings` as *added*.
    """
    return _to_consequences(_findings(actor, dialect, text, checked, backlog, added))


def _to_consequences(findings: Iterable[Finding]) -> tuple[Consequence, ...]:
    return tuple(
        consequence_of(finding) for finding in sorted(findings, key=lambda finding: -finding.level)
    )


def accept_consequences(
    actor: Actor, dialect: str, text: str, accept: Collection[str] | None
) -> list[dict[str, Any]]:
    """
    Return the consequences of an apply, and whether they were accepted, for the version's row.

    If *accept* is None, no consequence has to be accepted, and added warnings and a failed impact
    run are left out, because they only call for a review of the text. Otherwise *accept* must
    contain the code of every consequence that needs acceptance; raises ConsequencesNotAccepted.
    """
    if accept is None:
        policy = check_config(actor, dialect, text).policy
        assert policy is not None, "a text with errors is not applied"
        active = active_version(actor.org)
        findings = _effects(actor.org, active, dialect, policy, live_of(actor.org))
        consequences = _to_consequences(findings)
    else:
        consequences = find_consequences(actor, dialect, text)
    if accept is not None and any(
        each.needs_acceptance and each.code not in accept for each in consequences
    ):
        raise ConsequencesNotAccepted(consequences, accept)
    return [
        {"code": each.code, "message": each.message, "accepted": accept is not None}
        for each in consequences
    ]


def _findings(
    actor: Actor,
    dialect: str,
    text: str,
    checked: Checked,
    backlog: Backlog | None,
    added: Sequence[Diagnostic] | None,
) -> Iterator[Finding]:
    policy = checked.reading.policy
    assert policy is not None
    org = actor.org
    active = active_version(org)
    yield from _effects(org, active, dialect, policy, checked.facts.live, backlog)
    if added is None:
        added = added_warnings(active, checked)
    if added:
        names = tuple(each.code for each in added)
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
    """Yield the consequences of *new* for workloads, routing, language and expectations."""
    old = policy_of(active) if active else None
    continued = continued_queues(old, new) if old is not None else {}
    for finding in simulate_consequences(old, new, live, _successors(org, old, live), continued):
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
    """Return *excesses* with the number of running workloads that have to end."""
    queues = {name for excess in excesses for name in excess.holders}
    return with_ends(excesses, holdings_of(org, queues)) if queues else excesses


def _successors(org: Organization, old: Policy | None, live: Live) -> dict[str, str]:
    """Return the queues that already drain, each with the queue of *old* that replaced it."""
    draining = [name for name in live.usage if old is not None and name not in old.queues]
    successors = {}
    for name in sorted(draining)[:_MOST_DRAINING]:
        renamed = new_name_of(org, name)
        if renamed is not None:
            successors[name] = renamed[0]
    return successors


def known_affected(org: Organization, dialect: str, text: str, base: int) -> int | None:
    """
    Return how many live workloads *text* affects, by its last impact run on version *base*.

    None: the impact was not computed.
    """
    runs = ImpactRun.objects.filter(org=org, digest=digest_of(dialect, text), base=base)
    done = runs.filter(state=ImpactRun.State.DONE).order_by("-pk")
    return done.values_list("result__live__affected", flat=True).first()


def _preview_failed(active: ConfigVersion | None, org: Organization, digest: str) -> bool:
    """Return whether the last impact run of the text on *active* failed or was cancelled."""
    base = active.number if active else 0
    run = ImpactRun.objects.filter(org=org, digest=digest, base=base).order_by("-pk").first()
    return run is not None and run.state in (ImpactRun.State.FAILED, ImpactRun.State.CANCELLED)
