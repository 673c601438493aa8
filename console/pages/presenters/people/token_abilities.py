"""Table of actions that a token may do, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from console.orgs.models import ApiToken, Role
from console.orgs.permissions import GRANTS, Permission
from console.orgs.tokens import is_working
from console.pages.personal_formats import active_formats

#: Permission -> its most frequent request of the API.
_REQUESTS: Final[Mapping[Permission, str]] = {
    Permission.READ: "GET queues",
    Permission.SUBMIT: "POST workloads",
    Permission.SUBMIT_FOR_OTHERS: "POST workloads with user",
    Permission.MANAGE_WORK: "POST workloads/finish",
    Permission.CHANGE_PRIORITIES: "POST workloads/priority",
    Permission.READ_NAMES: "GET workloads/ID/explanation",
    Permission.HOLD_QUEUES: "POST queues/NAME/hold",
    Permission.REPORT_CAPACITY: "PUT capacity/clusters/NAME",
    Permission.DRAFT: "POST config/impact",
    Permission.APPROVE: "POST config/reviews/NUMBER/comments",
    Permission.APPLY: "POST config/versions",
    Permission.MANAGE_ORG: "POST tokens",
    Permission.READ_AUDIT: "GET audit",
}


#: Permissions that allow less to a token than their description says -> action of a token.
_ACTIONS: Final[Mapping[Permission, str]] = {
    Permission.DRAFT: "compute the impact of a config; drafts are for members only",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """One action, whether a token may do it, and the reason as a sentence."""

    action: str
    request: str
    is_allowed: bool
    why: str


def abilities_of(token: ApiToken) -> list[Ability]:
    """Return every action with the result that a request with *token* would get now."""
    return [_ability(token, permission) for permission in Permission]


def _ability(token: ApiToken, permission: Permission) -> Ability:
    action = _ACTIONS.get(permission, permission.value)
    has_it = permission in GRANTS[token.role]
    return Ability(
        action=f"{action[0].upper()}{action[1:]}",
        request=_REQUESTS[permission],
        is_allowed=has_it and is_working(token),
        why=_why(token, permission, has_it=has_it),
    )


def _why(token: ApiToken, permission: Permission, *, has_it: bool) -> str:
    if not has_it:
        enough = [role for role in Role.values if permission in GRANTS[role]]
        roles = " or ".join(enough)
        return f"The role {token.role} does not include this action: 403. Required role: {roles}."
    minute = active_formats().minute
    end = minute(token.expires_at) if token.expires_at is not None else ""
    included = f"The role {token.role} includes this action"
    if token.revoked_at is not None:
        moment = minute(token.revoked_at)
        return f"{included}, but the token was revoked on {moment}: 401."
    if not is_working(token):
        return f"{included}, but the token expired on {end}: 401."
    until = f" until {end}" if end else ""
    return f"{included}{until}."
