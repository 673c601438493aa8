"""The expected status for each caller and table line, derived from the tables and roles alone."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from console.orgs.models import Role
from console.orgs.permissions import Permission
from tests.permissions.callers import Caller
from tests.permissions.table import NOTHING, PERSON, SHARE, SOMEBODY, STRANGER, Line

#: Permissions of each role, repeated by hand: a change of a role has to be made here and in docs.
MAY: Final[dict[str, frozenset[Permission]]] = {
    Role.VIEWER: frozenset({Permission.READ}),
    Role.SUBMITTER: frozenset({Permission.READ, Permission.SUBMIT}),
    Role.OPERATOR: frozenset(
        {
            Permission.READ,
            Permission.SUBMIT,
            Permission.SUBMIT_FOR_OTHERS,
            Permission.MANAGE_WORK,
            Permission.CHANGE_PRIORITIES,
            Permission.READ_NAMES,
            Permission.HOLD_QUEUES,
            Permission.REPORT_CAPACITY,
        }
    ),
    Role.EDITOR: frozenset(
        {Permission.READ, Permission.READ_NAMES, Permission.DRAFT, Permission.APPROVE}
    ),
    Role.OWNER: frozenset(
        {
            Permission.READ,
            Permission.SUBMIT,
            Permission.SUBMIT_FOR_OTHERS,
            Permission.MANAGE_WORK,
            Permission.CHANGE_PRIORITIES,
            Permission.READ_NAMES,
            Permission.HOLD_QUEUES,
            Permission.REPORT_CAPACITY,
            Permission.DRAFT,
            Permission.APPROVE,
            Permission.APPLY,
            Permission.MANAGE_ORG,
            Permission.READ_AUDIT,
        }
    ),
}


def may(role: str, takes: str) -> bool:
    """Return whether *role* may do what *takes* requires; SHARE needs either of two permissions."""
    if takes == SHARE:
        return bool(MAY[role] & {Permission.MANAGE_WORK, Permission.DRAFT})
    return Permission[takes] in MAY[role]


def page_status(line: Line, caller: Caller) -> int:
    """Return the status of a page for *caller*; pages treat callers with tokens as anonymous."""
    if line.takes == NOTHING:
        return line.status
    is_person = caller.is_known and not caller.is_token
    if line.takes == STRANGER:
        return 302 if is_person else line.status
    if not is_person:
        return 401 if "?v=" in line.path else 302
    return line.status if line.takes == PERSON else _of_member(line, caller)


def api_status(line: Line, caller: Caller) -> int:
    """Return the status of the API for *caller*."""
    if line.takes == NOTHING:
        return line.status
    if not caller.is_known:
        return 401
    return line.status if line.takes == SOMEBODY else _of_member(line, caller)


def client_status(line: Line, caller: Caller) -> int:
    """Return the status of the client's protocol for *caller*; it ignores sessions."""
    if line.takes == NOTHING:
        return line.status
    return _of_member(line, caller) if caller.is_known and caller.is_token else 401


def sign_in_address(line: Line, address: str) -> str:
    """Return the sign-in address to which a page redirects anonymous callers."""
    return f"/login?{urlencode({'next': address})}" if line.is_safe else "/login"


def _of_member(line: Line, caller: Caller) -> int:
    if caller.role is None:
        return 404
    return line.status if may(caller.role, line.takes) else 403
