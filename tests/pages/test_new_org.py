"""The pages on which a person creates an organization and an owner renames it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from console.configs.models import Draft
from console.dialects import dialects
from console.orgs.models import Organization, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from tests.conftest import PASSWORD, signed_in
from tests.pages.page import Element, complaints, read_page

HERE = "/organizations/new"


@pytest.fixture
def founder(db: None) -> User:
    """Return a person without an organization who may create one."""
    cache.clear()
    user = create_user("founder@here.example", PASSWORD)
    user.can_create_orgs = True
    user.save()
    return user


@pytest.fixture
def browser(founder: User) -> Client:
    """Return a browser in which the founder is signed in."""
    client = Client()
    client.force_login(founder)
    return client


def main(response: Any) -> Element:
    page = read_page(response)
    assert complaints(page) == []
    return page.id("main")


def links(element: Element) -> list[str]:
    return [link.attrs["href"] for link in element.all("a")]


def test_the_first_organization_leads_to_the_draft_of_its_first_config(browser: Client) -> None:
    empty = main(browser.get("/o/"))
    assert "You are not a member of any organization" in empty.text
    assert HERE in links(empty)
    form = main(browser.get(HERE))
    values = [each.attrs["value"] for each in form.id("org-start").all("option")]
    assert values[0] == ""
    assert {value.partition("/")[0] for value in values[1:]} == set(dialects())
    start = next(value for value in values if value.startswith("kueue/"))
    answer = browser.post(HERE, {"name": "Acme <b>", "slug": "", "start": start})
    draft = Draft.objects.get()
    assert (draft.dialect, draft.title) == ("kueue", start.removeprefix("kueue/"))
    assert answer.headers["Location"] == f"/o/acme-b/config/drafts/{draft.pk}"
    assert (
        "The organization Acme &lt;b&gt; is created"
        in browser.get(answer.headers["Location"]).content.decode()
    )


def test_without_a_config_it_leads_to_the_first_steps(browser: Client) -> None:
    answer = browser.post(HERE, {"name": "Acme", "slug": "acme-1", "start": ""})
    assert answer.headers["Location"] == "/o/acme-1/"
    shown = read_page(browser.get("/o/acme-1/"))
    assert "Write a config" in shown.id("first-steps").text
    # The switcher and the search lead to the next one.
    assert HERE in [link.attrs["href"] for link in shown.all("a")]
    found = read_page(browser.get("/o/acme-1/search", {"q": "create organ"}))
    assert [each.text for each in found.all("a") if each.attrs["href"] == HERE][-1] == (
        "New organization"
    )


def test_errors_are_shown_at_their_fields_with_what_was_typed(browser: Client) -> None:
    typed = {"name": " ", "slug": "A B", "start": ""}
    answer = browser.post(HERE, typed)
    assert answer.status_code == 422
    form = main(answer)
    assert form.id("org-slug").attrs["value"] == "A B"
    assert "This may not be blank" in form.id("org-name-error").text
    assert "lower-case letters" in form.id("org-slug-error").text
    bad_start = browser.post(HERE, {"name": "Acme", "slug": "acme", "start": "native/none"})
    assert bad_start.status_code == 422
    assert "choose one of the list" in main(bad_start).id("org-start-error").text
    assert not Organization.objects.exists()


def test_a_foreign_slug_is_refused_without_its_name(
    browser: Client, other_org: Organization
) -> None:
    answer = browser.post(HERE, {"name": "Acme", "slug": "elsewhere"})
    assert answer.status_code == 422
    shown = main(answer)
    assert "The slug elsewhere is not available" in shown.text
    assert other_org.name not in shown.text


def test_slugs_are_not_guessed_quickly(browser: Client, founder: User) -> None:
    for number in range(20):
        assert browser.post(HERE, {"name": "Acme", "slug": f"A{number}"}).status_code == 422
    answer = browser.post(HERE, {"name": "Acme", "slug": "acme"})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 5
    assert "Too many attempts" in main(answer).text
    assert not Organization.objects.exists()


@pytest.mark.parametrize("text", ["\0", "a\0b", "<script>", "x" * 100_000, "🦀" * 201])
@pytest.mark.parametrize("field", ["name", "slug", "start"])
def test_hostile_texts_create_nothing(browser: Client, field: str, text: str) -> None:
    form = {"name": "Acme", "slug": "acme", "start": "", field: text}
    answer = browser.post(HERE, form)
    if (field, text) == ("name", "<script>"):
        assert answer.status_code == 302
        return
    assert answer.status_code in (400, 422)
    assert len(answer.content) < 30_000
    assert b"<script>" not in answer.content
    assert not Organization.objects.exists()


def test_people_without_the_permission_learn_who_gives_it(
    browser: Client, founder: User, settings: Any
) -> None:
    User.objects.update(can_create_orgs=False)
    empty = main(browser.get("/o/"))
    assert "allow_creating_orgs founder@here.example" in empty.text
    assert HERE not in links(empty)
    for answer in (browser.get(HERE), browser.post(HERE, {"name": "Acme"})):
        assert answer.status_code == 403
        assert "allow_creating_orgs founder@here.example" in main(answer).text
    settings.ORG_CREATION = "none"
    assert "python manage.py create_org" in main(browser.get("/o/")).text
    assert not Organization.objects.exists()


def test_too_many_organizations_are_refused(browser: Client, settings: Any) -> None:
    settings.ORGS_PER_PERSON = 1
    assert browser.post(HERE, {"name": "Acme"}).status_code == 302
    answer = browser.post(HERE, {"name": "Acme"})
    assert answer.status_code == 409
    assert "maximum number of organizations: 1" in main(answer).text


def test_members_without_the_permission_see_no_link(owner: Actor) -> None:
    browser = signed_in(owner)
    for address in ("/o/?all", "/o/here/", "/o/here/search?q=organization"):
        assert HERE not in [link.attrs["href"] for link in read_page(browser.get(address)).all("a")]


def test_owners_rename_and_others_read(owner: Actor, viewer: Actor) -> None:
    here = "/o/here/settings/organization"
    browser, other = signed_in(owner), signed_in(viewer)
    assert main(browser.get(here)).id("f-name").attrs["value"] == "Here"
    answer = browser.post(here, {"name": "Acme"})
    assert (answer.status_code, answer.headers["Location"]) == (302, here)
    shown = main(other.get(here))
    assert "Name: Acme" in shown.text
    assert shown.all("input", name="name") == []
    assert other.post(here, {"name": "Mine"}).status_code == 403
    for name in ("", "a\nb", "x" * 100_000):
        refused = browser.post(here, {"name": name})
        assert refused.status_code == 422
        assert main(refused).id("name-error").text
        assert len(refused.content) < 40_000
    assert Organization.objects.get().name == "Acme"
