"""Measure the past usage of queues, for policies whose decisions depend on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import transaction

from console.engine.disciplines import load_discipline
from console.orgs.models import Organization
from console.policies.queries import NO_POLICY, get_version, policy_of
from console.series.coverage import floor_minute
from console.series.queries.recorded_usage import recorded_usage
from console.time_formats import milliseconds
from console.workloads.models import Engine, Intake, UsageHistory
from console.workloads.services.write_intake import write_intake

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def due_for_measuring(now: datetime) -> list[int]:
    """Return the keys of organizations whose usage was not measured in the minute of *now*."""
    minute = milliseconds(floor_minute(now))
    measured = UsageHistory.objects.filter(measured_at__gte=minute)
    rows = UsageHistory.objects.exclude(pk__in=measured).order_by("pk")
    return list(rows.values_list("pk", flat=True))


def measure_usage(org_id: int, now: datetime) -> bool:
    """
    Send the past usage until the minute of *now* to the engine of an organization.

    Returns whether it was sent: False if the policy does not read it, or if this minute was
    already measured. A measurement that the engine has not applied yet is replaced.
    """
    org = Organization.objects.get(pk=org_id)
    number = Engine.objects.values_list("config_version", flat=True).get(pk=org_id)
    policy = policy_of(get_version(org, number)) if number else NO_POLICY
    discipline, until = load_discipline(policy.discipline), floor_minute(now)
    at = milliseconds(until)
    past = discipline.usage_range(policy, at)
    if past is None or _is_measured(org, at):
        return False
    since = _EPOCH + timedelta(milliseconds=past.since)
    recorded = recorded_usage(org, since, until, by_day=past.is_even)
    parts = discipline.measure_usage(policy, at, recorded)
    with transaction.atomic():
        Intake.objects.filter(org=org, kind=Intake.Kind.USAGE).delete()
        write_intake(org_id, Intake.Kind.USAGE, {"measured_at": at, "parts": parts})
    return True


def _is_measured(org: Organization, at: int) -> bool:
    """Return whether the usage at the time *at*, or later, is known to the engine or on its way."""
    applied = UsageHistory.objects.filter(org=org, measured_at__gte=at)
    waiting = Intake.objects.filter(org=org, kind=Intake.Kind.USAGE, payload__measured_at__gte=at)
    return applied.exists() or waiting.exists()
