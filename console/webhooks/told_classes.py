"""Which classes of pending workloads are known to be told of, when telling begins."""

from __future__ import annotations

from console.orgs.models import Organization
from console.webhooks.models import Kind, ToldClass
from console.webhooks.outbox import told_of
from console.workloads.models import PendingClass
from console.workloads.queries.demand import cannot_run_reasons


def tells_of_never(org: Organization) -> bool:
    """Say whether any webhook is told which workloads can never run."""
    return any(Kind.CANNOT_RUN in webhook.kinds for webhook in told_of(org))


def begin_to_tell(org: Organization) -> None:
    """
    Take what can never run at the moment for told, so that only what becomes so is told.

    While nobody is told nothing is kept, so this forgets what was. Call it inside the
    transaction that makes the first webhook want it.
    """
    ToldClass.objects.filter(org=org).delete()
    classes = PendingClass.objects.filter(org=org, reason__in=cannot_run_reasons())
    keys = classes.values_list("key", flat=True)
    rows = (ToldClass(org=org, key=key) for key in keys.iterator())
    ToldClass.objects.bulk_create(rows, batch_size=400, ignore_conflicts=True)
