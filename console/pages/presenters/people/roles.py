"""Choices of roles: permissions of each role, and the differences from the current role."""

from __future__ import annotations

from dataclasses import dataclass

from console.orgs.models import Role
from console.orgs.permissions import GRANTS, Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChoice:
    """One role; *gains* and *loses* are the differences from the current role, if there is one."""

    role: str
    may: tuple[str, ...]
    gains: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    is_present: bool = False
    is_chosen: bool = False


def role_choices(chosen: str, present: str | None = None) -> list[RoleChoice]:
    """Return all roles, fewest permissions first; *present* is the current role of the member."""
    had = GRANTS[present] if present else frozenset()
    return [
        RoleChoice(
            role=role,
            may=_words(GRANTS[role]),
            gains=_words(GRANTS[role] - had) if present else (),
            loses=_words(had - GRANTS[role]),
            is_present=role == present,
            is_chosen=role == chosen,
        )
        for role in Role.values
    ]


def _words(permissions: frozenset[Permission]) -> tuple[str, ...]:
    return tuple(each.value for each in Permission if each in permissions)
