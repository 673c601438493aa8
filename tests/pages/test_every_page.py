"""Every page: who may see it, and whether it is fit for browsers, the policy and screen readers."""

from __future__ import annotations

import json
from urllib.parse import urldefrag, urljoin

import pytest
from django.test import Client

from console.configs.models import Draft
from console.csp import POLICY
from console.orgs.models import Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.orgs.services.issue_token import create_token
from console.webhooks.models import Delivery, Webhook
from tests.conftest import PASSWORD
from tests.pages.conftest import World
from tests.pages.page import complaints, read_page
from tests.pages.standing import standing_world
from tests.standing import standing_org

ALL = dict.fromkeys(Role.values, 200)
DRAFTERS = ALL | {Role.VIEWER: 403, Role.SUBMITTER: 403, Role.OPERATOR: 403}
OWNERS = dict.fromkeys(Role.values, 403) | {Role.OWNER: 200}
SUBMITTERS = ALL | {Role.VIEWER: 403, Role.EDITOR: 403}

#: Address below the organization -> status by role.
PAGES = {
    "": ALL,
    "?resource=gpu": ALL,
    "attention": ALL,
    "search": ALL,
    "search?q=research": ALL,
    "queues": ALL,
    "queues/research": ALL,
    "queues?sort=age&group=cohort&state=accepting": ALL,
    "queues?compare=research&compare=default": ALL,
    "queues?compare=research": dict.fromkeys(Role.values, 400),
    "queues/research?reason=waiting_for_quota": ALL,
    "queues/research?tab=running": ALL,
    "queues/research?tab=running&by=newest": ALL,
    "queues/research?tab=rules": ALL,
    "queues/research?tab=history": ALL,
    "queues/research?hold=1": ALL,
    "queues/default": ALL,
    "queues/research/usage": ALL,
    "queues/research/usage?range=30d&table=workloads": ALL,
    "queues/nothing/usage": dict.fromkeys(Role.values, 404),
    "cohorts/nothing/usage": dict.fromkeys(Role.values, 404),
    "usage": ALL,
    "queues/research/bars": ALL,
    "queues/nothing/bars": dict.fromkeys(Role.values, 404),
    "queues/nothing": dict.fromkeys(Role.values, 404),
    "cohorts": ALL,
    "cohorts?sort=contention&q=a": ALL,
    "cohorts?sort=strange": dict.fromkeys(Role.values, 400),
    "help/quota-bars": ALL,
    "cohorts/nothing": dict.fromkeys(Role.values, 404),
    "workloads": ALL,
    "workloads?state=pending&reason=waiting_for_quota&label.team=research": ALL,
    "workloads?user=nobody": ALL,
    "workloads?state=strange": dict.fromkeys(Role.values, 400),
    "workloads/new": SUBMITTERS,
    "workloads/{admitted}": ALL,
    "workloads/{waiting}": ALL,
    "workloads/{waiting}/trace": ALL,
    "workloads/{never}": ALL,
    "workloads/{rejected}": ALL,
    "workloads/{finished}": ALL,
    "workloads/unknown": dict.fromkeys(Role.values, 404),
    "workloads?group_by=reason": ALL,
    "workloads?group_by=flavor&queue=research": ALL,
    "workloads?group_by=strange": dict.fromkeys(Role.values, 400),
    "workloads?cols=queue%2Clabel.team": ALL,
    "workloads?cols=strange": dict.fromkeys(Role.values, 400),
    "workloads/views": ALL,
    "workloads/explain?reason=waiting_for_quota": ALL,
    "workloads/explain?reason=no_rule_matched": ALL,
    "workloads/explain?reason=behind_others": ALL,
    "workloads/explain": dict.fromkeys(Role.values, 400),
    "workloads/{finished}?tab=timeline": ALL,
    "workloads/{waiting}?tab=timeline": ALL,
    "workloads/{waiting}?tab=spec": ALL,
    "workloads/{waiting}?trace=technical": ALL,
    "workloads/{waiting}?trace=json": ALL,
    "workloads/{waiting}/changes": ALL,
    "workloads/{waiting}/compare": ALL,
    "workloads/{rejected}/compare": ALL,
    "workloads/{waiting}/compare?with=unknown": dict.fromkeys(Role.values, 404),
    "workloads/{waiting}/preemptions/1": dict.fromkeys(Role.values, 404),
    "workloads/{waiting}/decisions/{decision}": ALL,
    "workloads/{admitted}/decisions/{decision}": dict.fromkeys(Role.values, 404),
    "config": ALL,
    "config/edit": DRAFTERS,
    "config/codes": ALL,
    "config/drafts": ALL,
    "config/drafts/{draft}": ALL,
    "config/drafts/99999": dict.fromkeys(Role.values, 404),
    "config/review?to=1": DRAFTERS,
    "config/impact/{impact}?to=1": ALL,
    "config/impact/99999": dict.fromkeys(Role.values, 404),
    "config/history": ALL,
    "config/history?noun=queue&name=research": ALL,
    "config/history?kind=timer": ALL,
    "config/history?kind=strange": dict.fromkeys(Role.values, 400),
    "config/v/1": ALL,
    "config/v/1?diff=meaning": ALL,
    "config/v/1?diff=split": ALL,
    "config/v/1?blame=1": ALL,
    "config/v/9": dict.fromkeys(Role.values, 404),
    "config/compare/1...1": ALL,
    "config/compare/1...1?diff=effective": ALL,
    "config/compare": ALL,
    "config/compare?a=1": ALL,
    "config/compare?a=1&b=x": dict.fromkeys(Role.values, 400),
    "config/compare?a=1&b=9": dict.fromkeys(Role.values, 400),
    "config/compare?draft=99": DRAFTERS | {Role.EDITOR: 404, Role.OWNER: 404},
    "tools/route": ALL,
    "tools/route?config=active&key=team&value=research&requests=gpu%3D8&priority=5": ALL,
    "tools/route?config=1&beside=active&key=team&value=": ALL,
    "tools/route?workload=unknown": dict.fromkeys(Role.values, 400),
    "tools/route/many": ALL,
    "tools/expectations": ALL,
    "tools/expectations?config=9": dict.fromkeys(Role.values, 400),
    "tools/expectations/new": DRAFTERS,
    "tools/expectations/9": {**DRAFTERS, Role.OWNER: 404, Role.EDITOR: 404},
    "events": ALL,
    "events?type=REQUEST_REJECTED&queue=research": ALL,
    "events?type=REQUEST_REJECTED&type=REQUEST_ADMITTED&level=INFO&config=1": ALL,
    "events?id=99999": ALL,
    "events?type=strange": dict.fromkeys(Role.values, 400),
    "events?as=xlsx": dict.fromkeys(Role.values, 400),
    "events/audit": ALL,
    "events/audit?action=config&action=session&since=2026-01-01": ALL,
    "events/audit?subject=nothing": ALL,
    "events/audit?action=strange": dict.fromkeys(Role.values, 400),
    "settings/members": ALL,
    "settings/members?q=viewer&role=viewer": ALL,
    "settings/members?q=nobody": ALL,
    "settings/members?role=king": dict.fromkeys(Role.values, 400),
    "settings/members/{viewer}": OWNERS | {Role.VIEWER: 200},
    "settings/members/{owner}": OWNERS,
    "settings/members/99999": dict.fromkeys(Role.values, 404),
    "settings/invitations": OWNERS,
    "settings/invitations/new": OWNERS,
    "settings/tokens": OWNERS,
    "settings/tokens?state=ended": OWNERS,
    "settings/tokens/new": OWNERS,
    "settings/tokens/{token}": OWNERS,
    "settings/tokens/99999": OWNERS | {Role.OWNER: 404},
    "settings/retention": ALL,
    "settings/appearance": ALL,
    "settings/webhooks": OWNERS,
    "settings/webhooks/new": OWNERS,
    "settings/webhooks/{webhook}": OWNERS,
    "settings/webhooks/{webhook}?state=failed&kind=test": OWNERS,
    "settings/webhooks/{webhook}?state=strange": OWNERS | {Role.OWNER: 400},
    "settings/webhooks/{webhook}/edit": OWNERS,
    "settings/webhooks/{webhook}/deliveries/told": OWNERS,
    "settings/webhooks/{webhook}/deliveries/unknown": OWNERS | {Role.OWNER: 404},
    "settings/webhooks/99999": OWNERS | {Role.OWNER: 404},
}


org, owner = standing_org()
made, world = standing_world()


def address(path: str, world: World) -> str:
    """Return a page's address in the world."""
    names = {
        name: getattr(world, name).uid
        for name in ("admitted", "waiting", "never", "rejected", "finished")
    }
    decision = world.waiting.decisions.get().pk
    draft = begun_by_somebody_who_left(world.org).pk if "{draft}" in path else 0
    members = {Role.VIEWER.value: 0} | {
        each.user.email.partition("@")[0]: each.pk
        for each in world.org.memberships.select_related("user")
    }
    return f"/o/{world.org.slug}/" + path.format(
        **names,
        **members,
        decision=decision,
        impact=world.impact,
        draft=draft,
        token=token_of(world.org) if "{token}" in path else 0,
        webhook=webhook_of(world.org) if "{webhook}" in path else 0,
    )


def token_of(org: Organization) -> int:
    """Return a token of the organization."""
    return create_token(Actor.from_command(org), Role.VIEWER, "reader").token.pk


def webhook_of(org: Organization) -> int:
    """Return a webhook of the organization that was told something."""
    webhook = Webhook.objects.create(org=org, name="pager", url="https://hooks.example/")
    Delivery.objects.create(webhook=webhook, uid="told", kind="test", summary="A test", body="{}")
    return webhook.pk


def begun_by_somebody_who_left(org: Organization) -> Draft:
    """Return a draft that is nobody's latest, so that every role comes to the editor's own page."""
    author = create_user(f"left@{org.slug}.example", PASSWORD)
    return Draft.objects.create(org=org, author=author, dialect="native", text="{}", revision=1)


@pytest.mark.parametrize("path", PAGES)
def test_each_role_sees_what_it_may_and_every_page_is_sound(
    path: str, world: World, people: dict[str, Client]
) -> None:
    url = address(path, world)
    policy = "; ".join(f"{name} {value}" for name, value in POLICY.items())
    found = {}
    for role, browser in people.items():
        response = browser.get(url)
        found[role] = response.status_code
        assert complaints(read_page(response)) == []
        assert response.headers["Content-Security-Policy"] == policy
        assert response.headers["Cache-Control"] == "private, no-store"
    assert found == PAGES[path]


def test_no_link_leads_to_what_one_may_not_see(world: World, people: dict[str, Client]) -> None:
    browser = people[Role.VIEWER]
    met: dict[str, int] = {}
    for path in (path for path, statuses in PAGES.items() if statuses[Role.VIEWER] == 200):
        url = address(path, world)
        links = [urljoin(url, link.attrs["href"]) for link in read_page(browser.get(url)).all("a")]
        for link in {urldefrag(each).url for each in links} - met.keys():
            met[link] = browser.get(link, follow=True).status_code
    assert {link: status for link, status in met.items() if status != 200} == {}


@pytest.mark.parametrize("path", PAGES)
def test_an_outsider_gets_404_and_a_stranger_is_sent_to_sign_in(
    path: str, world: World, outsider: User
) -> None:
    url = address(path, world)
    browser = Client()
    answer = browser.get(url)
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/login")
    browser.force_login(outsider)
    response = browser.get(url)
    assert response.status_code == 404
    assert world.org.name not in response.content.decode()
    assert complaints(read_page(response)) == []


@pytest.mark.parametrize(
    "path", ["/login", "/o/?all", "/password", "/sessions", "/join", "/tokens", "/nowhere"]
)
def test_pages_without_an_organization_are_sound(path: str, owner: Actor, browser: Client) -> None:
    anonymous = Client()
    for reader in (anonymous, browser):
        response = reader.get(path)
        if response.status_code != 302:
            assert complaints(read_page(response)) == []


@pytest.mark.parametrize(
    ("path", "data", "able"),
    [
        ("queues/research", {"do": "hold", "reason": "maintenance"}, {"owner", "operator"}),
        ("queues/research", {"do": "resume"}, {"owner", "operator"}),
        ("workloads/{waiting}", {"do": "withdraw"}, {"owner", "operator"}),
        ("workloads/new", {"name": "x", "type": "job", "copies": "1"},
         {"owner", "operator", "submitter"}),
        ("config/edit", {"do": "save", "text": "{}"}, {"owner", "editor"}),
        ("config/review", {"to": "1", "expected_version": "0"}, {"owner"}),
        ("config/review/fix", {"draft": "1", "revision": "1", "fix": "x"}, {"owner", "editor"}),
        ("config/conflict", {"do": "merge"}, {"owner", "editor"}),
        ("config/confirm", {"do": "confirm", "version": "1"}, {"owner"}),
        ("config/confirm", {"do": "revert", "version": "1"}, {"owner"}),
        ("config/drafts", {}, {"owner", "editor"}),
        ("config/drafts/{draft}", {"do": "save", "text": "{}"}, {"owner", "editor"}),
        ("config/drafts/{draft}", {"do": "take"}, {"owner", "editor"}),
        ("config/drafts/{draft}", {"do": "seize", "text": "{}"}, {"owner", "editor"}),
        ("config/drafts/{draft}", {"do": "copy", "text": "{}"}, {"owner", "editor"}),
        ("config/impact/again?to=1", {}, {"owner", "editor"}),
        ("config/impact/{impact}/cancel", {}, {"owner", "editor"}),
        ("tools/expectations/new", {"name": "x", "key": ""}, {"owner", "editor"}),
        ("settings/members/{owner}", {"do": "role", "role": "owner"}, {"owner"}),
        ("settings/invitations/new", {"email": "x"}, {"owner"}),
        ("settings/invitations/1/revoke", {}, {"owner"}),
        ("settings/tokens/new", {"name": ""}, {"owner"}),
        ("settings/tokens/{token}", {"do": "revoke"}, {"owner"}),
        ("settings/webhooks/new", {"name": ""}, {"owner"}),
        ("settings/webhooks/{webhook}", {"do": "test"}, {"owner"}),
        ("settings/webhooks/{webhook}/edit", {"name": ""}, {"owner"}),
        ("settings/webhooks/{webhook}/deliveries/told", {"do": "replay"}, {"owner"}),
    ],
)  # fmt: skip
def test_a_form_is_refused_to_roles_that_may_not_send_it(
    path: str, data: dict[str, str], able: set[str], world: World, people: dict[str, Client]
) -> None:
    url = address(path, world)
    refused = {
        role for role, browser in people.items() if browser.post(url, data).status_code == 403
    }
    assert refused == set(people) - able


@pytest.mark.parametrize(
    ("path", "able"),
    [
        ("config/edit/check", set(Role.values)),
        ("config/edit/complete", set(Role.values)),
        ("config/edit/explain", set(Role.values)),
        ("config/edit/context", set(Role.values)),
        ("config/edit/hits", set(Role.values)),
        ("config/edit/begin", {"owner", "editor"}),
        ("config/drafts/{draft}/save", {"owner", "editor"}),
        ("config/drafts/{draft}/visit", set(Role.values)),
        ("config/drafts/{draft}/leave", set(Role.values)),
    ],
)
def test_the_editor_asks_in_the_role_of_the_person(
    path: str, able: set[str], world: World, people: dict[str, Client]
) -> None:
    url = address(path, world)
    body = {"dialect": "native", "text": "{}", "base": 1, "line": 1, "column": 1}
    found = {}
    for role, browser in people.items():
        # A save is newer than that of whoever was there before, who leaves afterwards.
        asked = json.dumps(body | {"revision": len(found) + 1})
        found[role] = browser.post(url, asked, "application/json").status_code
        browser.post(url.rpartition("/")[0] + "/leave")
    assert {role for role, status in found.items() if status == 403} == set(people) - able
    assert {found[role] for role in able} <= {200, 204}


def test_a_form_without_its_token_is_refused_with_a_way_on(owner: Actor) -> None:
    browser = Client(enforce_csrf_checks=True)
    assert owner.user is not None
    browser.force_login(owner.user)
    response = browser.post("/o/here/queues/research", {"do": "resume"})
    assert (response.status_code, read_page(response).all("h1")[0].text) == (
        403,
        "This form is out of date",
    )


def test_actions_that_a_role_lacks_are_absent(world: World, people: dict[str, Client]) -> None:
    found = {}
    for role, browser in people.items():
        workload = read_page(browser.get(address("workloads/{admitted}", world)))
        queue = read_page(browser.get(address("queues/research", world)))
        config = read_page(browser.get(address("config", world)))
        buttons = [
            button.text.partition(":")[0].partition(" ")[0]
            for page in (workload, queue, config)
            for button in page.id("main").all("button")
            if "hidden" not in button.attrs
        ]
        found[role] = {word for word in buttons if word not in ("Copy", "Show")}
    assert found == {
        "owner": {"Finish", "Withdraw", "Hold"},
        "operator": {"Finish", "Withdraw", "Hold"},
        "editor": set(),
        "submitter": set(),
        "viewer": set(),
    }
