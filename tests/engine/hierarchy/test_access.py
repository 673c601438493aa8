"""Who may submit to queues, and who may administer them."""

from __future__ import annotations

import pytest

from console.engine.disciplines.hierarchy.spec import AccessList
from tests.engine.hierarchy.builders import ALL_USERS, tree, users

QUEUES = {
    "root": {"admin": users("boss")},
    "root.dev": {"submit": AccessList(groups=frozenset({"dev"})), "admin": users("lead")},
    "root.dev.team": {"submit": users("ann")},
    "root.ops": {"submit": ALL_USERS},
    "root.closed": {},
    "root.@recovery@": {"submit": ALL_USERS},
}


@pytest.mark.parametrize(
    ("queue", "user", "groups", "submits", "administers"),
    [
        ("root", "boss", (), True, True),
        ("root", "ann", ("dev",), False, False),
        ("root.dev", "kim", ("qa", "dev"), True, False),
        ("root.dev", "ann", (), False, False),
        ("root.dev", "lead", (), True, True),
        ("root.dev", "boss", (), True, True),
        ("root.dev.team", "ann", (), True, False),
        # A list below others only adds users.
        ("root.dev.team", "kim", ("dev",), True, False),
        ("root.dev.team", "lead", ("x",), True, True),
        ("root.dev.team", "bob", ("ops",), False, False),
        # Names have a case.
        ("root.dev.team", "Ann", (), False, False),
        ("root.ops", "anybody", (), True, False),
        ("root.closed", "ann", ("dev",), False, False),
        ("root.closed", "boss", (), True, True),
        ("root.@recovery@", "boss", (), False, True),
    ],
)
def test_access(
    queue: str, user: str, groups: tuple[str, ...], submits: bool, administers: bool
) -> None:
    found = tree(QUEUES).find(queue)
    assert found is not None
    assert (found.may_submit(user, groups), found.may_administer(user, groups)) == (
        submits,
        administers,
    )


def test_groups_may_come_from_an_iterator() -> None:
    found = tree(QUEUES).find("root.dev.team")
    assert found is not None
    assert found.may_submit("kim", iter(("qa", "dev")))
