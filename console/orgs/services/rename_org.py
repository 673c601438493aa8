"""Rename an organization; its slug stays."""

from __future__ import annotations

from django.db import transaction

from console.orgs.audit import record
from console.orgs.org_names import read_org_name
from console.orgs.permissions import Actor, Permission
from console.orgs.services.lock_members import lock_members
from console.reading import Reader


def rename_org(actor: Actor, name: str) -> None:
    """
    Give the organization of *actor* the name *name*; the same name has no effect.

    Raises NotAllowed, and BadRequest at ``name``.
    """
    actor.require(Permission.MANAGE_ORG)
    reader = Reader()
    name = read_org_name(reader, name)
    reader.finish()
    org = actor.org
    with transaction.atomic():
        lock_members(actor)
        org.refresh_from_db(fields=["name"])
        if org.name == name:
            return
        before, org.name = org.name, name
        org.save(update_fields=["name"])
        record(
            actor,
            "org.rename",
            kind="org",
            subject=org.slug,
            before={"name": before},
            after={"name": name},
        )
