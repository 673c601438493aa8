"""Roles in words: permissions of each role, and the differences between two roles."""

from __future__ import annotations

from dataclasses import dataclass

from console.orgs.models import Role
from console.orgs.permissions import GRANTS, Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChoice:
    """One role to choose; *gains* and *loses* compare it with the present one, if there is one."""

    role: str
    may: tuple[str, ...]
    gains: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    is_present: bool = False
    is_chosen: bool = False


def role_choices(chosen: str, present: str | None = None) -> list[RoleChoice]:
    """Return every role, the least mighty first; *present* is what the person has now."""
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
