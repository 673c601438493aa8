"""Set the groups of a member, effective with the next submission."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from console.errors import BadRequest
from console.orgs.audit import record
from console.orgs.identities import read_groups
from console.orgs.models import Membership
from console.orgs.people import get_member
from console.orgs.permissions import Actor, Permission
from console.orgs.services.lock_members import lock_members
from console.reading import Reader


def set_groups(actor: Actor, number: int, groups: Sequence[str]) -> Membership:
    """
    Replace the groups of membership *number* by *groups*, and return the membership.

    Workloads that are already submitted keep their groups. Raises NotAllowed, NotFound, and
    BadRequest at ``groups`` for too many groups or an invalid one.
    """
    actor.require(Permission.MANAGE_ORG)
    reader = Reader()
    wanted = list(read_groups(reader, list(groups)))
    if reader.errors:
        raise BadRequest(reader.errors, " ".join(each.message for each in reader.errors))
    with transaction.atomic():
        lock_members(actor)
        membership = get_member(actor.org, number)
        before = membership.groups
        if wanted != before:
            membership.groups = wanted
            membership.save(update_fields=["groups"])
            record(
                actor,
                "member.groups",
                kind="member",
                subject=membership.user.email,
                before={"groups": before},
                after={"groups": wanted},
            )
    return membership
