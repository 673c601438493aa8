"""Validation of roles."""

from __future__ import annotations

from console.errors import BadRequest, FieldError
from console.orgs.models import Role


def check_role(role: str) -> None:
    """Raise BadRequest at ``role`` for an unknown role."""
    if role not in Role.values:
        message = f"There is no role {role!r}; choose one of {', '.join(Role.values)}."
        raise BadRequest([FieldError("role", "unknown_role", message)], message)
