"""Members: roles, permissions to change them, and the last owner, who cannot be removed."""

from __future__ import annotations

import pytest

from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry, BrowserSession, Membership, Role, User
from console.orgs.people import search_members
from console.orgs.permissions import Actor
from console.orgs.queries import actor_for
from console.orgs.services.change_role import change_role
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.orgs.services.enter_org import enter_org
from console.orgs.services.forget_sessions import forget_sessions
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import create_token
from console.orgs.services.remove_member import leave_org, remove_member
from console.orgs.token_secrets import digest_of
from tests.conftest import PASSWORD


def number_of(actor: Actor) -> int:
    return Membership.objects.get(org=actor.org, user=actor.user).pk


def session_of(user: User | None) -> None:
    assert user is not None
    BrowserSession.objects.create(
        digest=digest_of(f"key of {user.pk}"),
        session_data="",
        expire_date="2100-01-01T00:00Z",
        user=user,
    )


def last_entry() -> tuple[str, str, str, object, object]:
    entry = AuditEntry.objects.latest("pk")
    return entry.actor, entry.action, entry.subject, entry.before, entry.after


def test_a_role_counts_from_the_next_request_on(owner: Actor, viewer: Actor) -> None:
    change_role(owner, number_of(viewer), Role.OPERATOR)
    assert viewer.user is not None
    assert actor_for(viewer.user, "here").role == "operator"
    assert last_entry() == (
        "owner@here.example",
        "member.role",
        "viewer@here.example",
        {"role": "viewer"},
        {"role": "operator"},
    )


def test_the_same_role_again_is_no_change(owner: Actor, viewer: Actor) -> None:
    before = AuditEntry.objects.count()
    assert change_role(owner, number_of(viewer), Role.VIEWER).membership.role == "viewer"
    assert AuditEntry.objects.count() == before


def test_an_unknown_role_or_member_is_refused(owner: Actor, viewer: Actor, outsider: User) -> None:
    with pytest.raises(BadRequest, match="no role 'king'"):
        change_role(owner, number_of(viewer), "king")
    foreign = Membership.objects.get(user=outsider).pk
    for act in (
        lambda: change_role(owner, foreign, Role.VIEWER),
        lambda: remove_member(owner, foreign),
    ):
        with pytest.raises(NotFound, match=f"no member {foreign} in here"):
            act()
    assert Membership.objects.get(user=outsider).role == "owner"


@pytest.mark.parametrize("role", [role for role in Role.values if role != Role.OWNER])
def test_only_owners_change_members(role: str, owner: Actor, viewer: Actor) -> None:
    Membership.objects.filter(user=viewer.user).update(role=role)
    assert viewer.user is not None
    actor = actor_for(viewer.user, "here")
    for act in (
        lambda: change_role(actor, number_of(owner), Role.VIEWER),
        lambda: remove_member(actor, number_of(owner)),
        lambda: invite(actor, "new@here.example", Role.VIEWER),
        lambda: create_token(actor, Role.VIEWER, "mine"),
    ):
        with pytest.raises(NotAllowed):
            act()


def test_the_last_owner_stays(owner: Actor, viewer: Actor) -> None:
    number = number_of(owner)
    for act in (
        lambda: change_role(owner, number, Role.EDITOR),
        lambda: remove_member(owner, number),
        lambda: leave_org(owner),
    ):
        with pytest.raises(Conflict, match=r"owner@here\.example is the last owner") as caught:
            act()
        assert caught.value.code == "last_owner"
    change_role(owner, number_of(viewer), Role.OWNER)
    leave_org(owner)
    assert list(Membership.objects.values_list("user__email", "role")) == [
        ("viewer@here.example", "owner")
    ]
    assert last_entry() == (
        "owner@here.example",
        "member.leave",
        "owner@here.example",
        {"role": "owner"},
        None,
    )


def test_an_owner_who_was_demoted_meanwhile_changes_nothing(owner: Actor, viewer: Actor) -> None:
    change_role(owner, number_of(viewer), Role.OWNER)
    assert viewer.user is not None
    second = actor_for(viewer.user, "here")
    change_role(second, number_of(owner), Role.VIEWER)
    with pytest.raises(NotAllowed, match="The role viewer may not manage members"):
        change_role(owner, number_of(viewer), Role.VIEWER)
    remove_member(second, number_of(owner))
    with pytest.raises(NotAllowed, match="no longer a member of here"):
        invite(owner, "new@here.example", Role.OWNER)


def test_a_removed_member_is_signed_out_and_has_no_access(owner: Actor, viewer: Actor) -> None:
    session_of(viewer.user)
    session_of(owner.user)
    link = invite(owner, "other@here.example", Role.OWNER)
    link.invitation.email = "Viewer@here.example"
    link.invitation.save()
    remove_member(owner, number_of(viewer))
    link.invitation.refresh_from_db()
    assert link.invitation.revoked_at is not None
    assert list(BrowserSession.objects.values_list("user__email", flat=True)) == [
        "owner@here.example"
    ]
    assert viewer.user is not None
    with pytest.raises(NotFound):
        actor_for(viewer.user, "here")
    assert last_entry() == (
        "owner@here.example",
        "member.remove",
        "viewer@here.example",
        {"role": "viewer"},
        None,
    )


def test_members_are_found_by_address_and_role_page_by_page(owner: Actor) -> None:
    org = owner.org
    for number in range(7):
        user = create_user(f"person-{number}@here.example", PASSWORD)
        Membership.objects.create(org=org, user=user, role=Role.EDITOR)
    elsewhere = create_org("another", "Another", create_user("person-x@x.example", PASSWORD))

    def emails(
        text: str, role: str = "", cursor: str | None = None
    ) -> tuple[list[str], str | None]:
        page = search_members(org, text, role, 3, cursor)
        return [each.user.email for each in page.results], page.next

    first, cursor = emails("PERSON-")
    assert first == [f"person-{n}@here.example" for n in range(3)]
    assert emails("person-", "", cursor)[0] == [f"person-{n}@here.example" for n in range(3, 6)]
    assert emails("", "owner") == (["owner@here.example"], None)
    assert emails("person-", "owner") == ([], None)
    assert emails("%") == emails("a\0") == ([], None)
    assert [m.user.email for m in search_members(elsewhere, "", "", 9, None).results] == [
        "person-x@x.example"
    ]


def test_when_a_member_was_active_is_written_every_few_minutes(
    viewer: Actor, django_assert_num_queries
) -> None:
    assert viewer.user is not None
    with django_assert_num_queries(2):
        enter_org(viewer.user, "here")
    with django_assert_num_queries(1):
        enter_org(viewer.user, "here")
    assert Membership.objects.get().last_active_at is not None


def test_sessions_that_are_over_are_forgotten(owner: Actor, viewer: Actor) -> None:
    session_of(owner.user)
    session_of(viewer.user)
    BrowserSession.objects.filter(user=viewer.user).update(expire_date="2020-01-01T00:00Z")
    assert [forget_sessions(), forget_sessions()] == [1, 0]
    assert BrowserSession.objects.get().user == owner.user
