"""The page about API tokens, and the address by which the public client leads there."""

from __future__ import annotations

from django.test import Client

from console.orgs.models import Role
from console.orgs.permissions import Actor
from console.orgs.services.add_member import add_member
from console.orgs.services.create_org import create_org
from tests.pages.page import complaints, read_page


def test_the_address_that_the_public_client_names_leads_to_the_page(
    viewer: Actor, client_for
) -> None:
    browser = client_for(viewer)
    assert browser.get("/v2/api-keys").headers["Location"] == "/tokens"
    answer = browser.get("/tokens")
    page = read_page(answer)
    assert (answer.status_code, complaints(page)) == (200, [])
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert page.id("make").text == (
        "python manage.py create_token --org here --role viewer --name laptop"
    )
    assert "export ANYSCALE_HOST=http://testserver" in page.id("main").text


def test_it_names_the_organizations_of_the_person_alone(viewer: Actor, client_for) -> None:
    create_org("elsewhere", "Elsewhere", None)
    second = create_org("second", "Second", None)
    assert viewer.user is not None
    add_member(second, viewer.user, Role.OWNER)
    text = read_page(client_for(viewer).get("/tokens")).id("main").text
    assert "Your organizations, one of which stands after --org : here , second ." in text
    assert "elsewhere" not in text


def test_owners_are_led_to_where_they_make_one(owner: Actor, viewer: Actor, client_for) -> None:
    found = [
        [link.attrs["href"] for link in read_page(client_for(actor).get("/tokens")).all("a")]
        for actor in (owner, viewer)
    ]
    assert ["/o/here/settings/tokens/new" in links for links in found] == [True, False]


def test_whoever_is_not_signed_in_is_asked_to(db: None) -> None:
    assert Client().get("/tokens").headers["Location"] == "/login?next=%2Ftokens"
