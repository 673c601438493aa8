"""Saved views: permissions to save, share, replace and delete them, and validation."""

from __future__ import annotations

import pytest

from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry, Organization, Role
from console.orgs.permissions import Actor
from console.policies.queries import NO_POLICY
from console.workloads import saved_views
from console.workloads.models import SavedView
from console.workloads.saved_views import view_address, views_of
from console.workloads.services import save_view as service
from console.workloads.services.save_view import delete_view, save_view


def test_a_view_is_kept_for_oneself(viewer: Actor, operator: Actor) -> None:
    view = save_view(
        viewer, " Mine ", "state=pending&label.team=ml&q=&group_by=queue", ["queue", "label.team"]
    )
    assert (view.name, view.query, view.columns) == (
        "Mine",
        "group_by=queue&label.team=ml&state=pending",
        ["queue", "label.team"],
    )
    assert view_address(view, NO_POLICY) == (
        "group_by=queue&label.team=ml&state=pending&cols=queue%2Clabel.team"
    )
    assert list(views_of(viewer)) == [view]
    assert list(views_of(operator)) == []
    with pytest.raises(NotFound):
        delete_view(operator, view.pk)


@pytest.mark.parametrize("role", Role.values)
def test_sharing_needs_a_permission(role: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = request.getfixturevalue(role)
    if role in (Role.OPERATOR, Role.EDITOR, Role.OWNER):
        assert save_view(actor, "All", "", is_shared=True).is_shared
    else:
        with pytest.raises(NotAllowed):
            save_view(actor, "All", "", is_shared=True)


def test_a_shared_view_is_replaced_and_deleted_by_who_shared_it_or_an_owner(
    owner: Actor, operator: Actor, editor: Actor, viewer: Actor
) -> None:
    view = save_view(operator, "Waiting", "state=pending", is_shared=True)
    assert list(views_of(viewer)) == [view]
    with pytest.raises(Conflict) as taken:
        save_view(editor, "Waiting", "", is_shared=True)
    assert taken.value.code == "view_name_taken"
    with pytest.raises(NotAllowed):
        delete_view(viewer, view.pk)
    # A private view of the same name is a different view.
    assert save_view(editor, "Waiting", "").pk != view.pk
    assert save_view(operator, "Waiting", "queue=a", is_shared=True).pk == view.pk
    delete_view(owner, view.pk)
    assert not views_of(viewer).exists()


def test_each_change_is_audited_with_before_and_after(operator: Actor) -> None:
    view = save_view(operator, "Waiting", "state=pending", ["queue"])
    save_view(operator, "Waiting", "state=pending", ["queue"])
    save_view(operator, "Waiting", "", [])
    delete_view(operator, view.pk)
    first = {"query": "state=pending", "columns": ["queue"], "is_shared": False}
    empty = {"query": "", "columns": [], "is_shared": False}
    entries = AuditEntry.objects.filter(kind="view").order_by("pk")
    told = entries.values_list("action", "subject", "before", "after")
    assert list(told) == [
        ("view.save", "Waiting", None, first),
        ("view.save", "Waiting", first, empty),
        ("view.delete", "Waiting", empty, None),
    ]


@pytest.mark.parametrize(
    ("query", "columns", "path", "code"),
    [
        ("state=asleep", [], "state", "invalid_choice"),
        ("group_by=color", [], "group_by", "invalid_choice"),
        ("cursor=4", [], "query", "unknown_parameter"),
        (f"q={'x' * 400}&user={'y' * 499}&project={'€' * 400}", [], "query", "too_long"),
        ("", ["color"], "cols", "invalid_choice"),
        ("", [f"label.{n}" for n in range(13)], "cols", "wrong_length"),
    ],
)
def test_errors_of_a_view_are_named(
    viewer: Actor, query: str, columns: list[str], path: str, code: str
) -> None:
    with pytest.raises(BadRequest) as refused:
        save_view(viewer, "View", query, columns)
    assert [(error.path, error.code) for error in refused.value.errors] == [(path, code)]
    assert not SavedView.objects.exists()


def test_the_number_of_views_is_limited(
    viewer: Actor, submitter: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_PERSONAL", 2)
    for name in ("a", "b"):
        save_view(viewer, name, "")
    with pytest.raises(Conflict) as full:
        save_view(viewer, "c", "")
    assert full.value.code == "too_many_views"
    save_view(viewer, "b", "state=pending")
    save_view(submitter, "c", "")
    assert saved_views.MOST_PERSONAL == 50


def test_another_organization_has_its_own(viewer: Actor, other_org: Organization) -> None:
    view = save_view(viewer, "Mine", "")
    stranger = Actor(org=other_org, role=Role.OWNER, name=viewer.name, key=viewer.key)
    assert not views_of(stranger).exists()
    with pytest.raises(NotFound):
        delete_view(stranger, view.pk)
