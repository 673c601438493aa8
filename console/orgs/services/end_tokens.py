"""
Revoke or transfer the API tokens of a person that grant more than the person's role.

A token above the new role is revoked instead of getting the new role. Roles are not ordered: an
operator's token whose creator becomes an editor would gain the permission to edit drafts. And a
client whose token is revoked gets an error at its next request, not at some later action.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone

from console.orgs.audit import record
from console.orgs.models import ApiToken, Organization, User
from console.orgs.permissions import Actor
from console.orgs.tokens import person_behind, tokens_above, valid_tokens_of


@dataclass(frozen=True, slots=True)
class TokenChanges:
    """Numbers of tokens that a change of role revoked and transferred."""

    ended: int = 0
    kept: int = 0


def limit_tokens(actor: Actor, user: User, role: str | None, *, keep: bool = False) -> TokenChanges:
    """
    Ensure that no token of *user* in the actor's organization grants more than *role*.

    A role of None means that the person is not a member any more. With *keep*, the tokens stay
    valid and become those of the person behind *actor*. Call it inside the transaction that
    changes the role.
    """
    above = tokens_above(actor.org, user, role)
    if not keep:
        return TokenChanges(ended=end_tokens(actor, above))
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
    return TokenChanges(kept=len(above))


def end_tokens_of_account(user: User) -> int:
    """Revoke every token of *user* in every organization; return the number of valid ones."""
    ended = 0
    for org in Organization.objects.filter(tokens__created_by=user).distinct():
        ended += end_tokens(Actor.from_command(org), valid_tokens_of(org, user))
    return ended


def end_tokens(actor: Actor, tokens: Iterable[ApiToken]) -> int:
    """Revoke those of *tokens* that are not revoked yet, and return their number."""
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
