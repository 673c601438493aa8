"""Joining by an invitation link: what it shows and reveals, and what it requires."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from console.orgs.models import Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.orgs.services.invite import invite
from console.pages import throttle
from tests.conftest import PASSWORD
from tests.pages.page import Element, complaints, read_page

EMAIL = "new@here.example"
NEW = "a long new password"


@pytest.fixture(autouse=True)
def clear_attempts() -> None:
    """Clear the failed attempts of other tests."""
    cache.clear()


@pytest.fixture
def secret(owner: Actor) -> str:
    """Return the secret of an invitation link for the role operator."""
    return invite(owner, EMAIL, Role.OPERATOR).secret


def main(response) -> Element:
    page = read_page(response)
    assert complaints(page) == []
    return page.id("main")


def test_choosing_a_password_completes_joining(secret: str) -> None:
    browser = Client()
    answer = browser.get(f"/join/{secret}")
    assert answer.headers["Location"] == "/join"
    shown = main(browser.get("/join"))
    assert "new@here.example is invited as operator" in shown.text
    assert secret not in browser.get("/join").content.decode()
    answer = browser.post("/join", {"password": NEW, "again": NEW})
    assert answer.headers["Location"] == "/o/here/"
    assert browser.get("/o/here/").status_code == 200
    assert Membership.objects.get(user__email=EMAIL).role == "operator"
    assert browser.get("/join").status_code == 404
    assert Client().get(f"/join/{secret}").status_code == 404
    # Later, in another browser without the link.
    later = Client()
    assert later.post("/login", {"email": EMAIL, "password": NEW}).status_code == 302
    assert later.get("/o/").headers["Location"] == "/o/here/"


def test_signing_in_leads_to_the_invitation_that_this_browser_opened(secret: str) -> None:
    create_user(EMAIL, PASSWORD)
    browser = Client()
    browser.get(f"/join/{secret}")
    assert main(browser.get("/login?next=%2Fjoin")).id("email").attrs["value"] == EMAIL
    answer = browser.post("/login", {"email": EMAIL, "password": PASSWORD})
    assert answer.headers["Location"] == "/join"
    assert [button.text for button in main(browser.get("/join")).all("button")] == [
        "Join as operator"
    ]
    assert browser.post("/join").headers["Location"] == "/o/here/"


def test_signing_in_does_not_lead_to_an_invitation_of_another_person(
    secret: str, outsider: User
) -> None:
    browser = Client()
    browser.get(f"/join/{secret}")
    answer = browser.post("/login", {"email": outsider.email, "password": PASSWORD})
    assert answer.headers["Location"] == "/o/"


def page_and_form(browser: Client, secret: str) -> list[object]:
    """Return everything that the link shows in *browser*."""
    found: list[object] = []
    for answer in (
        browser.get(f"/join/{secret}"),
        browser.get("/join"),
        browser.get("/login?next=%2Fjoin"),
        browser.post("/join", {"password": NEW, "again": NEW}),
        browser.get("/join"),
    ):
        text = ""
        if answer.status_code == 200:
            text = main(answer).text
        found.append((answer.status_code, answer.headers.get("Location"), text))
    return found


def test_a_link_does_not_reveal_whether_an_account_exists(
    secret: str, owner: Actor, org: Organization
) -> None:
    without = page_and_form(Client(), secret)
    known = create_user("known@here.example", PASSWORD)
    other = invite(owner, known.email, Role.OPERATOR).secret
    with_account = page_and_form(Client(), other)
    assert [str(each).replace("known@", "new@") for each in with_account] == list(map(str, without))
    known.refresh_from_db()
    assert known.check_password(PASSWORD)


def test_a_signed_in_user_joins_at_once(
    owner: Actor, outsider: User, other_org: Organization, client_for: Callable[[Actor], Client]
) -> None:
    secret = invite(owner, outsider.email.upper(), Role.VIEWER).secret
    browser = client_for(Actor.from_user(other_org, outsider, Role.OWNER))
    browser.get(f"/join/{secret}")
    assert browser.get("/o/here/").status_code == 404
    assert browser.post("/join").headers["Location"] == "/o/here/"
    assert browser.get("/o/here/").status_code == 200


def test_another_signed_in_user_is_asked_to_sign_out(
    secret: str, outsider: User, other_org: Organization, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(Actor.from_user(other_org, outsider, Role.OWNER))
    browser.get(f"/join/{secret}")
    assert "You are signed in as owner@elsewhere.example" in main(browser.get("/join")).text
    assert browser.post("/join").status_code == 409
    assert not Membership.objects.filter(user=outsider, org__slug="here").exists()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"password": NEW, "again": "another"}, "The passwords do not match"),
        ({"password": "12345", "again": "12345"}, "too short"),
        ({}, "too short"),
    ],
)
def test_a_password_that_cannot_be_is_refused(
    secret: str, data: dict[str, str], message: str
) -> None:
    browser = Client()
    browser.get(f"/join/{secret}")
    answer = browser.post("/join", data)
    assert answer.status_code == 422
    assert message in main(answer).id("join-errors").text
    assert not User.objects.filter(email=EMAIL).exists()


def test_guessing_links_is_slowed_down(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle.time, "time", lambda: 1000.0)
    for number in range(throttle.FREE_LINKS):
        assert Client().get(f"/join/guess-{number}").status_code == 404
    refused = Client().get(f"/join/{secret}")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "4")
    assert main(refused).all("h1")[0].text == "Too many attempts"
    assert Client(REMOTE_ADDR="10.0.0.9").get(f"/join/{secret}").status_code == 302


def test_a_link_is_not_in_the_log(secret: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Client().get(f"/join/{secret}")
        Client().get("/join/guess")
    lines = [str(record.msg) for record in caplog.records if "/join/" in str(record.msg)]
    assert lines
    assert not any(secret in line or "guess" in line for line in lines)


def test_an_anonymous_visit_without_a_link_leaves_no_session(db: None) -> None:
    browser = Client()
    assert browser.get("/join").status_code == 404
    assert browser.get("/join/unknown").status_code == 404
    assert "sluice_session" not in browser.cookies


def test_invitations_wait_in_the_list_of_organizations(
    owner: Actor, other_org: Organization, client_for: Callable[[Actor], Client]
) -> None:
    assert owner.user is not None
    boss = create_user("boss@other.example", PASSWORD)
    Membership.objects.create(org=other_org, user=boss, role=Role.OWNER)
    inviting = Actor.from_user(other_org, boss, "owner")
    first = invite(inviting, owner.user.email, Role.VIEWER).invitation
    browser = client_for(owner)
    # With an invitation, the only organization is not opened at once.
    shown = main(browser.get("/o/"))
    assert shown.all("h2")[0].text == f"Invitations to {owner.user.email}"
    assert "boss@other.example invites you as viewer" in shown.text
    assert [each.text for each in shown.all("button")] == [
        f"Join {other_org.name}",
        f"Decline the invitation to {other_org.name}",
    ]
    address = f"/join/waiting/{first.pk}"
    declined = browser.post(address, {"do": "decline"}, follow=True)
    assert f"You declined the invitation to {other_org.name}." in read_page(declined).text
    assert browser.get("/o/").headers["Location"] == "/o/here/"
    assert browser.post(address, {"do": "join"}).status_code == 404
    second = invite(inviting, owner.user.email, Role.OPERATOR).invitation
    joined = browser.post(f"/join/waiting/{second.pk}", {"do": "join"})
    assert joined.headers["Location"] == f"/o/{other_org.slug}/"
    assert Membership.objects.get(user=owner.user, org=other_org).role == "operator"
    assert len(main(browser.get("/o/")).all("li")) == 2
