"""
Identities: the user and groups of the workloads that an actor submits without stating others.

A scheduler can decide by them, so they are not taken from the submitter. Owners choose the user and
groups of each member, whose user is otherwise the e-mail address, and those of each token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from console.orgs.models import ApiToken, Membership, User
from console.orgs.permissions import Actor
from console.reading import Reader

#: Maximum number of characters of a user or group.
LONGEST_USER: Final = 200

#: Maximum number of groups of a member, token or workload.
MOST_GROUPS: Final = 100


@dataclass(frozen=True, slots=True)
class Identity:
    """A user and groups; an empty *user* is none."""

    user: str = ""
    groups: tuple[str, ...] = ()


NO_IDENTITY: Final = Identity()


def identity_of(actor: Actor) -> Identity:
    """Return the identity of *actor*; that of commands is `NO_IDENTITY`."""
    if actor.token is not None:
        return identity_of_token(actor.token)
    if actor.user is None:
        return NO_IDENTITY
    member = actor.membership
    if member is None:
        member = Membership.objects.filter(org=actor.org, user=actor.user).first()
    return identity_of_member(member, actor.user) if member is not None else NO_IDENTITY


def identity_of_member(member: Membership, account: User) -> Identity:
    """Return the identity of *member*, who signs in with *account*."""
    user = member.user_name or account.email
    # A part of a longer address could be the user of another person.
    return Identity(user, tuple(member.groups)) if len(user) <= LONGEST_USER else NO_IDENTITY


def identity_of_token(token: ApiToken) -> Identity:
    """Return the identity that was chosen for *token*."""
    return Identity(token.user_name, tuple(token.groups))


def read_user(reader: Reader, value: Any) -> str:
    """Return the user *value*; null reads as empty."""
    user = reader.text(value, "user", LONGEST_USER)
    if user != user.strip() or not user.isprintable():
        message = "A user has no spaces around it, and no line breaks or control characters."
        reader.refuse("user", "invalid_name", message)
    return user


def read_groups(reader: Reader, value: Any, path: str = "groups") -> tuple[str, ...]:
    """Return the groups in the list *value*, each once."""
    groups = []
    for number, item in enumerate(reader.items(value, path, 0, MOST_GROUPS)):
        place = f"{path}[{number}]"
        group = reader.text(item, place, LONGEST_USER, blank=False)
        groups.append(group.strip())
        if not group.isprintable():
            message = "A group has no line breaks or control characters."
            reader.refuse(place, "invalid_name", message)
    return tuple(dict.fromkeys(groups))


def groups_in(text: str) -> list[str]:
    """Return the groups in *text*, which has one on each line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def read_identity(reader: Reader, user: Any, groups: Any) -> Identity:
    """Return the identity of a token with the fields *user* and *groups*; null reads as empty."""
    name = read_user(reader, user)
    found = Identity(name, read_groups(reader, groups) if groups is not None else ())
    if found.groups and not user:
        reader.refuse("user", "required", "Groups are those of a user; give the token a user, too.")
    return found
