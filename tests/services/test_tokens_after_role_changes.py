"""Tokens and invitations after role changes: none grants more than its creator's role."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from console.errors import ConsoleError, NotAllowed
from console.orgs.identities import NO_IDENTITY, Identity
from console.orgs.models import ApiToken, AuditEntry, Invitation, Membership, Role, User
from console.orgs.people import invitations_above
from console.orgs.permissions import GRANTS, Actor
from console.orgs.queries import actor_for
from console.orgs.services.add_member import add_member
from console.orgs.services.authenticate_token import authenticate_token
from console.orgs.services.change_role import change_role
from console.orgs.services.create_org import create_org
from console.orgs.services.end_tokens import TokenChanges
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import create_token
from console.orgs.services.remove_member import leave_org, remove_member
from console.orgs.services.rotate_token import rotate_token
from console.orgs.services.set_identity import set_identity
from console.orgs.tokens import is_working
from tests.conftest import member


def number_of(actor: Actor) -> int:
    return Membership.objects.get(org=actor.org, user=actor.user).pk


@pytest.fixture
def second(owner: Actor) -> Actor:
    """Create another owner, whose role changes."""
    user = User.objects.create_user("second@here.example")
    Membership.objects.create(org=owner.org, user=user, role=Role.OWNER)
    return Actor.from_user(owner.org, user, Role.OWNER)


def works() -> dict[str, bool]:
    return {token.name: is_working(token) for token in ApiToken.objects.all()}


def tokens_of_every_role(actor: Actor) -> dict[str, str]:
    return {role: create_token(actor, role, role).secret for role in Role.values}


@pytest.mark.parametrize(
    ("role", "left"),
    [
        (Role.VIEWER, {"viewer"}),
        (Role.SUBMITTER, {"viewer", "submitter"}),
        (Role.OPERATOR, {"viewer", "submitter", "operator"}),
        # Roles are not totally ordered.
        (Role.EDITOR, {"viewer", "editor"}),
    ],
)
def test_tokens_above_the_new_role_end(
    role: str, left: set[str], owner: Actor, second: Actor
) -> None:
    secrets = tokens_of_every_role(second)
    create_token(owner, Role.OWNER, "ours")
    change = change_role(owner, number_of(second), role)
    assert change.tokens == TokenChanges(ended=5 - len(left))
    assert works() == {name: name in left for name in Role.values} | {"ours": True}
    assert {name for name, one in secrets.items() if authenticate_token(one)} == left
    ended = AuditEntry.objects.filter(action="token.revoke", actor=owner.name)
    assert {entry.before["role"] for entry in ended} == set(Role.values) - left


def test_tokens_that_submit_for_others_end(owner: Actor, second: Actor) -> None:
    set_identity(owner, number_of(second), Identity("ada", ("dev", "ops")))
    tokens = {
        "own": (Role.SUBMITTER, Identity("ada", ("dev",))),
        "none": (Role.SUBMITTER, NO_IDENTITY),
        "other user": (Role.SUBMITTER, Identity("nightly")),
        "other group": (Role.SUBMITTER, Identity("ada", ("admin",))),
        "reader": (Role.VIEWER, Identity("nightly")),
    }
    for name, (role, identity) in tokens.items():
        create_token(second, role, name, identity=identity)
    change_role(owner, number_of(second), Role.OPERATOR)
    assert set(works().values()) == {True}
    change_role(owner, number_of(second), Role.SUBMITTER)
    assert works() == {name: "other" not in name for name in tokens}


def test_a_token_of_a_demoted_owner_makes_nobody_an_owner(owner: Actor, second: Actor) -> None:
    acting = Actor.from_token(create_token(second, Role.OWNER, "before").token)
    made = create_token(acting, Role.OWNER, "made by the token").token
    rotated = rotate_token(acting, made.pk, timedelta(days=1)).token
    assert [each.created_by for each in (made, rotated)] == [second.user] * 2
    change_role(owner, number_of(second), Role.VIEWER)
    assert set(works().values()) == {False}
    # For a request that began before, the current rows count, not those it has read.
    for act in (
        lambda: create_token(acting, Role.OWNER, "late"),
        lambda: create_token(second, Role.OWNER, "late"),
        lambda: rotate_token(acting, made.pk, timedelta(days=1)),
        lambda: change_role(acting, number_of(second), Role.OWNER),
        lambda: invite(acting, "new@here.example", Role.OWNER),
    ):
        with pytest.raises(NotAllowed):
            act()


def test_an_owner_may_keep_the_tokens(owner: Actor, second: Actor) -> None:
    secrets = tokens_of_every_role(second)
    change = change_role(owner, number_of(second), Role.VIEWER, keep_tokens=True)
    assert change.tokens == TokenChanges(kept=4)
    assert all(authenticate_token(one) for one in secrets.values())
    assert dict(ApiToken.objects.values_list("name", "created_by__email")) == {
        name: second.name if name == "viewer" else owner.name for name in Role.values
    }
    kept = AuditEntry.objects.filter(action="token.keep")
    assert [(entry.actor, entry.before, entry.after["maker"]) for entry in kept] == [
        (owner.name, {"maker": second.name}, owner.name)
    ] * 4
    # They end with the role of the owner who kept them.
    other = member(owner.org, "viewer")
    change_role(owner, number_of(other), Role.OWNER)
    change_role(owner, number_of(owner), Role.VIEWER)
    assert works() == {name: name == "viewer" for name in Role.values}


@pytest.mark.parametrize("keep", [False, True])
def test_tokens_of_a_removed_member_end_unless_they_are_kept(
    keep: bool, owner: Actor, second: Actor
) -> None:
    tokens_of_every_role(second)
    change = remove_member(owner, number_of(second), keep_tokens=keep)
    assert change.tokens == (TokenChanges(kept=5) if keep else TokenChanges(ended=5))
    assert works() == dict.fromkeys(Role.values, keep)


def test_leaving_and_a_command_end_tokens_too(owner: Actor, second: Actor) -> None:
    tokens_of_every_role(second)
    assert second.user is not None
    assert add_member(owner.org, second.user, Role.OPERATOR).tokens == TokenChanges(ended=2)
    leave_org(actor_for(second.user, "here"))
    assert works() == dict.fromkeys(Role.values, False)


def test_invitations_above_the_new_role_are_found(owner: Actor, second: Actor) -> None:
    for role in Role.values:
        invite(second, f"{role}@new.example", role)
    acting = Actor.from_token(create_token(second, Role.OWNER, "before").token)
    invite(acting, "token@new.example", Role.OWNER)
    invite(owner, "ours@new.example", Role.OWNER)
    old = invite(second, "old@new.example", Role.OWNER).invitation
    # Rows of earlier versions.
    Invitation.objects.filter(pk=old.pk).update(created_by=None)

    def above(role: str | None) -> list[str]:
        assert second.user is not None
        return [each.email for each in invitations_above(owner.org, second.user, role)]

    assert above(Role.OWNER) == []
    assert above(Role.EDITOR) == [
        "submitter@new.example",
        "operator@new.example",
        "owner@new.example",
        "token@new.example",
        "old@new.example",
    ]
    assert len(above(None)) == 7


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("issue"), st.integers(0, 2), st.sampled_from(Role.values)),
        st.tuples(st.just("by token"), st.integers(0, 9), st.sampled_from(Role.values)),
        st.tuples(st.just("rotate"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("role"), st.integers(0, 2), st.integers(0, 2), st.booleans(),
                  st.sampled_from(Role.values)),
        st.tuples(st.just("remove"), st.integers(0, 2), st.integers(0, 2), st.booleans()),
        st.tuples(st.just("leave"), st.integers(0, 2)),
        st.tuples(st.just("command"), st.integers(0, 2), st.sampled_from(Role.values)),
    ),
    max_size=14,
)  # fmt: skip


class TestNoTokenGrantsMoreThanItsPerson(TestCase):
    """No sequence of changes to roles, members and tokens leaves a token with more rights."""

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_it(self, steps: list[tuple]) -> None:
        org = create_org("here", "Here", owner=None)
        people = [User.objects.create_user(f"person-{n}@here.example") for n in range(3)]
        for person in people:
            Membership.objects.create(org=org, user=person, role=Role.OWNER)
        for step in steps:
            # Refused changes have no effect.
            try:
                self.do(step, org, people)
            except ConsoleError:
                continue
            finally:
                self.check(org)

    def do(self, step: tuple, org, people: list[User]) -> None:
        tokens = list(ApiToken.objects.order_by("pk"))
        match step:
            case "issue", who, role:
                create_token(actor_for(people[who], "here"), role, "by a person")
            case "by token", which, role if tokens:
                actor = Actor.from_token(tokens[which % len(tokens)])
                create_token(actor, role, "by a token")
            case "rotate", which, other if tokens:
                actor = Actor.from_token(tokens[which % len(tokens)])
                rotate_token(actor, tokens[other % len(tokens)].pk, timedelta(days=1))
            case "role", who, whom, keep, role:
                number = Membership.objects.filter(user=people[whom]).values_list("pk", flat=True)
                actor = actor_for(people[who], "here")
                change_role(actor, number.first() or 0, role, keep_tokens=keep)
            case "remove", who, whom, keep:
                number = Membership.objects.filter(user=people[whom]).values_list("pk", flat=True)
                actor = actor_for(people[who], "here")
                remove_member(actor, number.first() or 0, keep_tokens=keep)
            case "leave", who:
                leave_org(actor_for(people[who], "here"))
            case "command", who, role:
                add_member(org, people[who], role)

    def check(self, org) -> None:
        roles = dict(Membership.objects.filter(org=org).values_list("user_id", "role"))
        for token in filter(is_working, ApiToken.objects.all()):
            assert token.created_by_id is not None
            assert GRANTS[token.role] <= GRANTS[roles[token.created_by_id]]
