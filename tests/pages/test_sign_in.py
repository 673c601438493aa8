"""Signing in: the redirect, what errors reveal, and throttling of guesses."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.pages import throttle
from tests.conftest import PASSWORD
from tests.pages.page import read_page

WRONG = "That e-mail address and password do not match an account. Check both."


@pytest.fixture(autouse=True)
def clear_attempts() -> None:
    """Clear the failed attempts of other tests."""
    cache.clear()


def sign_in(browser: Client, email: str, password: str = PASSWORD, next_url: str = ""):
    """Submit the sign-in form."""
    data = {"email": email, "password": password, "next": next_url}
    return browser.post("/login", data)


def test_signing_in_redirects_to_the_requested_page(owner: Actor) -> None:
    browser = Client()
    asked = "/o/here/workloads?state=pending&label.team=research"
    first = browser.get(asked)
    form = read_page(browser.get(first.headers["Location"]))
    kept = form.all("input", name="next")[0].attrs["value"]
    assert kept == asked
    answer = sign_in(browser, owner.name, next_url=kept)
    assert (answer.status_code, answer.headers["Location"]) == (302, asked)


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "javascript:alert(1)",
        "/\\evil.example",
        "http:///x",
    ],
)
def test_an_address_elsewhere_is_not_followed(elsewhere: str, owner: Actor) -> None:
    answer = sign_in(Client(), owner.name, next_url=elsewhere)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/o/")


@pytest.mark.parametrize("email", ["", "a\0@b.example", "[" * 100_000, "%", "_" * 20])
def test_an_invalid_email_address_fails_like_an_unknown_one(email: str, owner: Actor) -> None:
    answer = sign_in(Client(), email)
    assert (answer.status_code, read_page(answer).id("sign-in-error").text) == (422, WRONG)


@pytest.mark.parametrize("key", ['"abcdefghij\\000"', "x" * 5000, "short", "no-such-key-here"])
def test_a_made_up_cookie_is_anonymous(key: str, db: None) -> None:
    answer = Client(headers={"cookie": f"sluice_session={key}"}).get("/o/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login?next=%2Fo%2F")


def test_the_case_of_an_address_does_not_count(owner: Actor) -> None:
    assert sign_in(Client(), owner.name.upper()).status_code == 302


def test_a_wrong_password_and_an_unknown_address_read_the_same(owner: Actor) -> None:
    found = [
        (answer.status_code, read_page(answer).id("sign-in-error").text)
        for answer in (
            sign_in(Client(), owner.name, "wrong"),
            sign_in(Client(), "nobody@here.example", "wrong"),
        )
    ]
    assert found == [(422, WRONG), (422, WRONG)]


def test_the_case_of_the_address_does_not_matter(owner: Actor) -> None:
    assert sign_in(Client(), owner.name.upper()).status_code == 302


def test_guessing_is_slowed_down_even_for_the_right_password(
    owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(throttle.time, "time", lambda: now)
    for _ in range(throttle.FREE_TRIES):
        assert sign_in(Client(), owner.name, "wrong").status_code == 422
    refused = sign_in(Client(), owner.name)
    assert (
        refused.status_code,
        refused.headers["Retry-After"],
        read_page(refused).id("sign-in-error").text,
    ) == (429, "4", "Too many wrong passwords. Try again in 4 seconds.")
    other = Client(REMOTE_ADDR="10.0.0.9")
    assert sign_in(other, owner.name).status_code == 302
    now += 4
    assert sign_in(Client(), owner.name).status_code == 302
    assert sign_in(Client(), owner.name, "wrong").status_code == 422


@pytest.mark.parametrize(
    ("addresses", "status"),
    [
        # A connection is assigned at least this network, so its addresses count as one.
        ([f"2a00:1:2:3::{number}" for number in range(1, 7)], 429),
        ([f"2a00:1:2:{number}::1" for number in range(1, 7)], 302),
        ([f"::ffff:192.0.2.{number}" for number in range(1, 7)], 302),
        (["::ffff:192.0.2.1", *["192.0.2.1"] * 5], 429),
    ],
)
def test_addresses_of_one_connection_are_slowed_as_one(
    addresses: list[str], status: int, owner: Actor
) -> None:
    for address in addresses[:-1]:
        assert sign_in(Client(REMOTE_ADDR=address), owner.name, "wrong").status_code == 422
    assert sign_in(Client(REMOTE_ADDR=addresses[-1]), owner.name).status_code == status


def test_signing_out_ends_the_session(browser: Client) -> None:
    answer = browser.post("/logout")
    assert (answer.headers["Location"], browser.get("/o/").status_code) == ("/login", 302)
    assert browser.get("/logout").status_code == 405


def test_a_new_password_replaces_the_old_one(owner: Actor, browser: Client) -> None:
    new = "a longer staple"
    data = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert browser.post("/password", data).status_code == 302
    assert browser.get("/o/?all").status_code == 200
    assert sign_in(Client(), owner.name).status_code == 422
    assert sign_in(Client(), owner.name, new).status_code == 302


def test_a_password_that_cannot_be_is_refused_at_its_field(browser: Client) -> None:
    data = {"old_password": PASSWORD, "new_password1": "12345", "new_password2": "12345"}
    response = browser.post("/password", data)
    field = read_page(response).id("id_new_password2_error")
    assert response.status_code == 422
    assert "too short" in field.text


def test_the_theme_is_rendered_by_the_server(browser: Client) -> None:
    def theme() -> str:
        return read_page(browser.get("/o/?all")).all("html")[0].attrs["data-theme"]

    found = [theme()]
    for choice in ("dark", "light", "system", "purple"):
        answer = browser.post("/theme", {"theme": choice, "next": "/o/here/queues"})
        assert answer.headers["Location"] == "/o/here/queues"
        found.append(theme())
    assert found == ["", "dark", "light", "", ""]


def test_one_organization_is_entered_at_once_and_several_are_listed(
    owner: Actor, browser: Client, org: Organization
) -> None:
    assert browser.get("/o/").headers["Location"] == f"/o/{org.slug}/"
    create_org("zebra", "Zebra", owner.user)
    found = [link.attrs["href"] for link in read_page(browser.get("/o/")).id("main").all("a")]
    assert found == ["/docs/overview/#organizations", "/o/here/", "/o/zebra/"]


def test_with_passwords_switched_off_nobody_uses_one(
    owner: Actor, browser: Client, settings
) -> None:
    settings.LOCAL_SIGN_IN = False
    settings.OIDC_TITLE = "Corner ID"
    assert read_page(Client().get("/login")).all("input", name="password") == []
    answers = [sign_in(Client(), owner.name), browser.get("/password"), browser.post("/password")]
    assert [
        (answer.status_code, "sign in with Corner ID" in answer.content.decode())
        for answer in answers
    ] == [(403, True)] * 3
    links = {link.text for link in read_page(browser.get("/o/?all")).all("a")}
    assert "Change password" not in links
    assert "Your sessions" in links
