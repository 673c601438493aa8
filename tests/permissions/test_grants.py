"""Grants of the roles: documentation, the table in `expected.py` and the product agree."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

from console.orgs.models import Organization, Role
from console.orgs.permissions import GRANTS, Actor, Permission
from console.workloads.saved_views import may_share
from tests.permissions.expected import MAY

_DOCS = Path(__file__).parents[2] / "docs/people-and-tokens.md"
_HEAD = "| action |"


def documented() -> dict[str, set[str]]:
    """Return the permissions of each role in the table of the documentation."""
    lines = iter(_DOCS.read_text().splitlines())
    head = next(line for line in lines if line.startswith(_HEAD))
    roles = [cell.strip() for cell in head.strip("|").split("|")][1:]
    found: dict[str, set[str]] = {role: set() for role in roles}
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            break
        action, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for role, cell in zip(roles, cells, strict=True):
            assert cell in ("yes", "")
            if cell:
                found[role].add(action)
    return found


def test_roles_have_the_expected_permissions() -> None:
    assert GRANTS == MAY
    assert set(MAY) == set(Role.values)


def test_the_docs_list_the_permissions_of_each_role() -> None:
    due = {}
    for role in Role.values:
        actor = Actor(org=cast(Organization, SimpleNamespace()), role=role, name="", key="")
        due[role] = {each.value for each in Permission if each in GRANTS[role]}
        if may_share(actor):
            due[role].add("share saved views")
    assert documented() == due
