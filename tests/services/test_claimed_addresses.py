"""Accounts created by invitations: the organizations they are valid in, and what ends them."""

from __future__ import annotations

import pytest
from django.test import Client, override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from console.errors import Conflict, NotFound
from console.orgs.models import (
    ApiToken,
    AuditEntry,
    BrowserSession,
    Membership,
    Organization,
    Proof,
    Role,
    User,
)
from console.orgs.people import account_with_password
from console.orgs.permissions import Actor
from console.orgs.services.accept_invitation import accept_invitation, join_with_password
from console.orgs.services.add_member import add_member
from console.orgs.services.choose_account import AccountChoice, choose_account
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import create_token
from console.orgs.services.remove_member import remove_member
from console.orgs.services.reset_password import reset_password
from console.orgs.token_secrets import digest_of
from console.orgs.tokens import is_working
from tests.conftest import PASSWORD, member

CEO = "ceo@acme.test"
THEIRS, OURS = "password of a claimant", "password of the ceo"


def link(owner: Actor, role: str = Role.OWNER) -> str:
    """Return the digest of a new invitation link for the address."""
    return digest_of(invite(owner, CEO, role).secret)


@pytest.fixture
def claimed(outsider: User, other_org: Organization) -> Membership:
    """Claim the address by an invitation of another organization."""
    evil = Actor.from_user(other_org, outsider, Role.OWNER)
    return join_with_password(link(evil), THEIRS)


def orgs_of(user: User) -> list[str]:
    return sorted(user.memberships.values_list("org__slug", flat=True))


def test_a_claimed_account_counts_where_it_was_invited_alone(
    claimed: Membership, owner: Actor
) -> None:
    joined = join_with_password(link(owner), OURS)
    assert joined.user != claimed.user
    assert (orgs_of(joined.user), orgs_of(claimed.user)) == (["here"], ["elsewhere"])
    assert account_with_password(CEO, OURS) == joined.user
    assert account_with_password(CEO, THEIRS) == claimed.user
    assert account_with_password("CEO@ACME.test", "neither of them") is None


def test_signing_in_finds_the_account_by_its_password(claimed: Membership, owner: Actor) -> None:
    join_with_password(link(owner), OURS)
    found = {}
    for password in (OURS, THEIRS):
        browser = Client()
        answer = browser.post("/login", {"email": CEO, "password": password})
        assert answer.status_code == 302
        found[password] = [browser.get(f"/o/{slug}/").status_code for slug in ("here", "elsewhere")]
    assert found == {OURS: [200, 404], THEIRS: [404, 200]}


def test_an_owner_cannot_take_the_account_of_another_organizations_member(
    owner: Actor, outsider: User, other_org: Organization
) -> None:
    victim = join_with_password(link(owner), OURS)
    evil = Actor.from_user(other_org, outsider, Role.OWNER)
    thief = join_with_password(link(evil), THEIRS)
    assert (orgs_of(thief.user), orgs_of(victim.user)) == (["elsewhere"], ["here"])
    victim.user.refresh_from_db()
    assert victim.user.check_password(OURS)


def test_an_account_without_a_membership_is_taken_over(
    claimed: Membership, owner: Actor, outsider: User, other_org: Organization
) -> None:
    evil = Actor.from_user(other_org, outsider, Role.OWNER)
    left = create_token(
        Actor.from_user(other_org, claimed.user, Role.OWNER), Role.OWNER, "left behind"
    ).token
    remove_member(evil, claimed.pk)
    # The state that an earlier version left.
    ApiToken.objects.filter(pk=left.pk).update(revoked_at=None)
    BrowserSession.objects.create(
        digest="a", session_data="", expire_date="2100-01-01T00:00Z", user=claimed.user
    )
    joined = join_with_password(link(owner), OURS)
    assert joined.user == claimed.user
    joined.user.refresh_from_db()
    assert (joined.user.proof, joined.user.proven_in) == (Proof.INVITATION, owner.org)
    assert account_with_password(CEO, THEIRS) is None
    assert not BrowserSession.objects.filter(user=joined.user).exists()
    left.refresh_from_db()
    assert not is_working(left)
    taken = AuditEntry.objects.get(action="account.take_over")
    assert (taken.org, taken.subject, taken.after) == (
        owner.org,
        CEO,
        {"ended_sessions": 1, "ended_tokens": 1},
    )


@pytest.mark.parametrize("proof", [Proof.OPERATOR, Proof.PROVIDER, Proof.UNKNOWN])
def test_no_invitation_takes_over_any_other_account(proof: str, owner: Actor) -> None:
    known = create_user(CEO, PASSWORD)
    User.objects.filter(pk=known.pk).update(proof=proof)
    joined = join_with_password(link(owner), OURS)
    known.refresh_from_db()
    assert (joined.user == known, known.proof, known.check_password(PASSWORD)) == (
        False,
        proof,
        True,
    )


def test_an_inactive_account_cannot_be_circumvented(owner: Actor) -> None:
    known = create_user(CEO, PASSWORD)
    User.objects.filter(pk=known.pk).update(is_active=False)
    with pytest.raises(Conflict, match="is disabled") as caught:
        join_with_password(link(owner), OURS)
    assert caught.value.code == "switched_off"


def test_an_organization_has_one_member_of_an_address(claimed: Membership, owner: Actor) -> None:
    digest = link(owner)
    joined = join_with_password(digest, OURS)
    with pytest.raises(Conflict, match="with another account") as caught:
        add_member(owner.org, claimed.user, Role.OWNER)
    assert caught.value.code == "already_member"
    assert list(owner.org.memberships.filter(user__email=CEO)) == [joined]


def test_a_role_by_a_command_closes_the_links_of_the_address(owner: Actor) -> None:
    digest = link(owner)
    known = create_user(CEO, PASSWORD)
    add_member(owner.org, known, Role.VIEWER)
    with pytest.raises(NotFound, match="cannot be used"):
        join_with_password(digest, OURS)


def test_the_person_with_link_and_account_has_one_account_in_both(
    claimed: Membership, owner: Actor
) -> None:
    accept_invitation(claimed.user, link(owner, Role.VIEWER))
    assert orgs_of(claimed.user) == ["elsewhere", "here"]


def test_a_command_uses_no_claimed_account_by_default(
    claimed: Membership, org: Organization
) -> None:
    with pytest.raises(Conflict) as caught:
        choose_account(CEO, AccountChoice.PROVEN, org.slug)
    assert caught.value.code == "existing_account"
    assert caught.value.message == (
        f"{CEO} is an existing account. Its password was chosen through the link of an "
        "invitation from the organization elsewhere, so its owner is not verified. Add "
        "--existing if it belongs to that person, or --new for a separate account with its "
        "own password."
    )
    # In its own organization the member is unambiguous.
    assert choose_account(CEO, AccountChoice.PROVEN, "elsewhere") == (claimed.user, None)


def test_a_command_makes_another_account_when_asked(claimed: Membership, org: Organization) -> None:
    fresh, password = choose_account(CEO, AccountChoice.NEW, org.slug)
    assert fresh != claimed.user
    assert fresh.proof == Proof.OPERATOR
    assert password is not None
    assert account_with_password(CEO, password) == fresh
    with pytest.raises(Conflict, match="an address has one such account"):
        choose_account(CEO, AccountChoice.NEW, org.slug)
    assert choose_account(CEO, AccountChoice.PROVEN, org.slug) == (fresh, None)


def test_an_account_that_the_operator_vouches_for_counts_everywhere(
    claimed: Membership, org: Organization
) -> None:
    assert choose_account(CEO, AccountChoice.EXISTING, org.slug) == (claimed.user, None)
    claimed.user.refresh_from_db()
    assert (claimed.user.proof, claimed.user.proven_in) == (Proof.OPERATOR, None)
    assert choose_account(CEO, AccountChoice.PROVEN, org.slug) == (claimed.user, None)


def test_which_of_several_claims_is_meant_is_not_guessed(
    claimed: Membership, owner: Actor, db: None
) -> None:
    join_with_password(link(owner), OURS)
    with pytest.raises(Conflict, match=r"has 2 accounts.*--new") as caught:
        choose_account(CEO, AccountChoice.EXISTING)
    assert caught.value.code == "several_accounts"
    with pytest.raises(Conflict, match="--org, which is one of: elsewhere, here"):
        reset_password(CEO, None)


def test_an_account_of_an_earlier_version_needs_the_operators_word(org: Organization) -> None:
    known = create_user(CEO, PASSWORD)
    User.objects.filter(pk=known.pk).update(proof=Proof.UNKNOWN)
    with pytest.raises(
        Conflict, match="whose owner is not verified: an earlier version created it"
    ):
        choose_account(CEO, AccountChoice.PROVEN, org.slug)
    account, password = reset_password(CEO, None)
    assert (account, account.proof) == (known, Proof.OPERATOR)
    assert account_with_password(CEO, password) == known
    assert choose_account(CEO, AccountChoice.PROVEN, org.slug) == (known, None)


def test_a_new_password_ends_the_sessions_of_that_account_alone(
    claimed: Membership, owner: Actor
) -> None:
    joined = join_with_password(link(owner), OURS)
    for user in (joined.user, claimed.user):
        BrowserSession.objects.create(
            digest=str(user.pk), session_data="", expire_date="2100-01-01T00:00Z", user=user
        )
    _, password = reset_password(CEO, "here")
    assert list(BrowserSession.objects.values_list("user", flat=True)) == [claimed.user.pk]
    assert account_with_password(CEO, password) == joined.user
    assert account_with_password(CEO, THEIRS) == claimed.user


def test_a_password_of_another_account_of_the_address_is_refused(
    claimed: Membership, owner: Actor
) -> None:
    join_with_password(link(owner), OURS)
    browser = Client()
    browser.post("/login", {"email": CEO, "password": OURS})
    data = {"old_password": OURS, "new_password1": THEIRS, "new_password2": THEIRS}
    answer = browser.post("/password", data)
    assert answer.status_code == 422
    assert "Choose another password." in answer.content.decode()


@override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])
class TestNoOrganizationReachesAnother(TestCase):
    """No invitations to one address give an owner access to another organization."""

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.lists(
            st.tuples(st.integers(0, 2), st.sampled_from(["claim", "remove"])),
            max_size=7,
        )
    )
    def test_it(self, steps: list[tuple[int, str]]) -> None:
        owners = [
            member(create_org(f"org-{number}", "Org", owner=None), Role.OWNER)
            for number in range(3)
        ]
        known: dict[int, str] = {}
        for step, (number, act) in enumerate(steps):
            actor = owners[number]
            theirs = Membership.objects.filter(org=actor.org, user__email=CEO).first()
            if act == "remove" and theirs is not None:
                remove_member(actor, theirs.pk)
                del known[number]
            elif act == "claim" and theirs is None:
                password = f"chosen with link number {step}"
                join_with_password(link(actor, Role.VIEWER), password)
                known[number] = password
        # Each password signs in to the organization whose link set it, and to no other.
        found = {}
        for number, password in known.items():
            user = account_with_password(CEO, password)
            assert user is not None
            found[number] = orgs_of(user)
        assert found == {number: [f"org-{number}"] for number in known}
        assert User.objects.with_address(CEO).count() <= len(owners)
