"""Serialize changes of the members of an organization."""

from __future__ import annotations

from dataclasses import replace

from console.errors import NotAllowed
from console.orgs.models import Membership
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.orgs.tokens import get_token, is_working


def lock_members(actor: Actor) -> None:
    """
    Lock the members of the actor's organization until the end of the transaction.

    Raises NotAllowed if *actor* has lost the permission to manage members during the wait: of two
    owners who demote each other, the second one is not an owner any more, and neither are their
    tokens.
    """
    lock_org(actor.org)
    if actor.token is not None and not is_working(get_token(actor.org, actor.token.pk)):
        raise NotAllowed(f"The token {actor.name} is no longer valid.")
    if actor.user is None:
        return
    mine = Membership.objects.filter(org=actor.org, user=actor.user)
    role = mine.values_list("role", flat=True).first()
    if role is None:
        raise NotAllowed(f"You are no longer a member of {actor.org.slug}.")
    replace(actor, role=role).require(Permission.MANAGE_ORG)
