"""Let one change of an organization's members wait for the other."""

from __future__ import annotations

from dataclasses import replace

from console.errors import NotAllowed
from console.orgs.models import Membership
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.orgs.tokens import get_token, is_working


def lock_members(actor: Actor) -> None:
    """
    Hold the members of the actor's organization from here to the end of the transaction.

    Raise NotAllowed when *actor* lost the right to manage them while they waited: of two
    owners who demote each other, the second one is not an owner any more, and neither are the
    tokens of that one.
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
