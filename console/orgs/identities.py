"""
Identities: the user and groups of the workloads that an actor submits without stating others.

A scheduler can decide by them, so they are not taken from the submitter. The user of a member is
their e-mail address, and owners list the members' groups; the user and groups of a token are
chosen by the owner who creates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from console.orgs.models import ApiToken, Membership
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


NOBODY: Final = Identity()


def identity_of(actor: Actor) -> Identity:
    """Return the identity of *actor*; that of commands is `NOBODY`."""
    if actor.token is not None:
        return identity_of_token(actor.token)
    if actor.user is None:
        return NOBODY
    groups = actor.groups
    if groups is None:
        mine = Membership.objects.filter(org=actor.org, user=actor.user)
        groups = tuple(mine.values_list("groups", flat=True).first() or ())
    address = actor.user.email
    # A part of a longer address could be the user of another person.
    return Identity(address, groups) if len(address) <= LONGEST_USER else NOBODY


def identity_of_token(token: ApiToken) -> Identity:
    """Return the identity that was chosen for *token*."""
    return Identity(token.user_name, tuple(token.groups))


def read_groups(reader: Reader, value: Any) -> tuple[str, ...]:
    """Return the groups in the list *value*, each once."""
    groups = []
    for number, item in enumerate(reader.items(value, "groups", 0, MOST_GROUPS)):
        path = f"groups[{number}]"
        group = reader.text(item, path, LONGEST_USER, blank=False)
        groups.append(group.strip())
        if not group.isprintable():
            reader.refuse(path, "invalid_name", "A group has no line breaks or control characters.")
    return tuple(dict.fromkeys(groups))


def groups_in(text: str) -> list[str]:
    """Return the groups in *text*, which has one on each line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def read_identity(reader: Reader, user: Any, groups: Any) -> Identity:
    """Return the identity of a token with the fields *user* and *groups*; null reads as empty."""
    name = reader.text(user, "user", LONGEST_USER)
    found = Identity(name, read_groups(reader, groups) if groups is not None else ())
    if name != name.strip() or not name.isprintable():
        message = "A user has no spaces around it, and no line breaks or control characters."
        reader.refuse("user", "invalid_name", message)
    if found.groups and not user:
        reader.refuse("user", "required", "Groups are those of a user; give the token a user, too.")
    return found
