"""
End the API tokens of a person that grant more than the person's role, or hand them over.

A token that is above the new role ends instead of getting the new role. Roles are not a ladder: an
operator's token whose maker becomes an editor would gain the right to edit drafts. And a program
whose token has ended is refused at its next request, not at some later action.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone

from console.orgs.audit import record
from console.orgs.models import ApiToken, Organization, User
from console.orgs.permissions import Actor
from console.orgs.tokens import person_behind, tokens_above, working_tokens_of


@dataclass(frozen=True, slots=True)
class Settled:
    """How many tokens a change of a person's role ended and handed over."""

    ended: int = 0
    kept: int = 0


def settle_tokens(actor: Actor, user: User, role: str | None, *, keep: bool = False) -> Settled:
    """
    Let no token of *user* in the actor's organization grant more than *role* does.

    None stands for a person who is no member any more. With *keep* the tokens go on and belong
    to the person behind *actor*. Call it inside the transaction that changes the role.
    """
    above = tokens_above(actor.org, user, role)
    if not keep:
        return Settled(ended=end_tokens(actor, above))
    heir = person_behind(actor)
    for token in above:
        token.created_by = heir
        token.save(update_fields=["created_by"])
        record(
            actor,
            "token.keep",
            kind="token",
            subject=str(token.pk),
            before={"maker": user.email},
            after={"maker": heir.email if heir else None, "role": token.role},
        )
    return Settled(kept=len(above))


def end_tokens_of_account(user: User) -> int:
    """End every token of *user* in every organization; return how many worked."""
    ended = 0
    for org in Organization.objects.filter(tokens__created_by=user).distinct():
        ended += end_tokens(Actor.from_command(org), working_tokens_of(org, user))
    return ended


def end_tokens(actor: Actor, tokens: Iterable[ApiToken]) -> int:
    """Revoke those of *tokens* that are not revoked yet, and return how many."""
    now = timezone.now()
    ended = 0
    for token in tokens:
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            ended += 1
            record(
                actor,
                "token.revoke",
                kind="token",
                subject=str(token.pk),
                before={"name": token.name, "role": token.role},
            )
    return ended
