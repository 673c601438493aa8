"""Cancel an impact run: a waiting run ends at once, a running one at its next step."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.configs.models import ImpactRun
from console.configs.queries import get_impact
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission


def cancel_impact(actor: Actor, run_id: int) -> ImpactRun:
    """
    Cancel a run; a run that has ended does not change.

    Raises NotAllowed, and NotFound for a run of another organization.
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
