"""Limits of users and groups: whose limit counts, at which queue, and after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from console.engine.disciplines.hierarchy.applications import Message
from console.engine.disciplines.hierarchy.spec import YUNIKORN, Compatibility, Limit
from tests.engine.hierarchy.worlds import History, amount

CAPACITY: Final = 1_000


def limit(*names: str, resources: int | None = None, applications: int = 0) -> Limit:
    """Return a limit of users; names after a colon are groups."""
    return Limit(
        users=tuple(name for name in names if not name.startswith(":")),
        groups=tuple(name[1:] for name in names if name.startswith(":")),
        resources=amount(resources),
        applications=applications,
    )


def limits(**stated: Sequence[Limit]) -> dict[str, dict[str, Any]]:
    """Return queues with these limits; ``a`` is ``root.a``, and ``root`` the root."""
    queues: dict[str, dict[str, Any]] = {"root": {}, "root.a": {}, "root.b": {}}
    for name, some in stated.items():
        queues["root" if name == "root" else f"root.{name}"] = {"limits": tuple(some)}
    return queues


#: Each user 10 everywhere; in root.a, sue 6 and 2 applications, dev 8, and all others 20 together.
EXAMPLE: Final = limits(
    root=[limit("*", resources=10)],
    a=[
        limit("sue", resources=6, applications=2),
        limit(":dev", resources=8),
        limit(":*", resources=20),
    ],
)

DEV: Final = ("dev",)
OPS: Final = ("ops",)


def waits_for_quota(
    queues: Mapping[str, Mapping[str, Any]],
    running: Sequence[tuple[str, Sequence[str], str, int]],
    user: str,
    groups: Sequence[str],
    size: int,
) -> bool:
    """Return whether a pod in root.a waits for the quota of its user; otherwise it starts."""
    found = History(queues, CAPACITY)
    for index, (name, named, queue, used) in enumerate(running):
        found.submit(f"running-{index}", queue, name, named)
        found.run(f"running-{index}", used)
    found.submit("asker", "root.a", user, groups)
    (ask,) = found.ask("asker", size)
    found.settle()
    assert list(ask.messages) in ([], [Message.USER_QUOTA])
    assert bool(ask.messages) is not bool(found.running("asker")[0])
    return bool(ask.messages)


@pytest.mark.parametrize(
    ("running", "user", "groups", "size", "waits"),
    [
        ([("sue", DEV, "root.a", 5)], "sue", DEV, 2, True),
        ([("sue", DEV, "root.a", 5)], "sue", DEV, 1, False),
        # The limit of every user counts at the root, where sue has none of her own.
        ([("sue", DEV, "root.a", 4), ("sue", OPS, "root.b", 5)], "sue", DEV, 2, True),
        ([("sue", DEV, "root.a", 4), ("sue", OPS, "root.b", 5)], "sue", DEV, 1, False),
        # The limit of a group is shared.
        ([("kim", DEV, "root.a", 7)], "bob", DEV, 2, True),
        ([("kim", DEV, "root.a", 7)], "bob", DEV, 1, False),
        # All groups without a limit share that of every other group.
        ([("kim", OPS, "root.a", 9), ("lee", ("qa",), "root.a", 10)], "bob", OPS, 2, True),
        ([("kim", OPS, "root.a", 9), ("lee", ("qa",), "root.a", 10)], "bob", OPS, 1, False),
        # The user has the group of the limit, among others.
        ([("kim", DEV, "root.a", 7)], "bob", ("ops", "dev"), 2, True),
        # Each user has the limit of every user alone.
        ([("kim", OPS, "root.a", 10)], "bob", OPS, 10, False),
        ([("kim", OPS, "root.a", 10)], "bob", OPS, 11, True),
    ],
)
def test_resources(
    running: Sequence[tuple[str, Sequence[str], str, int]],
    user: str,
    groups: Sequence[str],
    size: int,
    waits: bool,
) -> None:
    assert waits_for_quota(EXAMPLE, running, user, groups, size) is waits


def test_a_limit_of_one_user_replaces_that_of_every_other_user() -> None:
    # It has no resources, so that there is no limit of resources for sue here.
    queues = limits(a=[limit("sue", applications=2), limit("*", resources=5)])
    assert not waits_for_quota(queues, [], "sue", DEV, 50)
    assert waits_for_quota(queues, [], "bob", DEV, 50)


def test_a_limit_of_nothing_of_a_resource_blocks_it() -> None:
    stated = Limit(users=("sue",), resources={"memory": 0, "vcore": 5})
    queues = limits(a=[stated])
    assert waits_for_quota(queues, [], "sue", DEV, 1)


@pytest.mark.parametrize(
    ("groups", "waits"),
    [
        # The first limit from the leaf up whose group the user has; other groups never count.
        (("dev", "ops"), True),
        (("ops",), False),
        # The order is that of the limits.
        (("qa", "dev"), True),
        # The limit of a group counts at every queue.
        (("top",), True),
        # A group that no limit names.
        (("none",), False),
    ],
)
def test_one_group_counts_for_an_application(groups: tuple[str, ...], waits: bool) -> None:
    queues = limits(
        root=[limit(":ops", resources=9), limit(":top", resources=1)],
        a=[limit(":dev", resources=1), limit(":qa", resources=9)],
    )
    assert waits_for_quota(queues, [], "ann", groups, 2) is waits


def test_the_group_of_a_leaf_has_its_limit_above_too() -> None:
    queues = limits(root=[limit(":dev", resources=4)], a=[limit(":dev", resources=9)])
    assert waits_for_quota(queues, [("kim", DEV, "root.a", 3)], "bob", DEV, 2)
    # kim's application in root.b has the group of the root.
    assert waits_for_quota(queues, [("kim", DEV, "root.b", 3)], "bob", DEV, 2)


def test_numbers_of_applications() -> None:
    found = History(EXAMPLE, CAPACITY)
    for name in ("one", "two", "three"):
        found.submit(name, "root.a", "sue", DEV)
        found.ask(name, 1)
    found.settle()
    assert found.states("one", "two", "three") == ["Running", "Running", "Accepted"]
    # An idle application is not counted.
    found.world.release("one", next(iter(found.world.applications["one"].allocations)))
    found.settle()
    assert found.states("one", "two", "three") == ["Completing", "Running", "Running"]


def test_numbers_of_applications_of_a_group() -> None:
    found = History(limits(root=[limit(":dev", applications=1)]), CAPACITY)
    for name, user, queue in (("one", "sue", "root.a"), ("two", "bob", "root.b")):
        found.submit(name, queue, user, DEV)
        found.ask(name, 1)
    found.settle()
    assert sorted(found.states("one", "two")) == ["Accepted", "Running"]


# Changes.


def changed(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    groups: Sequence[str] = DEV,
    compatibility: Compatibility | None = None,
) -> int:
    """Return how many of three further pods start after a change, beside one that runs."""
    found = History(before, CAPACITY, compatibility)
    found.submit("app", "root.a", "sue", groups)
    found.ask("app", 1)
    found.settle()
    found.update(after, compatibility)
    found.ask("app", 1, 1, 1)
    found.settle()
    return found.running("app")[0] - 1


WILDCARD: Final = limits(a=[limit("bob", resources=9), limit("*", resources=2)])


@pytest.mark.parametrize(
    ("before", "after", "started"),
    [
        (limits(), limits(a=[limit("sue", resources=2)]), 1),
        (limits(a=[limit("sue", resources=2)]), limits(), 3),
        (WILDCARD, limits(a=[limit("sue", resources=3), limit("*", resources=2)]), 2),
        (WILDCARD, limits(), 3),
        # The group is chosen again if its limit goes.
        (
            limits(root=[limit(":ops", resources=3)], a=[limit(":dev", resources=2)]),
            limits(root=[limit(":ops", resources=3)]),
            2,
        ),
        # An application without a group stays without one.
        (limits(), limits(a=[limit(":dev", resources=2)]), 3),
    ],
)
def test_a_change_of_limits(
    before: Mapping[str, Any], after: Mapping[str, Any], started: int
) -> None:
    for compatibility in (Compatibility(), YUNIKORN):
        assert changed(before, after, ("dev", "ops"), compatibility) == started


def test_yunikorn_keeps_the_limit_of_every_other_user_for_known_users() -> None:
    after = limits(a=[limit("bob", resources=9)])
    assert changed(WILDCARD, after, compatibility=YUNIKORN) == 1
    assert changed(WILDCARD, after) == 3


@pytest.mark.parametrize(("compatibility", "started"), [(Compatibility(), 0), (YUNIKORN, 1)])
def test_limits_of_queues_with_letters_in_upper_case(
    compatibility: Compatibility, started: int
) -> None:
    stated = {"limits": (limit("ann", resources=1),), "spelling": "root.A"}
    found = History({"root.a": stated}, CAPACITY, compatibility)
    found.submit("app", "root.a")
    found.ask("app", 2)
    found.settle()
    assert found.running("app") == [started]
