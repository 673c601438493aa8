"""The page of the user's own sessions: signed-in browsers, and signing them out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from console.orgs.models import AuditEntry, BrowserSession
from console.orgs.permissions import Actor
from console.orgs.token_secrets import digest_of
from console.pages import throttle
from tests.conftest import PASSWORD
from tests.pages.page import Element, complaints, read_page

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture(autouse=True)
def clear_attempts() -> None:
    """Clear the failed attempts of other tests."""
    cache.clear()


def signed_in(actor: Actor, address: str = "10.0.0.1", agent: str = FIREFOX) -> Client:
    browser = Client(REMOTE_ADDR=address, headers={"user-agent": agent})
    browser.post("/login", {"email": actor.name, "password": PASSWORD})
    return browser


def main(response) -> Element:
    page = read_page(response)
    assert complaints(page) == []
    return page.id("main")


def test_the_list_says_where_and_with_what(owner: Actor) -> None:
    here = signed_in(owner)
    signed_in(owner, "10.0.0.2", "curl/8.5")
    rows = main(here.get("/sessions")).rows()
    assert sorted(row[0] for row in rows) == [
        f"Firefox on Linux this session {FIREFOX}",
        "curl/8.5 curl/8.5",
    ]
    assert sorted(row[1].rpartition(" ")[2] for row in rows) == ["10.0.0.1", "10.0.0.2"]
    digests = BrowserSession.objects.values_list("pk", flat=True)
    text = here.get("/sessions").content.decode()
    assert not any(digest in text for digest in digests)


def test_the_value_of_a_session_cookie_is_not_stored(owner: Actor) -> None:
    """A copy of the database does not allow taking over a session."""
    here = signed_in(owner)
    key = here.cookies["sluice_session"].value
    assert len(key) == 32
    (row,) = BrowserSession.objects.values()
    assert key not in str(row)
    here.cookies["sluice_session"] = row["digest"]
    assert here.get("/o/?all").status_code == 302
    here.cookies["sluice_session"] = key
    assert here.get("/o/?all").status_code == 200


def test_one_session_is_ended_and_no_other(owner: Actor, viewer: Actor) -> None:
    here, there, third = (signed_in(owner) for _ in range(3))
    foreign = signed_in(viewer)
    uid = BrowserSession.objects.get(pk=digest_of(there.session.session_key or "")).uid
    here.post("/sessions", {"uid": uid})
    found = [browser.get("/o/?all").status_code for browser in (here, there, third, foreign)]
    assert found == [200, 302, 200, 200]
    assert AuditEntry.objects.latest("pk").action == "session.revoke"
    other = BrowserSession.objects.get(user=viewer.user).uid
    for wrong in (other, uid, "a\0", ""):
        here.post("/sessions", {"uid": wrong})
    assert foreign.get("/o/?all").status_code == 200


def test_all_others_are_ended_at_once(owner: Actor) -> None:
    here, there, third = (signed_in(owner) for _ in range(3))
    here.post("/sessions", {"do": "others"})
    found = [browser.get("/o/?all").status_code for browser in (here, there, third)]
    assert found == [200, 302, 302]
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.after) == ("session.revoke", {"count": 2})


def test_a_new_password_ends_the_others(owner: Actor) -> None:
    here, there = signed_in(owner), signed_in(owner)
    new = "a longer staple"
    data = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post("/password", data).status_code == 302
    found = [browser.get("/sessions").status_code for browser in (here, there)]
    assert found == [200, 302]
    assert len(main(here.get("/sessions")).rows()) == 1


def test_when_it_was_seen_is_written_once_a_minute_and_not_for_polls(
    owner: Actor, django_assert_num_queries
) -> None:
    here = signed_in(owner)
    here.get("/o/?all")
    before = timezone.now() - timedelta(minutes=5)
    BrowserSession.objects.update(last_seen_at=before, ip="10.9.9.9")
    here.get("/o/here/queues", {"v": "0"})
    assert BrowserSession.objects.get().last_seen_at == before
    here.get("/o/?all", REMOTE_ADDR="10.0.0.7")
    row = BrowserSession.objects.get()
    assert (row.last_seen_at > before, row.ip) == (True, "10.0.0.7")
    here.get("/o/?all", REMOTE_ADDR="10.0.0.8")
    assert BrowserSession.objects.get().ip == "10.0.0.7"


def test_the_old_password_cannot_be_guessed_in_a_browser_that_was_left(owner: Actor) -> None:
    here = signed_in(owner)
    new = "a longer staple"
    data = {"old_password": "wrong", "new_password1": new, "new_password2": new}
    for _ in range(throttle.FREE_TRIES):
        assert here.post("/password", data).status_code == 422
    refused = here.post("/password", data | {"old_password": PASSWORD})
    assert refused.status_code == 429
    assert "Too many wrong passwords" in main(refused).text
    assert owner.user is not None
    owner.user.refresh_from_db()
    assert owner.user.check_password(PASSWORD)


def test_one_password_on_many_accounts_is_slowed_down_for_a_moment(
    owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(throttle.time, "time", lambda: now)
    monkeypatch.setattr(throttle, "FREE_TRIES_OF_ADDRESS", 3)

    def status(email: str, password: str) -> int:
        return Client().post("/login", {"email": email, "password": password}).status_code

    found = [status(f"person-{number}@here.example", "spring") for number in range(3)]
    assert (found, status(owner.name, PASSWORD)) == ([422, 422, 422], 429)
    now += 4
    assert status(owner.name, PASSWORD) == 302
    for number in range(9):
        now += throttle.LONGEST_WAIT_OF_ADDRESS
        assert status(f"person-{number}@here.example", "summer") == 422
