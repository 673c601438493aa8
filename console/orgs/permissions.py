"""Roles, permissions, and the actor with which every service is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from console.errors import NotAllowed
from console.orgs.models import ApiToken, Membership, Organization, Role, User


class Permission(StrEnum):
    """A permission of a role; the value completes "may not ..."."""

    READ = "read this organization"
    SUBMIT = "submit workloads, or finish, withdraw and deactivate their own"
    SUBMIT_FOR_OTHERS = "submit workloads as other users and groups"
    MANAGE_WORK = "finish, withdraw or deactivate the workloads of others"
    CHANGE_PRIORITIES = "change the priorities of others' workloads"
    READ_NAMES = "read the names of others' workloads in explanations"
    HOLD_QUEUES = "hold and resume queues"
    REPORT_CAPACITY = "report and delete clusters"
    DRAFT = "edit drafts of the config"
    APPROVE = "approve config changes of other members"
    APPLY = "apply configs"
    MANAGE_ORG = "manage members and tokens"
    READ_AUDIT = "read the audit entries of others"


_VIEWER = frozenset({Permission.READ})
_SUBMITTER = _VIEWER | {Permission.SUBMIT}

#: Permissions of each role.
GRANTS: dict[str, frozenset[Permission]] = {
    Role.VIEWER: _VIEWER,
    Role.SUBMITTER: _SUBMITTER,
    Role.OPERATOR: _SUBMITTER
    | {
        Permission.SUBMIT_FOR_OTHERS,
        Permission.MANAGE_WORK,
        Permission.CHANGE_PRIORITIES,
        Permission.READ_NAMES,
        Permission.HOLD_QUEUES,
        Permission.REPORT_CAPACITY,
    },
    Role.EDITOR: _VIEWER | {Permission.READ_NAMES, Permission.DRAFT, Permission.APPROVE},
    Role.OWNER: frozenset(Permission),
}


def is_above(role: str, other: str | None) -> bool:
    """Return whether *role* grants permissions beyond *other*, which can be None."""
    return not GRANTS[role] <= (GRANTS[other] if other is not None else frozenset())


def may_submit(role: str) -> bool:
    """Return whether *role* may submit workloads."""
    return Permission.SUBMIT in GRANTS[role]


def may_submit_for_others(role: str | None) -> bool:
    """Return whether *role*, which can be None, may submit workloads as other users and groups."""
    return role is not None and Permission.SUBMIT_FOR_OTHERS in GRANTS[role]


@dataclass(frozen=True, slots=True)
class Actor:
    """A person or token acting in one organization with one role."""

    org: Organization
    role: str
    #: E-mail address or token name, as events and versions record it.
    name: str
    #: "user:7" or "token:3", which does not change with the name.
    key: str
    user: User | None = None
    #: The acting token; None for a person.
    token: ApiToken | None = field(default=None, compare=False)
    #: The membership of a person if it was read; see `console.orgs.identities`.
    membership: Membership | None = field(default=None, compare=False)

    @classmethod
    def from_user(
        cls, org: Organization, user: User, role: str, membership: Membership | None = None
    ) -> Actor:
        """Return a member as actor, with the *membership* if it was read."""
        return cls(
            org=org,
            role=role,
            name=user.email,
            key=f"user:{user.pk}",
            user=user,
            membership=membership,
        )

    @classmethod
    def from_token(cls, token: ApiToken) -> Actor:
        """Return a token as actor."""
        return cls(
            org=token.org, role=token.role, name=token.name, key=f"token:{token.pk}", token=token
        )

    @classmethod
    def from_command(cls, org: Organization) -> Actor:
        """Return the actor of management commands, with all permissions."""
        return cls(org=org, role=Role.OWNER, name="command line", key="command")

    @property
    def person_key(self) -> str:
        """
        The key of the person who acts, "user:7", directly or by a token; else the actor's own key.

        A person cannot approve their own text with a token, nor the text of a token of theirs.
        """
        if self.token is not None and self.token.created_by_id is not None:
            return f"user:{self.token.created_by_id}"
        return self.key

    def may(self, permission: Permission) -> bool:
        """Return whether the role includes *permission*."""
        return permission in GRANTS[self.role]

    def require(self, permission: Permission) -> None:
        """Raise NotAllowed, which names the sufficient roles, unless *permission* is included."""
        if not self.may(permission):
            enough = [role for role in Role.values if permission in GRANTS[role]]
            raise NotAllowed(
                f"The role {self.role} may not {permission.value}; "
                f"ask an owner for one of: {', '.join(enough)}."
            )
