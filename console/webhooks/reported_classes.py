"""Reported classes: pending workloads that cannot run and need no further report."""

from __future__ import annotations

from console.orgs.models import Organization
from console.webhooks.models import Kind, ToldClass
from console.webhooks.outbox import active_webhooks
from console.workloads.models import PendingClass
from console.workloads.queries.demand import cannot_run_reasons


def reports_cannot_run(org: Organization) -> bool:
    """Return whether a webhook has selected workloads that cannot run."""
    return any(Kind.CANNOT_RUN in webhook.kinds for webhook in active_webhooks(org))


def mark_as_reported(org: Organization) -> None:
    """
    Mark all classes that cannot run now as reported, so that only later ones are reported.

    Without such webhooks no marks are kept, so this replaces outdated ones. Call it inside the
    transaction that adds the first webhook with this kind.
    """
    ToldClass.objects.filter(org=org).delete()
    classes = PendingClass.objects.filter(org=org, reason__in=cannot_run_reasons())
    keys = classes.values_list("key", flat=True)
    rows = (ToldClass(org=org, key=key) for key in keys.iterator())
    ToldClass.objects.bulk_create(rows, batch_size=400, ignore_conflicts=True)
