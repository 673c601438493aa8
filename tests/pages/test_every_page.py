"""Every page in every role: valid markup, content security policy and accessibility."""

from __future__ import annotations

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
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_people, module_world
from tests.pages.page import complaints, pattern_of, read_page

#: Address below the organization -> status for an owner, who may see everything.
PAGES = {
    "": 200,
    "?resource=gpu": 200,
    "attention": 200,
    "search": 200,
    "search?q=research": 200,
    "queues": 200,
    "queues/research": 200,
    "queues?sort=age&group=cohort&state=accepting": 200,
    "queues?compare=research&compare=default": 200,
    "queues?compare=research": 400,
    "queues/research?reason=waiting_for_quota": 200,
    "queues/research?tab=running": 200,
    "queues/research?tab=running&by=newest": 200,
    "queues/research?tab=rules": 200,
    "queues/research?tab=history": 200,
    "queues/research?hold=1": 200,
    "queues/default": 200,
    "queues/research/usage": 200,
    "queues/research/usage?range=30d&table=workloads": 200,
    "queues/nothing/usage": 404,
    "cohorts/nothing/usage": 404,
    "usage": 200,
    "queues/research/bars": 200,
    "queues/nothing/bars": 404,
    "queues/research/quota": 200,
    "queues/default/quota": 200,
    "queues/nothing/quota": 404,
    "config/queues/new": 200,
    "config/rules/move": 200,
    "config/rules/move?rule=2": 200,
    "config/rules/move?rule=x": 200,
    "queues/nothing": 404,
    "shares": 200,
    "shares?cursor=x": 400,
    "shares?queue=a": 400,
    "users": 200,
    "users?q=a&kind=group": 200,
    "users?kind=strange": 400,
    "users?cursor=x": 400,
    "placement-rules": 200,
    "placement-rules?cursor=x": 400,
    "cohorts": 200,
    "cohorts?sort=contention&q=a": 200,
    "cohorts?sort=strange": 400,
    "help/quota-bars": 200,
    "capacity": 200,
    "capacity?q=nothing": 200,
    "capacity?cursor=x": 400,
    "capacity?as=xlsx": 400,
    "capacity/east": 200,
    "capacity/east?q=gpu&label.zone=a&ready=true": 200,
    "capacity/east?cursor=99": 200,
    "capacity/east?ready=strange": 400,
    "capacity/nothing": 404,
    "cohorts/nothing": 404,
    "workloads": 200,
    "workloads?state=pending&reason=waiting_for_quota&label.team=research": 200,
    "workloads?user=nobody": 200,
    "workloads?state=strange": 400,
    "workloads/new": 200,
    "workloads/{admitted}": 200,
    "workloads/{waiting}": 200,
    "workloads/{waiting}/trace": 200,
    "workloads/{never}": 200,
    "workloads/{rejected}": 200,
    "workloads/{finished}": 200,
    "workloads/unknown": 404,
    "workloads?group_by=reason": 200,
    "workloads?group_by=flavor&queue=research": 200,
    "workloads?group_by=strange": 400,
    "workloads?cols=queue%2Clabel.team": 200,
    "workloads?cols=strange": 400,
    "workloads/views": 200,
    "workloads/explain?reason=waiting_for_quota": 200,
    "workloads/explain?reason=no_rule_matched": 200,
    "workloads/explain?reason=behind_others": 200,
    "workloads/explain": 400,
    "workloads/{finished}?tab=timeline": 200,
    "workloads/{waiting}?tab=timeline": 200,
    "workloads/{waiting}?tab=spec": 200,
    "workloads/{waiting}?trace=technical": 200,
    "workloads/{waiting}?trace=json": 200,
    "workloads/{waiting}/changes": 200,
    "workloads/{waiting}/compare": 200,
    "workloads/{rejected}/compare": 200,
    "workloads/{waiting}/compare?with=unknown": 404,
    "workloads/{waiting}/preemptions/1": 404,
    "workloads/{waiting}/decisions/{decision}": 200,
    "workloads/{admitted}/decisions/{decision}": 404,
    "config": 200,
    "config/edit": 200,
    "config/codes": 200,
    "config/drafts": 200,
    "config/drafts/{draft}": 200,
    "config/drafts/99999": 404,
    "config/review?to=1": 200,
    "config/reviews": 200,
    "config/reviews?cursor=x": 400,
    "config/reviews/99999": 404,
    "config/scheduled": 200,
    "config/scheduled?cursor=x": 400,
    "config/scheduled/99999": 404,
    "config/impact/{impact}?to=1": 200,
    "config/impact/99999": 404,
    "config/history": 200,
    "config/history?noun=queue&name=research": 200,
    "config/history?kind=timer": 200,
    "config/history?kind=strange": 400,
    "config/v/1": 200,
    "config/v/1?diff=meaning": 200,
    "config/v/1?diff=split": 200,
    "config/v/1?blame=1": 200,
    "config/v/9": 404,
    "config/compare/1...1": 200,
    "config/compare/1...1?diff=effective": 200,
    "config/compare": 200,
    "config/compare?a=1": 200,
    "config/compare?a=1&b=x": 400,
    "config/compare?a=1&b=9": 400,
    "config/compare?draft=99": 404,
    "tools/route": 200,
    "tools/route?config=active&key=team&value=research&requests=gpu%3D8&priority=5": 200,
    "tools/route?config=1&beside=active&key=team&value=": 200,
    "tools/route?workload=unknown": 400,
    "tools/route/many": 200,
    "tools/placements": 200,
    "tools/placements?columns=x": 400,
    "tools/placements?cursor=x": 400,
    "tools/expectations": 200,
    "tools/expectations?config=9": 400,
    "tools/expectations/new": 200,
    "tools/expectations/9": 404,
    "events": 200,
    "events?type=REQUEST_REJECTED&queue=research": 200,
    "events?type=REQUEST_REJECTED&type=REQUEST_ADMITTED&level=INFO&config=1": 200,
    "events?id=99999": 200,
    "events?type=strange": 400,
    "events?as=xlsx": 400,
    "events/audit": 200,
    "events/audit?action=config&action=session&since=2026-01-01": 200,
    "events/audit?subject=nothing": 200,
    "events/audit?action=strange": 400,
    "settings/members": 200,
    "settings/members?q=viewer&role=viewer": 200,
    "settings/members?q=nobody": 200,
    "settings/members?role=king": 400,
    "settings/members/{viewer}": 200,
    "settings/members/{owner}": 200,
    "settings/members/99999": 404,
    "settings/invitations": 200,
    "settings/invitations/new": 200,
    "settings/tokens": 200,
    "settings/tokens?state=ended": 200,
    "settings/tokens/new": 200,
    "settings/tokens/{token}": 200,
    "settings/tokens/99999": 404,
    "settings/organization": 200,
    "settings/approval": 200,
    "settings/retention": 200,
    "settings/notifications": 200,
    "settings/appearance": 200,
    "settings/webhooks": 200,
    "settings/webhooks/new": 200,
    "settings/webhooks/{webhook}": 200,
    "settings/webhooks/{webhook}?state=failed&kind=test": 200,
    "settings/webhooks/{webhook}?state=strange": 400,
    "settings/webhooks/{webhook}/edit": 200,
    "settings/webhooks/{webhook}/deliveries/told": 200,
    "settings/webhooks/{webhook}/deliveries/unknown": 404,
    "settings/webhooks/99999": 404,
}


org, owner = module_org()
made, world = module_world()
people = module_people()


def address(path: str, world: World) -> str:
    """Return a page's address with the names of the world filled in."""
    names = {
        name: getattr(world, name).uid
        for name in ("admitted", "waiting", "never", "rejected", "finished")
    }
    decision = world.waiting.decisions.get().pk
    draft = draft_of_former_member(world.org).pk if "{draft}" in path else 0
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
    """Return a webhook of the organization with a delivery."""
    webhook = Webhook.objects.create(org=org, name="pager", url="https://hooks.example/")
    Delivery.objects.create(webhook=webhook, uid="told", kind="test", summary="A test", body="{}")
    return webhook.pk


def draft_of_former_member(org: Organization) -> Draft:
    """Return a draft of a former member, so that no role is redirected to a draft of its own."""
    author = create_user(f"left@{org.slug}.example", PASSWORD)
    return Draft.objects.create(org=org, author=author, dialect="native", text="{}", revision=1)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_sound_in_every_role(
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
    assert found[Role.OWNER] == PAGES[path]


def test_no_link_leads_to_what_one_may_not_see(world: World, people: dict[str, Client]) -> None:
    browser = people[Role.VIEWER]
    met: dict[str, int] = {}
    patterns: set[str] = set()
    owners = ("settings/tokens", "settings/webhooks", "settings/invitations")
    for path in (path for path in PAGES if not path.startswith(owners)):
        url = address(path, world)
        page = browser.get(url)
        seen = read_page(page).all("a") if page.status_code == 200 else []
        for link in seen:
            target = urldefrag(urljoin(url, link.attrs["href"])).url
            pattern = pattern_of(target)
            if pattern in patterns:
                continue
            patterns.add(pattern)
            answer = browser.get(target, follow=True)
            met[target] = answer.status_code
            # An export that is not read to its end stays open.
            b"".join(answer)
    assert {link: status for link, status in met.items() if status != 200} == {}


def test_a_page_that_is_not_there_for_somebody_is_sound(world: World, outsider: User) -> None:
    browser = Client()
    browser.force_login(outsider)
    response = browser.get(address("queues/research", world))
    assert response.status_code == 404
    assert complaints(read_page(response)) == []


@pytest.mark.parametrize(
    "path",
    [
        *("/login", "/o/?all", "/password", "/sessions", "/join", "/tokens", "/nowhere"),
        "/organizations/new",
    ],
)
def test_pages_without_an_organization_are_sound(path: str, owner: Actor, browser: Client) -> None:
    anonymous = Client()
    for reader in (anonymous, browser):
        response = reader.get(path)
        if response.status_code != 302:
            assert complaints(read_page(response)) == []


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
        "owner": {"Change", "Finish", "Deactivate", "Withdraw", "Hold"},
        "operator": {"Change", "Finish", "Deactivate", "Withdraw", "Hold"},
        "editor": set(),
        "submitter": set(),
        "viewer": set(),
    }
