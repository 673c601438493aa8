"""Invitations: valid for one address, for a limited time, and once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from console.errors import BadRequest, Conflict, NotFound
from console.orgs.models import AuditEntry, Invitation, Membership, Organization, Proof, Role, User
from console.orgs.people import list_invitations, waiting_invitations
from console.orgs.permissions import Actor
from console.orgs.services import invite as inviting
from console.orgs.services.accept_invitation import (
    accept_invitation,
    accept_waiting_invitation,
    decline_invitation,
    join_with_password,
)
from console.orgs.services.create_user import create_user
from console.orgs.services.invite import Invited, invite, revoke_invitation
from console.orgs.token_secrets import digest_of
from tests.conftest import PASSWORD

EMAIL = "new@here.example"


@pytest.fixture
def invited(owner: Actor) -> Invited:
    """Create an open invitation for the role operator."""
    return invite(owner, EMAIL, Role.OPERATOR, 3)


def digest(invited: Invited) -> str:
    return digest_of(invited.secret)


def test_only_the_digest_of_a_link_is_kept_and_nothing_of_it_recorded(
    invited: Invited, owner: Actor
) -> None:
    row = Invitation.objects.values().get()
    entry = AuditEntry.objects.latest("pk")
    assert invited.secret not in f"{row} {entry.__dict__} {invited!r}"
    assert (entry.action, entry.subject, entry.after["role"]) == (
        "invitation.create",
        EMAIL,
        "operator",
    )
    left = invited.invitation.expires_at - timezone.now()
    assert timedelta(days=2, hours=23) < left <= timedelta(days=3)


def test_a_new_person_gets_an_account_and_joins(invited: Invited, owner: Actor) -> None:
    membership = join_with_password(digest(invited), "a long new password")
    user = User.objects.get(email=EMAIL)
    assert membership.user == user
    assert (user.proof, user.proven_in) == (Proof.INVITATION, owner.org)
    assert user.check_password("a long new password")
    assert (membership.org, membership.role) == (owner.org, "operator")
    entry = AuditEntry.objects.latest("pk")
    assert (entry.actor, entry.action, entry.subject) == (EMAIL, "invitation.accept", EMAIL)
    assert list_invitations(owner.org, 9, None).results == []
    with pytest.raises(NotFound, match="cannot be used"):
        accept_invitation(user, digest(invited))


def test_an_account_that_is_proven_keeps_its_password(invited: Invited, owner: Actor) -> None:
    user = create_user("New@here.example", PASSWORD)
    membership = join_with_password(digest(invited), "a long new password")
    assert (membership.role, membership.user == user) == ("operator", False)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert not user.memberships.exists()


def test_the_password_of_an_account_joins_with_that_account(invited: Invited) -> None:
    user = create_user("New@here.example", PASSWORD)
    membership = join_with_password(digest(invited), PASSWORD)
    assert (membership.role, membership.user) == ("operator", user)
    assert User.objects.with_address(EMAIL).count() == 1


@pytest.mark.parametrize("password", ["", "short", "password", EMAIL])
def test_a_password_that_is_too_easy_makes_no_account(password: str, invited: Invited) -> None:
    with pytest.raises(BadRequest) as caught:
        join_with_password(digest(invited), password)
    assert {error.path for error in caught.value.errors} == {"password"}
    assert not User.objects.filter(email=EMAIL).exists()


def test_an_invitation_is_for_one_address(invited: Invited, outsider: User) -> None:
    with pytest.raises(Conflict, match=f"is for {EMAIL}, and you are owner@elsewhere") as caught:
        accept_invitation(outsider, digest(invited))
    assert caught.value.code == "other_address"
    assert not Membership.objects.filter(user=outsider, org__slug="here").exists()


def test_an_invalid_invitation_answers_like_an_unknown_one(owner: Actor) -> None:
    old = invite(owner, EMAIL, Role.VIEWER, 1)
    newer = invite(owner, EMAIL.upper(), Role.EDITOR, 1)
    revoked = invite(owner, "other@here.example", Role.VIEWER)
    revoke_invitation(owner, revoked.invitation.pk)
    Invitation.objects.filter(pk=newer.invitation.pk).update(expires_at=timezone.now())
    said = set()
    for one in (old, newer, revoked):
        with pytest.raises(NotFound) as caught:
            join_with_password(digest(one), "a long new password")
        said.add(caught.value.message)
    with pytest.raises(NotFound) as caught:
        join_with_password("no such digest", "a long new password")
    assert said == {caught.value.message}
    assert not User.objects.filter(email__iexact=EMAIL).exists()
    assert [each.pk for each in list_invitations(owner.org, 9, None).results] == [
        newer.invitation.pk
    ]
    with pytest.raises(NotFound, match="no open invitation"):
        revoke_invitation(owner, revoked.invitation.pk)


def test_an_invitation_says_nothing_of_accounts_but_knows_members(
    owner: Actor, viewer: Actor, outsider: User
) -> None:
    assert invite(owner, outsider.email, Role.VIEWER).invitation.email == outsider.email
    with pytest.raises(Conflict, match="is already a member") as caught:
        invite(owner, "VIEWER@here.example", Role.OWNER)
    assert caught.value.code == "already_member"


def test_a_member_keeps_their_role(invited: Invited, owner: Actor) -> None:
    user = create_user(EMAIL, PASSWORD)
    Membership.objects.create(org=owner.org, user=user, role=Role.OWNER)
    assert accept_invitation(user, digest(invited)).role == "owner"


def test_everything_wrong_with_an_invitation_is_told_at_once(owner: Actor) -> None:
    with pytest.raises(BadRequest) as caught:
        invite(owner, "nobody", "king", 0)
    assert [(error.path, error.code) for error in caught.value.errors] == [
        ("email", "invalid_email"),
        ("role", "unknown_role"),
        ("expires_in_days", "out_of_range"),
    ]
    for email in ("x" * 250 + "@here.example", "a\0@here.example", ""):
        with pytest.raises(BadRequest, match="not an e-mail address"):
            invite(owner, email, Role.VIEWER)


def test_open_invitations_are_bounded(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inviting, "MOST_OPEN", 2)
    invite(owner, "one@here.example", Role.VIEWER)
    two = invite(owner, "two@here.example", Role.VIEWER)
    with pytest.raises(Conflict, match="2 invitations are open already"):
        invite(owner, "three@here.example", Role.VIEWER)
    invite(owner, "two@here.example", Role.EDITOR)
    two.invitation.refresh_from_db()
    assert two.invitation.revoked_at is not None


def test_a_foreign_invitation_cannot_be_taken_back(invited: Invited, outsider: User) -> None:
    other = Membership.objects.get(user=outsider)
    actor = Actor.from_user(other.org, outsider, other.role)
    with pytest.raises(NotFound):
        revoke_invitation(actor, invited.invitation.pk)


def waiting(user: User) -> list[int]:
    return [each.pk for each in waiting_invitations(user, 9)]


def known(proof: Proof, email: str = EMAIL) -> User:
    """Return an account of the address with *proof*."""
    user = create_user(email, PASSWORD)
    User.objects.filter(pk=user.pk).update(proof=proof)
    user.refresh_from_db()
    return user


@pytest.mark.parametrize("proof", [Proof.OPERATOR, Proof.PROVIDER])
def test_a_person_whose_address_is_proven_joins_without_the_link(
    invited: Invited, owner: Actor, proof: Proof
) -> None:
    user = known(proof, EMAIL.upper())
    number = invited.invitation.pk
    assert waiting(user) == [number]
    membership = accept_waiting_invitation(user, number)
    assert (membership.org, membership.user, membership.role) == (owner.org, user, "operator")
    entry = AuditEntry.objects.latest("pk")
    assert (entry.actor, entry.action) == (user.email, "invitation.accept")
    assert waiting(user) == []
    with pytest.raises(NotFound, match="cannot be used"):
        accept_waiting_invitation(user, number)
    with pytest.raises(NotFound):
        accept_invitation(user, digest(invited))


@pytest.mark.parametrize("proof", [Proof.INVITATION, Proof.UNKNOWN])
def test_an_account_of_an_unproven_address_needs_the_link(invited: Invited, proof: Proof) -> None:
    user = known(proof)
    assert waiting(user) == []
    for answer in (accept_waiting_invitation, decline_invitation):
        with pytest.raises(NotFound):
            answer(user, invited.invitation.pk)
    assert not Membership.objects.filter(user=user).exists()


def test_invitations_of_others_and_closed_ones_do_not_wait(
    invited: Invited, owner: Actor, other_org: Organization
) -> None:
    user = known(Proof.OPERATOR)
    stranger = known(Proof.OPERATOR, "other@here.example")
    assert waiting(stranger) == []
    with pytest.raises(NotFound):
        accept_waiting_invitation(stranger, invited.invitation.pk)
    assert owner.user is not None
    Membership.objects.create(org=other_org, user=owner.user, role=Role.OWNER)
    elsewhere = invite(Actor.from_user(other_org, owner.user, "owner"), EMAIL, Role.VIEWER)
    assert waiting(user) == [elsewhere.invitation.pk, invited.invitation.pk]
    revoke_invitation(owner, invited.invitation.pk)
    assert waiting(user) == [elsewhere.invitation.pk]
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert waiting(user) == []
    with pytest.raises(NotFound):
        accept_waiting_invitation(user, elsewhere.invitation.pk)


def test_a_declined_invitation_is_closed(invited: Invited, owner: Actor) -> None:
    user = known(Proof.OPERATOR)
    declined = decline_invitation(user, invited.invitation.pk)
    assert declined.revoked_at is not None
    assert list_invitations(owner.org, 9, None).results == []
    assert not Membership.objects.filter(user=user).exists()
    entry = AuditEntry.objects.latest("pk")
    assert (entry.actor, entry.action, entry.subject) == (EMAIL, "invitation.decline", EMAIL)
    with pytest.raises(NotFound):
        accept_invitation(user, digest(invited))


def test_of_two_accounts_of_an_address_one_is_a_member(invited: Invited, owner: Actor) -> None:
    join_with_password(digest(invited), "a long new password")
    user = known(Proof.OPERATOR)
    assert waiting(user) == []
