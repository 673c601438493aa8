"""Members, invitations, tokens and sessions: on narrow screens, in dark mode, without scripts."""

from __future__ import annotations

import re
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import PASSWORD, Place, sign_in
from tests.browser.rules import broken, hold_still
from tests.browser.walks import broken_pages


def status_with(place: Place, token: str) -> int:
    """Return the HTTP status of an API request with a token."""
    connection = HTTPConnection(urlsplit(place.base).netloc, timeout=30)
    path = f"/api/v1/orgs/{place.slug}"
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    status = connection.getresponse().status
    connection.close()
    return status


def invite(page: Page, place: Place, email: str) -> str:
    """Invite a person as operator and return the link."""
    page.goto(place.url("settings"))
    page.get_by_role("link", name="Invite a member").click()
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("radio", name="operator").check()
    page.get_by_role("button", name="Create link").click()
    return page.get_by_label("Link").input_value()


@pytest.mark.parametrize("scripts", [True, False])
def test_person_is_invited_joins_and_is_removed(
    visitors: Visitors, place: Place, scripts: bool
) -> None:
    email = f"{place.slug}@example.com"
    owner = visitors.page(place, scripts=scripts)
    link = invite(owner, place, email)
    owner.get_by_role("link", name="Done").click()
    expect(owner.get_by_role("table")).to_contain_text(email)

    guest = visitors.page(scripts=scripts)
    guest.goto(link)
    expect(guest.get_by_role("heading", level=1)).to_contain_text("Join Place")
    assert urlsplit(guest.url).path == "/join"
    guest.get_by_label("Choose a password").fill(PASSWORD)
    guest.get_by_label("Repeat the password").fill(PASSWORD)
    guest.get_by_role("button", name="Join as operator").click()
    expect(guest.get_by_role("main")).to_contain_text("You are now operator of")
    guest.goto(place.url("settings/members"))
    expect(guest.get_by_role("row", name=email)).to_contain_text("you")

    owner.goto(place.url("settings/members"))
    owner.get_by_role("link", name=email).click()
    expect(owner.get_by_role("group", name="Role")).to_contain_text("Loses:")
    owner.get_by_role("button", name="Remove this member").click()
    expect(owner.get_by_role("main")).to_contain_text("was removed and signed out")
    guest.goto(place.url())
    expect(guest.get_by_role("heading", level=1)).to_have_text("Sign in")
    assert guest.request.get(link).status == 404


def test_member_submits_as_the_user_that_an_owner_chose(visitors: Visitors, place: Place) -> None:
    email = f"{place.slug}@example.com"
    owner, guest = visitors.page(place), visitors.page()
    guest.goto(invite(owner, place, email))
    guest.get_by_label("Choose a password").fill(PASSWORD)
    guest.get_by_label("Repeat the password").fill(PASSWORD)
    guest.get_by_role("button", name="Join as operator").click()
    guest.wait_for_url(re.compile(r"/o/"))
    guest.goto(place.url("workloads/new"))
    expect(guest.get_by_role("main")).to_contain_text(f"Submitted as {email}, unless")

    owner.goto(place.url("settings/members"))
    owner.get_by_role("link", name=email).click()
    owner.get_by_label("User (optional)").fill("ada")
    owner.get_by_label("Groups (optional)").fill("research\ngpu-users")
    owner.get_by_role("button", name="Change user and groups").click()
    expect(owner.get_by_role("main")).to_contain_text("apply from the next submission")

    guest.reload()
    expect(guest.get_by_role("main")).to_contain_text("Submitted as ada in research, gpu-users")
    guest.get_by_label("Name", exact=True).fill("train")
    guest.get_by_role("button", name="Submit", exact=True).click()
    guest.wait_for_url(re.compile(r"/workloads/(?!new)"))
    uid = guest.url.rpartition("/")[2]
    workload = place.api.get(f"/workloads/{uid}")
    assert (workload["user"], workload["groups"]) == ("ada", ["research", "gpu-users"])


def test_secret_is_copied_and_not_shown_again(visitors: Visitors, place: Place) -> None:
    page = visitors.page(place)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(place.url("settings/tokens/new"))
    page.get_by_label("Name", exact=True).fill("pipeline")
    page.get_by_role("button", name="Create token").click()
    field = page.get_by_label("Token", exact=True)
    secret = field.input_value()
    assert re.fullmatch(r"aslu_[\w-]{43}", secret)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    assert secret not in page.url
    assert status_with(place, secret) == 200

    page.get_by_role("link", name="Done").click()
    expect(page.get_by_role("table")).to_contain_text("pipeline")
    # The browser did not cache the page, and would have to submit the form again.
    with pytest.raises(Error, match="ERR_CACHE_MISS"):
        page.go_back()

    page = page.context.new_page()
    page.goto(place.url("settings/tokens"))
    page.get_by_role("link", name="pipeline").click()
    page.get_by_role("button", name="Revoke this token").click()
    expect(page.get_by_role("main")).to_contain_text("is revoked")
    assert status_with(place, secret) == 401


def test_other_session_is_signed_out(visitors: Visitors, place: Place) -> None:
    email = f"{place.slug}@example.com"
    link = invite(visitors.page(place), place, email)
    here, there = visitors.page(), visitors.page()
    here.goto(link)
    here.get_by_label("Choose a password").fill(PASSWORD)
    here.get_by_label("Repeat the password").fill(PASSWORD)
    here.get_by_role("button", name="Join as operator").click()
    here.wait_for_url(re.compile(r"/o/"))
    sign_in(there, place.base, email, PASSWORD)
    there.wait_for_url(re.compile(r"/o/"))
    here.goto(f"{place.base}/sessions")
    expect(here.get_by_role("row", name="this session")).to_have_count(1)
    here.get_by_role("button", name="Sign out Chrome on Linux").click()
    expect(here.get_by_role("main")).to_contain_text("That browser is signed out.")
    there.goto(f"{place.base}/sessions")
    expect(there.get_by_role("heading", level=1)).to_have_text("Sign in")
    # The page that was left open may have polled after its session had ended.
    visitors.complaints[:] = [text for text in visitors.complaints if "401" not in text]


@pytest.fixture
def pages(place: Place) -> list[str]:
    """Paths of the settings of an organization with a little of everything."""
    long = "a-name-that-goes-on-" * 5
    identity = {"user": long, "groups": ["g" * 200, long]}
    named = {"name": long, "role": "viewer", **identity}
    token = place.api.post("/tokens", named, expect=201)["id"]
    place.api.post(f"/tokens/{token}/rotate", {}, expect=201)
    invited = {"email": f"{'i' * 60}@{'example.' * 20}com", "role": "viewer"}
    place.api.post("/invitations", invited, expect=201)
    members = place.api.get("/members")["results"]
    for each in members:
        path = f"/members/{each['id']}/identity"
        assert place.api.request("PUT", path, identity).status == 200
    own, other = (f"settings/members/{each['id']}" for each in members)
    return [
        "settings/members",
        "settings/members?q=nobody",
        own,
        other,
        "settings/invitations",
        "settings/invitations/new",
        "settings/tokens",
        "settings/tokens?state=ended",
        "settings/tokens/new",
        f"settings/tokens/{token}",
        "/sessions",
        "/password",
        "/tokens",
    ]


def test_pages_of_people_keep_the_rules(page: Page, place: Place, pages: list[str]) -> None:
    urls = (place.base + path if path.startswith("/") else place.url(path) for path in pages)
    assert broken_pages(page, urls) == {}


def test_pages_with_one_time_secrets_keep_the_rules(visitors: Visitors, place: Place) -> None:
    page = visitors.page(place, width=320)
    link = invite(page, place, f"{place.slug}@example.com")
    guest = visitors.page(width=320)
    guest.goto(link)
    page.goto(place.url("settings/tokens/new"))
    page.get_by_label("Name", exact=True).fill("one")
    with page.expect_navigation():
        page.get_by_role("button", name="Create token").click()
    for each in (page, guest):
        hold_still(each)
        assert broken(each, "structure", "axe", "width", "targets") == []
