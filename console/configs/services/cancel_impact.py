"""Cancel an impact question: one that waits ends at once, one that runs at its next step."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.configs.models import ImpactRun
from console.configs.queries import get_impact
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission


def cancel_impact(actor: Actor, run_id: int) -> ImpactRun:
    """
    Let nobody go on with a run; one that has ended stays as it is.

    Raises NotAllowed, and NotFound for a run of others.
    """
    actor.require(Permission.DRAFT)
    run = get_impact(actor.org, run_id)
    own = ImpactRun.objects.filter(pk=run.pk)
    with transaction.atomic():
        cancelled = own.filter(state=ImpactRun.State.WAITING).update(
            state=ImpactRun.State.CANCELLED, is_cancelled=True, ended_at=timezone.now()
        ) or own.filter(state=ImpactRun.State.RUNNING, is_cancelled=False).update(is_cancelled=True)
        if cancelled:
            record(actor, "impact.cancel", kind="impact", subject=str(run.pk))
    run.refresh_from_db()
    return run
