"""Preview a config text: the routes of recorded workloads, by distinct set of labels."""

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
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router
from console.engine.routing.rule_routing import rules_of
from console.orgs.permissions import Actor
from console.policies.queries import active_version, policy_of
from console.workloads.queries.history import history_of

#: Maximum number of verdicts of a preview, the most frequent.
MOST_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class PreviewRoute:
    """The route of a workload under one policy: queue and rule, or None."""

    queue: str | None
    rule: int | None
    #: Whether no rule matches; false in a config without rules, which admits every workload.
    is_refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One distinct workload, its number of runs, and its routes."""

    labels: Mapping[str, str]
    runs: int
    draft: PreviewRoute
    #: The route under the active version; None if it was not requested, or no version is active.
    active: PreviewRoute | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnevaluableRule:
    """A rule on label keys that no recorded workload has, so history cannot evaluate it."""

    rule: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The routes of the recorded workloads under a config text."""

    window_days: int
    read_at: datetime
    #: Total number of runs of the verdicts.
    runs: int
    #: Whether recorded workloads are left out.
    is_cut: bool
    #: The most frequent first.
    verdicts: tuple[Verdict, ...]
    #: Warnings about the text.
    findings: tuple[Diagnostic, ...]
    unevaluable_rules: tuple[UnevaluableRule, ...]


def preview_config(actor: Actor, dialect: str, text: str, *, compare: bool) -> Preview:
    """
    Return the routes of recorded workloads under *text*, and, with *compare*, the active version.

    Raises NotAllowed, BadRequest for an unknown dialect, and ConfigRejected if the text has errors.
    """
    checked = lint_config(actor, dialect, text)
    policy = checked.reading.policy
    if policy is None:
        raise ConfigRejected(checked.reading)
    version = active_version(actor.org) if compare else None
    history = history_of(actor.org)
    counted = _distinct_workloads(history.shapes)
    draft, active = _PreviewRouter(policy), _PreviewRouter(policy_of(version)) if version else None
    verdicts = tuple(
        Verdict(
            labels=workload.labels,
            runs=runs,
            draft=draft.route(workload),
            active=active.route(workload) if active else None,
        )
        for workload, runs in counted[:MOST_SHOWN]
    )
    return Preview(
        window_days=history.window_days,
        read_at=timezone.now(),
        runs=sum(verdict.runs for verdict in verdicts),
        is_cut=len(counted) > MOST_SHOWN or not history.is_complete,
        verdicts=verdicts,
        findings=tuple(d for d in checked.findings if d.severity is not Severity.ERROR),
        unevaluable_rules=_unevaluable_rules(policy, [workload for workload, _ in counted]),
    )


class _PreviewRouter:
    """Routes workloads under one policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._router = Router(policy)

    def route(self, workload: Workload) -> PreviewRoute:
        route_result = find_route_result(self._policy, workload, self._router)
        queue = route_result.route.queue
        return PreviewRoute(
            queue, route_result.route.rule, queue is None and route_result.is_refused
        )


def _distinct_workloads(shapes: Iterable[Shape]) -> list[tuple[Workload, int]]:
    """
    Return distinct workloads and their number of runs, the most frequent first.

    Workloads are equal if they have the same labels, requested priority and namespace.
    """
    found: dict[object, tuple[Workload, int]] = {}
    for shape in shapes:
        workload = shape.workload
        key = (tuple(sorted(workload.labels.items())), workload.priority, workload.namespace)
        _, runs = found.get(key, (workload, 0))
        found[key] = workload, runs + shape.runs
    return sorted(found.values(), key=lambda kind: -kind[1])


def _unevaluable_rules(
    policy: Policy, workloads: Iterable[Workload]
) -> tuple[UnevaluableRule, ...]:
    seen = {key for workload in workloads for key in workload.labels}
    if not seen:
        return ()
    return tuple(
        UnevaluableRule(rule=rule.index, keys=keys)
        for rule in rules_of(policy)
        if (keys := tuple(sorted({e.key for e in rule.selector.expressions} - seen)))
    )
