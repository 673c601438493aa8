"""The submission of applications: users, ids, and created queues."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import pytest

from console.engine.disciplines.hierarchy.placement import Application
from console.engine.disciplines.hierarchy.spec import PlacementRule
from console.engine.disciplines.hierarchy.submission import (
    Submission,
    identify,
    submit,
)
from tests.engine.hierarchy.builders import ALL_USERS, application, rule, tree

QUEUES = {
    "root": {"submit": ALL_USERS},
    "root.a": {},
    "root.p": {"is_leaf": False},
}


def submitted(
    app: Application,
    *rules: PlacementRule,
    queues: Mapping[str, Mapping[str, Any]] = QUEUES,
    known: Container[str] = (),
) -> Submission:
    """Return the submission of an application to a new tree."""
    return submit(tree(queues), rules, app, known, "[rm]default")


@pytest.mark.parametrize(
    ("user", "groups", "is_forced", "expected"),
    [
        ("ann", ("dev",), False, ("ann", ("dev",))),
        ("ann", (), False, ("ann", ("ann",))),
        ("a/b:c#d", ("x",), False, ("a/b:c#d", ("x",))),
        ("bob$", ("x",), False, ("bob$", ("x",))),
        # Without groups, the name is looked up as it is.
        ("a b", (), False, ("a b", ("a b",))),
        ("", (), False, "empty user cannot resolve"),
        ("", ("x",), False, "empty user cannot resolve"),
        ("a b", ("x",), False, "invalid username, it contains invalid characters"),
        ("1bob", ("x",), False, "invalid username, it contains invalid characters"),
        ("-bob", ("x",), False, "invalid username, it contains invalid characters"),
        ("bob\n", ("x",), False, "invalid username, it contains invalid characters"),
        ("", (), True, ("nobody", ("nogroup",))),
        ("a b", ("x",), True, ("nobody", ("nogroup",))),
        ("ann", ("dev",), True, ("ann", ("dev",))),
    ],
)
def test_the_user_that_counts(
    user: str, groups: tuple[str, ...], is_forced: bool, expected: object
) -> None:
    found = identify(application(user=user, groups=groups, is_forced=is_forced))
    assert (found if isinstance(found, str) else (found.user, found.groups)) == expected


def test_an_application_gets_an_existing_queue() -> None:
    found = submitted(application("a", groups=()))
    assert found.queue is not None
    assert (found.queue.path, found.changes, found.message) == ("root.a", (), "")
    assert found.application.groups == ("ann",)


def test_an_application_gets_a_new_queue() -> None:
    found = submitted(application("root.p.x.y"), rule("provided", creates=True))
    assert found.queue is not None
    assert found.queue.path == "root.p.x.y"
    assert [each.queue.path for each in found.changes] == ["root.p.x", "root.p.x.y"]


def test_an_application_that_has_to_be_accepted_gets_the_recovery_queue() -> None:
    found = submitted(application(user="", is_forced=True), queues={"root": {}})
    assert found.queue is not None
    assert found.queue.path == "root.@recovery@"
    assert [each.queue.path for each in found.changes] == ["root.@recovery@"]
    assert found.application.user == "nobody"


@pytest.mark.parametrize(
    ("app", "message"),
    [
        (application("a", user=""), "empty user cannot resolve"),
        (
            application("a", id="1"),
            "adding application 1 to partition [rm]default, but application already existed",
        ),
        (
            application("root.p"),
            "failed to place application app: application rejected: no placement rule matched",
        ),
        (
            application("root.a.x"),
            (
                "failed to create rule based queue root.a.x for application app\n"
                "creation of queue root.a.x failed parent is already a leaf: root.a"
            ),
        ),
        (
            application("root.p.@recovery@"),
            (
                "failed to create rule based queue root.p.@recovery@ for application app\n"
                "dynamic queue creation failed: dynamic queue cannot be root.@recovery@"
            ),
        ),
    ],
)
def test_an_application_is_refused(app: Application, message: str) -> None:
    found = submitted(app, rule("provided", creates=True), known={"1"})
    assert (found.queue, found.changes, found.message) == (None, (), message)


def test_a_recovery_queue_that_is_no_leaf_is_not_found() -> None:
    queues = {"root": {}, "root.@recovery@": {"is_leaf": False}}
    found = submitted(application(is_forced=True), queues=queues)
    assert (found.queue, found.message) == (
        None,
        "failed to find queue root.@recovery@ for application app",
    )
