"""Check the active version against its expectations and a month of recorded history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, F, OuterRef, Q

from console.configs.models import ActiveConfig, ConfigVersion
from console.configs.services.check_expectations import check_expectations
from console.engine.model.policy import Policy
from console.engine.routing.router import Router
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule
from console.orgs.models import Organization
from console.overview.items import MOST_SUBJECTS
from console.overview.models import CheckUp
from console.overview.task_limits import MAX_ORGS_PER_RUN
from console.policies.queries import policy_of
from console.workloads.models import Event, EventType, RecordedShape
from console.workloads.queries.history import WINDOW, history_of

#: How long an evaluation of history is valid; it covers days and takes a while.
_VALID_FOR: Final = timedelta(hours=1)

#: Maximum number of stored idle rules.
_MOST_IDLE: Final = 1000

_EXPECTATIONS: Final = (EventType.EXPECTATION_SAVED, EventType.EXPECTATION_DELETED)


def due_check_ups(now: datetime) -> list[int]:
    """
    Return the keys of organizations whose config, expectations or history have changed.

    At most `MAX_ORGS_PER_RUN`, those checked longest ago first, so that each gets its turn.
    """
    changed = Event.objects.filter(
        org=OuterRef("org"), type__in=_EXPECTATIONS, pk__gt=OuterRef("org__check_up__last_event")
    )
    due = (
        Q(org__check_up=None)
        | ~Q(org__check_up__version=F("number"))
        | Q(org__check_up__history_at__lt=now - _VALID_FOR)
        | Exists(changed)
    )
    rows = ActiveConfig.objects.filter(due, number__gt=0)
    waits_longest = F("org__check_up__checked_at").asc(nulls_first=True)
    return list(rows.order_by(waits_longest, "pk").values_list("pk", flat=True)[:MAX_ORGS_PER_RUN])


def check_up(org_id: int, now: datetime) -> None:
    """
    Rewrite the results for the active version of an organization.

    History is evaluated again only for a new version, or after an hour.
    """
    org = Organization.objects.filter(pk=org_id).first()
    version = ConfigVersion.objects.filter(
        org=org_id, number=F("org__active_config__number")
    ).first()
    if org is None or version is None:
        return
    newest = Event.objects.filter(org=org, type__in=_EXPECTATIONS).order_by("-pk")
    last_event = newest.values_list("pk", flat=True).first() or 0
    policy = policy_of(version)
    broken = check_expectations(org, policy)
    found = {
        "version": version.number,
        "checked_at": now,
        "last_event": last_event,
        "broken_count": len(broken),
        "broken": [each.name for each in broken[:MOST_SUBJECTS]],
    }
    known = CheckUp.objects.filter(org=org).first()
    if known is None or known.version != version.number or known.history_at < now - _VALID_FOR:
        idle = list(idle_rules(org, policy, now))[:_MOST_IDLE]
        found |= {"history_at": now, "idle_rules": [[rule.index, rule.queue] for rule in idle]}
    CheckUp.objects.update_or_create(org=org, defaults=found)


def idle_rules(org: Organization, policy: Policy, now: datetime) -> Iterator[Rule]:
    """
    Yield the rules that match none of the workloads recorded in `WINDOW` days.

    Only if the history covers this time and is complete, and for rules that are as old. A
    catch-all rule is not reported.
    """
    first = (now - timedelta(days=WINDOW - 1)).date()
    oldest = RecordedShape.objects.filter(org=org).order_by("day").values_list("day", flat=True)
    before = ConfigVersion.objects.filter(org=org, created_at__lt=now - timedelta(days=WINDOW - 1))
    old_version = before.order_by("-number").first()
    day = oldest.first()
    if not rules_of(policy) or day is None or day > first or old_version is None:
        return
    history = history_of(org, WINDOW)
    if not history.is_complete:
        return
    router = Router(policy)
    taken = {router.route(shape.workload).rule for shape in history.shapes}
    old = {_meaning(rule) for rule in rules_of(policy_of(old_version))}
    for rule in rules_of(policy):
        if rule.index not in taken and rule.selector.expressions and _meaning(rule) in old:
            yield rule


def _meaning(rule: Rule) -> tuple[object, ...]:
    """Return selector and queue of a rule, independent of its place in the text."""
    asked = ((each.key, each.operator, each.values) for each in rule.selector.expressions)
    return rule.queue, *sorted(asked)
