"""Loss of access takes effect at once: removal, demotion, closed accounts and revoked tokens."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from console.orgs.models import (
    ApiToken,
    AuditEntry,
    BrowserSession,
    Membership,
    Organization,
    Role,
    User,
)
from console.orgs.permissions import Actor
from console.orgs.services.change_role import change_role
from console.orgs.services.invite import invite, revoke_invitation
from console.orgs.services.issue_token import create_token
from console.orgs.services.remove_member import remove_member
from console.orgs.services.revoke_token import revoke_token
from console.orgs.token_secrets import digest_of
from console.workloads.models import Workload
from tests.permissions.callers import Caller
from tests.permissions.conftest import Stage

HOME, LATER = "/o/orchard/", "/o/orchard/?v=1.old"
API = "/api/v1/orgs/orchard"


@pytest.fixture
def boss(stage: Stage) -> Actor:
    """Return an owner, who has all permissions."""
    return Actor.from_command(Organization.objects.get(slug="orchard"))


def statuses(client: Client, *addresses: str) -> list[int]:
    """Return the status of each address for *client*."""
    return [client.get(address).status_code for address in addresses]


def test_a_removed_member_loses_access(stage: Stage, boss: Actor) -> None:
    caller = stage.caller("editor here")
    client = caller.client()
    assert statuses(client, HOME, LATER, API) == [200, 200, 200]
    remove_member(boss, caller.me)
    # All sessions are ended; polls of open pages are refused too.
    assert statuses(client, HOME, LATER, API) == [302, 401, 401]


def test_a_deleted_membership_ends_access(stage: Stage) -> None:
    caller = stage.caller("editor here")
    client = caller.client()
    assert statuses(client, HOME, LATER, API) == [200, 200, 200]
    Membership.objects.filter(pk=caller.me).delete()
    assert statuses(client, HOME, LATER, API) == [404, 404, 404]


def test_a_lower_role_takes_effect_with_the_next_request(stage: Stage, boss: Actor) -> None:
    caller = stage.caller("owner here")
    client = caller.client()
    asked = (
        "/o/orchard/settings/webhooks",
        "/o/orchard/settings/webhooks?v=1.old",
        f"{API}/tokens",
    )
    assert statuses(client, *asked) == [200, 200, 200]
    change_role(boss, caller.me, Role.VIEWER)
    # A page that was just rendered for owners is not shared with the new role.
    assert statuses(client, *asked) == [403, 403, 403]
    assert statuses(client, HOME, API) == [200, 200]


def test_a_lower_role_submits_for_its_own_user_with_the_next_request(
    stage: Stage, boss: Actor
) -> None:
    caller = stage.caller("operator here")
    client = caller.client()

    def submit(**facts: str) -> int:
        body = {"workloads": [{"name": "identified", **facts}]}
        return client.post(f"{API}/workloads", body, "application/json").status_code

    assert submit(user="ann") == 202
    change_role(boss, caller.me, Role.SUBMITTER)
    assert [submit(user="ann"), submit()] == [403, 202]
    users = Workload.objects.filter(name="identified").order_by("pk").values_list("user", flat=True)
    assert list(users) == ["ann", "operator@orchard.example"]


def test_a_closed_account_is_anonymous(stage: Stage) -> None:
    caller = stage.caller("owner here")
    client = caller.client()
    assert statuses(client, HOME, API) == [200, 200]
    User.objects.filter(memberships=caller.me).update(is_active=False)
    assert statuses(client, HOME, LATER, API, "/sessions") == [302, 401, 401, 302]


@pytest.mark.parametrize("end", ["signed out", "too old", "another password", "closed"])
def test_an_open_page_is_refused_once_its_session_ends(stage: Stage, end: str) -> None:
    caller = stage.caller("owner here")
    client = caller.client()
    assert statuses(client, LATER, LATER) == [200, 200]
    user = User.objects.get(memberships=caller.me)
    if end == "signed out":
        user.sessions.all().delete()
    elif end == "too old":
        user.sessions.update(expire_date=timezone.now())
    elif end == "another password":
        user.set_password("correct staple battery")
        user.save()
    else:
        User.objects.filter(pk=user.pk).update(is_active=False)
    assert statuses(client, LATER, HOME) == [401, 302]


def test_a_session_authenticates_only_the_signed_in_user(stage: Stage) -> None:
    owner, lone = stage.caller("owner here"), stage.caller("member of nothing")
    client = lone.client()
    key = client.cookies["sluice_session"].value
    boss = User.objects.get(memberships=owner.me)
    BrowserSession.objects.filter(pk=digest_of(key)).update(user=boss)
    assert statuses(client, LATER, HOME) == [404, 404]


def test_a_revoked_or_expired_token_is_refused_at_once(boss: Actor) -> None:
    for end in ("revoked", "expired"):
        issued = create_token(boss, Role.OWNER, end)
        client = Client(headers={"Authorization": f"Bearer {issued.secret}"})
        assert statuses(client, API) == [200]
        if end == "revoked":
            revoke_token(boss, issued.token.pk)
        else:
            past = timezone.now() - timedelta(seconds=1)
            ApiToken.objects.filter(pk=issued.token.pk).update(expires_at=past)
        assert statuses(client, API, "/api/v2/userinfo/") == [401, 401]


@pytest.mark.parametrize("keep", [True, False])
def test_a_token_of_a_removed_member_ends_unless_an_owner_keeps_it(
    stage: Stage, boss: Actor, keep: bool
) -> None:
    caller = stage.caller("owner here")
    member = Membership.objects.get(pk=caller.me)
    theirs = Actor.from_user(boss.org, member.user, member.role)
    secret = create_token(theirs, Role.VIEWER, "made by them").secret
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    remove_member(boss, caller.me, keep_tokens=keep)
    assert statuses(client, API) == [200 if keep else 401]


def test_a_bad_token_beside_a_good_session_is_refused(stage: Stage) -> None:
    # A request with a token is authenticated by the token alone, never by the session.
    owner = stage.caller("owner here")
    both = replace(owner, headers={"Authorization": "Bearer aslu_unknown"})
    assert statuses(both.client(), API) == [401]
    assert statuses(both.client(), HOME) == [200]


def test_a_link_opens_one_invitation_once(stage: Stage, boss: Actor) -> None:
    invited = invite(boss, "lone@nowhere.example", Role.OWNER)
    lone, other = (
        stage.caller("member of nothing").client(),
        stage.caller("owner elsewhere").client(),
    )
    for client in (other, lone):
        assert client.get(f"/join/{invited.secret}").status_code == 302
    # The invitation is for one email address.
    assert other.post("/join").status_code == 409
    assert statuses(other, HOME) == [404]
    assert lone.post("/join").headers["Location"] == HOME
    assert statuses(lone, HOME, "/o/orchard/settings/tokens") == [200, 200]
    late = Client()
    assert statuses(late, f"/join/{invited.secret}", "/join") == [404, 404]


def test_a_revoked_or_expired_link_is_refused(boss: Actor) -> None:
    taken = invite(boss, "a@nowhere.example", Role.OWNER)
    old = invite(boss, "b@nowhere.example", Role.OWNER)
    opened = Client()
    assert statuses(opened, f"/join/{taken.secret}", "/join") == [302, 200]
    revoke_invitation(boss, taken.invitation.pk)
    type(old.invitation).objects.filter(pk=old.invitation.pk).update(expires_at=timezone.now())
    assert statuses(opened, "/join") == [404]
    for link in (taken, old):
        assert statuses(Client(), f"/join/{link.secret}") == [404]


def test_the_last_owner_cannot_be_removed_by_anyone(stage: Stage, boss: Actor) -> None:
    owner = stage.caller("owner here")
    others = Membership.objects.filter(org=boss.org, role=Role.OWNER).exclude(pk=owner.me)
    others.update(role=Role.VIEWER)
    page = f"/o/orchard/settings/members/{owner.me}"
    asked = [{"do": "leave"}, {"do": "role", "role": "viewer"}]
    found = [owner.client().post(page, body).status_code for body in asked]
    call = f"{API}/members/{owner.me}"
    found += [
        owner.client().delete(call).status_code,
        owner.client().patch(call, {"role": "editor"}, "application/json").status_code,
        stage.caller("token of owner here").client().delete(call).status_code,
    ]
    assert found == [409] * 5
    assert Membership.objects.get(pk=owner.me).role == Role.OWNER


def test_the_role_of_the_requested_organization_counts(stage: Stage) -> None:
    client = stage.caller("viewer here who owns elsewhere").client()
    pages = ("/o/orchard/settings/tokens", "/o/outland/settings/tokens")
    calls = ("/api/v1/orgs/orchard/tokens", "/api/v1/orgs/outland/tokens")
    assert statuses(client, *pages, *calls) == [403, 200, 403, 200]


def test_sessions_of_others_are_neither_seen_nor_ended(stage: Stage) -> None:
    owner, viewer = stage.caller("owner here"), stage.caller("viewer here")
    theirs = User.objects.get(memberships=viewer.me).sessions.get()
    assert theirs.uid.encode() not in owner.client().get("/sessions").content
    owner.client().post("/sessions", {"uid": theirs.uid})
    owner.client().post("/sessions", {"do": "others"})
    assert statuses(viewer.client(), HOME) == [200]


def _polled(caller: Caller, address: str) -> bytes:
    return caller.client().get(address).content


@pytest.mark.parametrize("first", ["viewer here", "viewer here who owns elsewhere"])
def test_shared_polls_show_each_member_their_own_names(stage: Stage, first: str) -> None:
    """Members of one role poll the same pages; each sees names of their own workloads only."""
    (second,) = {"viewer here", "viewer here who owns elsewhere"} - {first}
    pages = [
        f"/o/orchard/workloads/{stage.here['stopped']}",
        f"/o/orchard/workloads/{stage.here['waiting']}",
        "/o/orchard/queues/orchard/train?tab=running",
        "/o/orchard/events",
        "/o/orchard/events/audit",
    ]
    user = User.objects.get(memberships=stage.caller(first).me)
    Workload.objects.filter(name="orchard-wins").update(submitted_by=f"user:{user.pk}")
    AuditEntry.objects.create(
        org=Organization.objects.get(slug="orchard"),
        action="view.save",
        kind="view",
        subject="of the first alone",
        actor=user.email,
        actor_key=f"user:{user.pk}",
    )
    poll = [f"{page}{'&' if '?' in page else '?'}v=1.old" for page in pages]
    shown = {page: _polled(stage.caller(first), page) for page in poll}
    told = {page: _polled(stage.caller(second), page) for page in poll}
    assert b"of the first alone" in shown[poll[-1]]
    assert b"of the first alone" not in told[poll[-1]]
    assert b"orchard-wins" in shown[poll[0]]
    assert b"orchard-wins" not in told[poll[0]]
