"""Set the user and groups of a member, effective with the next submission."""

from __future__ import annotations

from dataclasses import asdict

from django.db import transaction

from console.errors import BadRequest
from console.orgs.audit import record
from console.orgs.identities import Identity, identity_of_member, read_groups, read_user
from console.orgs.models import Membership
from console.orgs.people import get_member
from console.orgs.permissions import Actor, Permission
from console.orgs.services.lock_members import lock_members
from console.reading import Reader


def set_identity(actor: Actor, number: int, identity: Identity) -> Membership:
    """
    Give membership *number* the user and groups of *identity*, and return the membership.

    An empty user is the e-mail address of the member. Workloads that are already submitted keep
    their user and groups. Raises NotAllowed, NotFound, and BadRequest at ``user`` or ``groups`` for
    an invalid one or too many groups.
    """
    actor.require(Permission.MANAGE_ORG)
    reader = Reader()
    wanted = Identity(read_user(reader, identity.user), read_groups(reader, list(identity.groups)))
    if reader.errors:
        raise BadRequest(reader.errors, " ".join(each.message for each in reader.errors))
    with transaction.atomic():
        lock_members(actor)
        membership = get_member(actor.org, number)
        account = membership.user
        before = identity_of_member(membership, account)
        membership.user_name = wanted.user if wanted.user != account.email else ""
        membership.groups = list(wanted.groups)
        after = identity_of_member(membership, account)
        if after != before:
            membership.save(update_fields=["user_name", "groups"])
            record(
                actor,
                "member.identity",
                kind="member",
                subject=account.email,
                before=asdict(before),
                after=asdict(after),
            )
    return membership
