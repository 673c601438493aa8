"""The page about API tokens, and the address that the public client opens for it."""

from __future__ import annotations

from datetime import UTC, datetime

from django.test import Client

from console.orgs.models import ApiToken, Role
from console.orgs.permissions import Actor
from console.orgs.services.add_member import add_member
from console.orgs.services.create_org import create_org
from console.orgs.services.issue_token import issue_token
from console.orgs.services.revoke_token import revoke_token
from console.pages.presenters.people.token_abilities import abilities_of
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
    assert "Values for --org , your organizations: here , second ." in text
    assert "elsewhere" not in text


def test_owners_are_led_to_where_they_make_one(owner: Actor, viewer: Actor, client_for) -> None:
    found = [
        [link.attrs["href"] for link in read_page(client_for(actor).get("/tokens")).all("a")]
        for actor in (owner, viewer)
    ]
    assert ["/o/here/settings/tokens/new" in links for links in found] == [True, False]


def test_anonymous_visitors_are_asked_to_sign_in(db: None) -> None:
    assert Client().get("/tokens").headers["Location"] == "/login?next=%2Ftokens"


def test_a_token_says_what_it_may_do_and_why(owner: Actor, client_for) -> None:
    issue_token(owner.org, Role.OPERATOR, "night shift")
    token = ApiToken.objects.get(name="night shift")
    browser = client_for(owner)

    def told() -> list[list[str]]:
        page = read_page(browser.get(f"/o/here/settings/tokens/{token.pk}"))
        assert complaints(page) == []
        return page.id("may").rows()

    assert [row[:2] for row in told()] == [
        ["Read this organization", "Yes"],
        ["Submit workloads, or finish, withdraw and deactivate their own", "Yes"],
        ["Submit workloads as other users and groups", "Yes"],
        ["Finish, withdraw or deactivate the workloads of others", "Yes"],
        ["Change the priorities of others' workloads", "Yes"],
        ["Read the names of others' workloads in explanations", "Yes"],
        ["Hold and resume queues", "Yes"],
        ["Report and delete clusters", "Yes"],
        ["Compute the impact of a config; drafts are for members only", "No"],
        ["Approve config changes of other members", "No"],
        ["Apply configs", "No"],
        ["Manage members and tokens", "No"],
        ["Read the audit entries of others", "No"],
    ]
    assert [row[2] for row in told()][5:9] == [
        "The role operator includes this action.",
        "The role operator includes this action.",
        "The role operator includes this action.",
        "The role operator does not include this action: 403. Required role: editor or owner.",
    ]
    token.expires_at = datetime(2026, 1, 31, 12, tzinfo=UTC)
    token.save()
    assert {row[1] for row in told()} == {"No"}
    moment = "2026-01-31 12:00 UTC"
    expired = f"The role operator includes this action, but the token expired on {moment}: 401."
    assert [row[2] for row in told()][:6] == [expired] * 6
    revoke_token(owner, token.pk)
    assert "but the token was revoked on " in told()[0][2]


def test_the_answer_is_the_one_that_a_request_gets(owner: Actor, org, client_for) -> None:
    for role in Role.values:
        secret = issue_token(org, role, f"as {role}")
        (apply_row,) = [
            each
            for each in abilities_of(ApiToken.objects.get(name=f"as {role}"))
            if each.request == "POST config/versions"
        ]
        answer = Client(headers={"authorization": f"Bearer {secret}"}).post(
            "/api/v1/orgs/here/config/versions", "{}", content_type="application/json"
        )
        # Roles that may apply are told what is missing; all others are refused before.
        assert (answer.status_code == 400) == apply_row.is_allowed
        assert (answer.status_code == 403) != apply_row.is_allowed
