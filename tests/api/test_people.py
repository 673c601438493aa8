"""Members, invitations and tokens over HTTP."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from console.orgs.models import ApiToken, Invitation, Membership, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import create_token
from tests.api.conftest import Api
from tests.conftest import PASSWORD, member


@pytest.fixture
def client(api, owner: Actor):
    """Return a client with an owner's token."""
    return api(owner)


def number_of(actor: Actor) -> int:
    return Membership.objects.get(org=actor.org, user=actor.user).pk


def codes(answer) -> list[tuple[str, str]]:
    return [(error["path"], error["code"]) for error in answer.body["errors"]]


def left(text: str) -> timedelta:
    return datetime.fromisoformat(text) - timezone.now()


def bearer(secret: str) -> Client:
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_members_are_listed_page_by_page_and_found(client, api, owner: Actor, viewer: Actor):
    first = client.get("members?limit=1")
    assert [each["email"] for each in first.body["results"]] == ["owner@here.example"]
    second = client.get(f"members?limit=1&cursor={first.body['next']}")
    (member,) = second.body["results"]
    assert (second.body["next"], set(member)) == (
        None,
        {"id", "email", "role", "user", "groups", "joined_at", "last_active_at"},
    )
    assert client.get("members?q=VIEW&role=viewer").body["results"] == [member]
    assert client.get("members?role=editor").body["results"] == []
    assert codes(client.get("members?role=king")) == [("role", "invalid_choice")]
    seen = api(viewer).get("members").body["results"]
    assert [set(each) for each in seen] == [
        {"id", "email", "role", "user", "groups", "joined_at"}
    ] * 2


def test_owners_rename_the_organization(client, api, owner: Actor, editor: Actor):
    renamed = client.patch("", {"name": " Acme "})
    assert (renamed.status, renamed.body) == (200, client.get().body)
    assert (renamed.body["slug"], renamed.body["name"]) == ("here", "Acme")
    assert codes(client.patch("", {"name": "two\nlines"})) == [("name", "invalid_name")]
    assert codes(client.patch("", {"name": None})) == [("name", "wrong_type")]
    assert codes(client.patch("", {"name": " "})) == [("name", "blank")]
    assert codes(client.patch("", {})) == [("name", "required")]
    assert codes(client.patch("", {"name": "Acme", "slug": "acme"})) == [("slug", "unknown_field")]
    assert api(editor).patch("", {"name": "Mine"}).problem == (403, "not_allowed")
    assert client.get().body["name"] == "Acme"


def test_a_role_is_changed_and_the_last_owner_stays(client, owner: Actor, viewer: Actor):
    theirs = f"members/{number_of(viewer)}"
    assert client.patch(theirs, {"role": "operator"}).body["role"] == "operator"
    assert client.get(theirs).body["role"] == "operator"
    assert codes(client.patch(theirs, {"role": "king"})) == [("role", "invalid_choice")]
    assert codes(client.patch(theirs, {})) == [("role", "required")]
    mine = f"members/{number_of(owner)}"
    assert client.patch(mine, {"role": "viewer"}).problem == (409, "last_owner")
    assert client.delete(mine).problem == (409, "last_owner")
    assert client.delete(theirs).body["email"] == "viewer@here.example"
    assert client.delete(theirs).problem == (404, "not_found")
    assert client.patch("members/99999999999999999999", {"role": "viewer"}).problem == (
        404,
        "not_found",
    )


def test_tokens_and_invitations_above_a_new_role_are_told(client, api, owner: Actor):
    second = member(owner.org, "viewer")
    theirs = f"members/{number_of(second)}"
    assert client.patch(theirs, {"role": "owner"}).body["ended_tokens"] == 0
    acting = Actor.from_user(owner.org, second.user, Role.OWNER)
    secrets = [create_token(acting, role, role).secret for role in ("owner", "viewer")]
    invited = invite(acting, "new@here.example", Role.OWNER).invitation
    told = client.patch(theirs, {"role": "viewer"}).body
    assert (told["ended_tokens"], told["kept_tokens"]) == (1, 0)
    assert [each["id"] for each in told["open_invitations"]] == [str(invited.pk)]
    found = [bearer(one).get("/api/v1/orgs/here").status_code for one in secrets]
    assert found == [401, 200]
    assert client.delete(f"invitations/{invited.pk}").status == 200
    assert codes(client.patch(theirs, {"role": "owner", "keep_tokens": "yes"})) == [
        ("keep_tokens", "wrong_type")
    ]
    assert codes(client.delete(f"{theirs}?keep_tokens=yes")) == [("keep_tokens", "invalid_choice")]
    assert codes(client.get(f"{theirs}?keep_tokens=true")) == [("keep_tokens", "unknown_parameter")]
    told = client.delete(f"{theirs}?keep_tokens=true").body
    assert (told["ended_tokens"], told["kept_tokens"], told["open_invitations"]) == (0, 1, [])
    assert bearer(secrets[1]).get("/api/v1/orgs/here").status_code == 200


def test_an_invitation_is_made_used_and_taken_back(client):
    made = client.post("invitations", {"email": "new@here.example", "role": "editor"})
    assert made.status == 201
    link = made.body.pop("link")
    assert link.startswith("http://testserver/join/")
    assert timedelta(days=6) < left(made.body["expires_at"]) <= timedelta(days=7)
    listed = client.get("invitations").body["results"]
    assert listed == [made.body]
    assert link.rpartition("/")[2] not in str(listed) + str(list(Invitation.objects.values()))
    assert Client().get(link.removeprefix("http://testserver")).status_code == 302
    one = f"invitations/{made.body['id']}"
    assert client.delete(one).body == made.body
    assert client.delete(one).problem == (404, "not_found")
    assert Client().get(link.removeprefix("http://testserver")).status_code == 404


def test_an_invitation_does_not_reveal_accounts(client, viewer: Actor, db):
    create_user("known@elsewhere.example", PASSWORD)
    found = [
        client.post("invitations", {"email": email, "role": "viewer"})
        for email in ("known@elsewhere.example", "nobody@elsewhere.example")
    ]
    assert [answer.status for answer in found] == [201, 201]
    assert set(found[0].body) == set(found[1].body)
    again = client.post("invitations", {"email": viewer.name, "role": "viewer"})
    assert again.problem == (409, "already_member")


def test_errors_of_an_invitation_are_named(client):
    assert codes(client.post("invitations", {"days": 3})) == [
        ("days", "unknown_field"),
        ("email", "required"),
        ("role", "required"),
    ]
    body = {"email": "nobody", "role": "viewer", "expires_in_days": 31}
    assert codes(client.post("invitations", body)) == [("expires_in_days", "out_of_range")]
    body["expires_in_days"] = 30
    assert codes(client.post("invitations", body)) == [("email", "invalid_email")]


def test_a_secret_is_returned_once(client):
    made = client.post("tokens", {"name": "pipeline", "role": "submitter"})
    secret = made.body.pop("secret")
    assert (made.status, made.body["prefix"]) == (201, secret[:13])
    assert timedelta(days=89) < left(made.body["expires_at"]) <= timedelta(days=90)
    one = f"tokens/{made.body['id']}"
    assert client.get(one).body == made.body
    assert secret not in str(client.get("tokens").body)
    acting = bearer(secret)
    assert acting.get("/api/v1/orgs/here").json()["role"] == "submitter"
    assert acting.get("/api/v1/orgs/here/tokens").status_code == 403
    used = client.get(one).body
    assert (used["last_used_ip"], used["last_used_at"] is None) == ("127.0.0.1", False)
    revoked = client.delete(one).body
    assert revoked["revoked_at"] is not None
    assert acting.get("/api/v1/orgs/here").json()["code"] == "invalid_token"
    assert client.delete(one).body == revoked
    assert [each["id"] for each in client.get("tokens?state=ended").body["results"]] == [
        made.body["id"]
    ]


def test_a_token_may_have_no_end_and_nothing_else_that_is_odd(client):
    made = client.post("tokens", {"name": "one", "role": "viewer", "expires_in_days": None})
    assert made.body["expires_at"] is None
    odd = {"name": " ", "role": "king", "expires_in_days": 0}
    assert codes(client.post("tokens", odd)) == [
        ("name", "blank"),
        ("role", "invalid_choice"),
        ("expires_in_days", "out_of_range"),
    ]
    assert codes(client.get("tokens?state=lost")) == [("state", "invalid_choice")]


def test_a_rotation_gives_programs_time(client):
    old = client.post("tokens", {"name": "one", "role": "viewer"}).body
    path = f"tokens/{old['id']}/rotate"
    new = client.post(path, {"overlap_hours": 2})
    assert (new.status, new.body["name"], new.body["role"]) == (201, "one", "viewer")
    rotated = client.get(f"tokens/{old['id']}").body
    assert rotated["successor"] == new.body["id"]
    assert timedelta(hours=1) < left(rotated["expires_at"]) <= timedelta(hours=2)
    for secret in (old["secret"], new.body["secret"]):
        assert bearer(secret).get("/api/v1/orgs/here").status_code == 200
    assert client.post(path, {}).problem == (409, "token_rotated")
    at_once = client.post(f"tokens/{new.body['id']}/rotate", {"overlap_hours": 0})
    assert at_once.status == 201
    assert bearer(new.body["secret"]).get("/api/v1/orgs/here").status_code == 401
    ended = client.post(f"tokens/{new.body['id']}/rotate", {})
    assert ended.problem == (409, "token_ended")


def test_an_owner_s_token_keeps_working_when_it_revokes_itself_no_more(client):
    mine = ApiToken.objects.get(role=Role.OWNER)
    assert client.delete(f"tokens/{mine.pk}").status == 200
    assert client.get("tokens").problem == (401, "invalid_token")


def test_the_user_and_groups_of_a_member_are_set(client, api, viewer: Actor):
    theirs = f"members/{number_of(viewer)}"
    seen = client.get(theirs).body
    assert (seen["user"], seen["groups"]) == (viewer.name, [])
    body = {"user": "ada", "groups": ["research", "gpu-users", "research"]}
    changed = client.put(f"{theirs}/identity", body)
    assert (changed.status, changed.body) == (200, client.get(theirs).body)
    assert (changed.body["user"], changed.body["groups"]) == ("ada", ["research", "gpu-users"])
    assert api(viewer).get(theirs).body["user"] == "ada"
    reset = client.put(f"{theirs}/identity", {"user": None, "groups": []}).body
    assert (reset["user"], reset["groups"]) == (viewer.name, [])
    for body, due in (
        ({}, [("user", "required"), ("groups", "required")]),
        ({"user": 1, "groups": None}, [("user", "wrong_type"), ("groups", "wrong_type")]),
        ({"user": " a", "groups": "a"}, [("user", "invalid_name"), ("groups", "wrong_type")]),
        (
            {"user": None, "groups": [1, " "]},
            [("groups[0]", "wrong_type"), ("groups[1]", "blank")],
        ),
        ({"user": None, "groups": [], "role": "owner"}, [("role", "unknown_field")]),
    ):
        assert codes(client.put(f"{theirs}/identity", body)) == due
    nobody = client.put("members/0/identity", {"user": None, "groups": []})
    assert nobody.problem == (404, "not_found")


def test_a_token_has_a_user_and_groups(client):
    body = {"name": "nightly", "role": "submitter", "user": "nightly", "groups": ["batch"]}
    made = client.post("tokens", body).body
    assert (made["user"], made["groups"]) == ("nightly", ["batch"])
    assert client.get(f"tokens/{made['id']}").body["groups"] == ["batch"]
    theirs = Api(bearer(made["secret"]), "here")
    (uid,) = theirs.post("workloads", {"workloads": [{"name": "w"}]}).body["ids"]
    workload = theirs.get(f"workloads/{uid}").body
    assert (workload["user"], workload["groups"]) == ("nightly", ["batch"])
    refused = theirs.post("workloads", {"workloads": [{"name": "w"}, {"name": "x", "user": "ada"}]})
    assert refused.problem == (403, "not_allowed")
    assert codes(refused) == [("workloads[1].user", "not_allowed")]
    odd = {"name": "one", "role": "viewer", "user": 1, "groups": "a"}
    assert codes(client.post("tokens", odd)) == [("user", "wrong_type"), ("groups", "wrong_type")]
    groups_alone = {"name": "one", "role": "viewer", "groups": ["batch"]}
    assert codes(client.post("tokens", groups_alone)) == [("user", "required")]
