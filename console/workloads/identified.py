"""The user and groups of submitted workloads: those of the actor, or of others if permitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from console.errors import BadRequest, FieldError
from console.orgs.identities import Identity, identity_of
from console.orgs.permissions import Actor, Permission
from console.workloads.submissions import Submission

#: Maximum number of errors that one response lists, of groups that a message names, and of users
#: and of groups in an audit entry.
_LISTED: Final = 100
_NAMED: Final = 10
_RECORDED: Final = 5


class NotYourIdentity(BadRequest):
    """Workloads state a user or groups that the actor may not submit for; *errors* lists them."""

    status = 403
    title = "Not allowed"

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(errors[:_LISTED], errors[0].message)
        self.code = "not_allowed"


@dataclass(frozen=True, slots=True)
class Identified:
    """Submissions with their users and groups."""

    submissions: Sequence[Submission]
    #: ``users`` and ``groups`` -> the first few that are not those of the actor.
    others: Mapping[str, list[str]]


def identified(actor: Actor, submissions: Sequence[Submission]) -> Identified:
    """
    Return *submissions* with the user and groups of *actor* where they state no user or this one.

    Workloads with another user are unchanged. Raises NotYourIdentity if there are any, or if a
    workload states groups that *actor* does not have, and *actor* may not submit for others.
    """
    own = identity_of(actor)
    if not actor.may(Permission.SUBMIT_FOR_OTHERS):
        errors = [
            error
            for number, each in enumerate(submissions)
            for error in _errors(actor, own, each, f"workloads[{number}]")
        ]
        if errors:
            raise NotYourIdentity(errors)
    if own.user:
        submissions = [
            replace(each, user=own.user, groups=each.groups or own.groups)
            if each.user in ("", own.user)
            else each
            for each in submissions
        ]
    return Identified(submissions, _others(own, submissions))


def refusals(actor: Actor, submissions: Sequence[Submission]) -> list[str]:
    """Return for each submission why *actor* may not state its user and groups; "" if permitted."""
    if actor.may(Permission.SUBMIT_FOR_OTHERS):
        return [""] * len(submissions)
    own = identity_of(actor)
    found = (next(_errors(actor, own, each, ""), None) for each in submissions)
    return [error.message if error is not None else "" for error in found]


def _others(own: Identity, submissions: Sequence[Submission]) -> dict[str, list[str]]:
    users: dict[str, None] = {}
    groups: dict[str, None] = {}
    for each in submissions:
        if each.user != own.user:
            users[each.user] = None
            groups.update(dict.fromkeys(each.groups))
        elif each.groups != own.groups:
            groups.update(dict.fromkeys(group for group in each.groups if group not in own.groups))
    found = {"users": list(users)[:_RECORDED], "groups": list(groups)[:_RECORDED]}
    return {name: names for name, names in found.items() if names}


def _errors(actor: Actor, own: Identity, one: Submission, path: str) -> Iterator[FieldError]:
    refused = f"The role {actor.role} may not {Permission.SUBMIT_FOR_OTHERS.value}"
    if one.user not in ("", own.user):
        hint = f"leave out the user, or send {own.user}" if own.user else "leave out the user"
        yield FieldError(f"{path}.user", "not_allowed", f"{refused}; {hint}.")
    for number, group in enumerate(one.groups):
        if group not in own.groups:
            yield FieldError(
                f"{path}.groups[{number}]", "not_allowed", f"{refused}; {_groups_hint(own)}."
            )


def _groups_hint(own: Identity) -> str:
    if not own.groups:
        return "leave out the groups"
    more = ", ..." if len(own.groups) > _NAMED else ""
    return f"leave out the groups, or send some of {', '.join(own.groups[:_NAMED])}{more}"
