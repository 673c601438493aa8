"""Set whether config changes of an organization need approval by another member."""

from __future__ import annotations

from django.db import transaction

from console.orgs.audit import record
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission


def set_approval(actor: Actor, *, required: bool) -> None:
    """Set whether config changes need approval; without a change, has no effect."""
    actor.require(Permission.MANAGE_ORG)
    org = actor.org
    with transaction.atomic():
        others = Organization.objects.filter(pk=org.pk, approval_required=not required)
        if not others.update(approval_required=required):
            return
        record(
            actor,
            "org.approval",
            kind="org",
            subject=org.slug,
            before={"required": not required},
            after={"required": required},
        )
    org.approval_required = required
