"""Preview a text on recorded history: where each distinct set of labels would be led, how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from console.configs.errors import ConfigRejected
from console.configs.services.lint_config import lint_config
from console.dialects.diagnostics import Diagnostic, Severity
from console.engine.model.history import Shape
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.routing.route_result import land
from console.engine.routing.router import Router
from console.engine.routing.rule_routing import rules_of
from console.orgs.permissions import Actor
from console.policies.queries import active_version, policy_of
from console.workloads.queries.history import history_of

#: Sets of labels that one preview shows, the most frequent.
MOST_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class Led:
    """Where a policy leads a workload: a queue, by which rule, or nowhere."""

    queue: str | None
    rule: int | None
    #: No rule takes it; without any rules everything is taken.
    is_refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One distinct set of labels, how often it ran, and where it is led."""

    labels: Mapping[str, str]
    runs: int
    draft: Led
    #: Under the active version; None when that is not asked for, or there is none.
    active: Led | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A rule on labels that no recorded workload has, so history cannot evaluate it."""

    rule: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a text would do to the workloads of the last days."""

    window_days: int
    read_at: datetime
    #: How many workloads the verdicts stand for.
    runs: int
    #: Whether there was more than is judged or shown.
    is_cut: bool
    #: The most frequent first.
    verdicts: tuple[Verdict, ...]
    #: What deserves a look in the text itself.
    findings: tuple[Diagnostic, ...]
    unseen: tuple[Unseen, ...]


def preview_config(actor: Actor, dialect: str, text: str, *, compare: bool) -> Preview:
    """
    Return where *text* would lead recorded work; with *compare*, where the active version does.

    Raises NotAllowed, BadRequest for an unknown dialect, and ConfigRejected when the text has
    errors.
    """
    checked = lint_config(actor, dialect, text)
    policy = checked.reading.policy
    if policy is None:
        raise ConfigRejected(checked.reading)
    version = active_version(actor.org) if compare else None
    history = history_of(actor.org)
    kinds = _kinds(history.shapes)
    draft, active = _Guide(policy), _Guide(policy_of(version)) if version else None
    verdicts = tuple(
        Verdict(
            labels=workload.labels,
            runs=runs,
            draft=draft.lead(workload),
            active=active.lead(workload) if active else None,
        )
        for workload, runs in kinds[:MOST_SHOWN]
    )
    return Preview(
        window_days=history.window_days,
        read_at=timezone.now(),
        runs=sum(verdict.runs for verdict in verdicts),
        is_cut=len(kinds) > MOST_SHOWN or not history.is_complete,
        verdicts=verdicts,
        findings=tuple(d for d in checked.findings if d.severity is not Severity.ERROR),
        unseen=_unseen(policy, [workload for workload, _ in kinds]),
    )


class _Guide:
    """Leads workloads under one policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._router = Router(policy)

    def lead(self, workload: Workload) -> Led:
        route_result = land(self._policy, workload, self._router)
        queue = route_result.route.queue
        return Led(queue, route_result.route.rule, queue is None and route_result.is_refused)


def _kinds(shapes: Iterable[Shape]) -> list[tuple[Workload, int]]:
    """Return one workload of all that are led alike, and how often they ran, most first."""
    found: dict[object, tuple[Workload, int]] = {}
    for shape in shapes:
        workload = shape.workload
        key = (tuple(sorted(workload.labels.items())), workload.priority, workload.namespace)
        _, runs = found.get(key, (workload, 0))
        found[key] = workload, runs + shape.runs
    return sorted(found.values(), key=lambda kind: -kind[1])


def _unseen(policy: Policy, workloads: Iterable[Workload]) -> tuple[Unseen, ...]:
    seen = {key for workload in workloads for key in workload.labels}
    if not seen:
        return ()
    return tuple(
        Unseen(rule=rule.index, keys=keys)
        for rule in rules_of(policy)
        if (keys := tuple(sorted({e.key for e in rule.selector.expressions} - seen)))
    )
