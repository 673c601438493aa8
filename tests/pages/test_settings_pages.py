"""Settings pages: members, invitations and tokens."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from console.orgs.models import ApiToken, AuditEntry, Invitation, Membership, Role
from console.orgs.permissions import GRANTS, Actor, Permission
from console.orgs.services.invite import invite
from console.orgs.services.issue_token import create_token
from tests.pages.page import Element, complaints, read_page

MEMBERS = "/o/here/settings/members"
INVITATIONS = "/o/here/settings/invitations"
TOKENS = "/o/here/settings/tokens"


@pytest.fixture(autouse=True)
def clear_attempts() -> None:
    """Clear the form submissions of other tests."""
    cache.clear()


def number_of(actor: Actor) -> int:
    return Membership.objects.get(org=actor.org, user=actor.user).pk


def main(response) -> Element:
    page = read_page(response)
    assert complaints(page) == []
    return page.id("main")


def notices(browser: Client, url: str) -> list[str]:
    page = main(browser.get(url))
    return [each.text for each in page.all("div", role="status")]


def test_settings_lead_to_the_members(browser: Client) -> None:
    assert browser.get("/o/here/settings").headers["Location"] == MEMBERS


def test_members_see_each_other_and_owners_more(
    browser: Client, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    page = main(browser.get(MEMBERS))
    assert [row[:2] for row in page.rows()] == [
        ["owner@here.example you", "owner"],
        ["viewer@here.example", "viewer"],
    ]
    assert [len(row) for row in page.rows()] == [5, 5]
    seen = main(client_for(viewer).get(MEMBERS))
    assert [row[:2] for row in seen.rows()] == [
        ["owner@here.example", "owner"],
        ["viewer@here.example you", "viewer"],
    ]
    assert [len(row) for row in seen.rows()] == [4, 4]
    links = {link.text for link in seen.all("a")}
    assert "viewer@here.example" in links
    assert not {"owner@here.example", "API tokens", "Invitations", "Invite a member"} & links


def test_the_list_of_members_explains_the_roles(browser: Client, viewer: Actor) -> None:
    page = main(browser.get(MEMBERS))
    (table,) = page.all("dl")
    explained = dict(
        zip(
            [each.text for each in table.all("dt")],
            [each.text.split("; ") for each in table.all("dd")],
            strict=True,
        )
    )
    assert explained == {
        role: [each.value for each in Permission if each in GRANTS[role]] for role in Role.values
    }


def test_the_role_picker_says_what_changes(browser: Client, viewer: Actor) -> None:
    page = main(browser.get(f"{MEMBERS}/{number_of(viewer)}"))
    words = {
        each.attrs["id"].removeprefix("role-").removesuffix("-may"): each.text
        for each in page.all("div")
        if each.attrs.get("id", "").startswith("role-")
    }
    assert words == {
        "viewer": "May read this organization.",
        "submitter": "Gains: submit workloads, or finish, withdraw and deactivate their own.",
        "operator": (
            "Gains: submit workloads, or finish, withdraw and deactivate their own; submit "
            "workloads as other users and groups; finish, withdraw or deactivate the workloads of "
            "others; change the priorities of others' workloads; read the names of others' "
            "workloads in explanations; hold and resume queues; report and delete clusters."
        ),
        "editor": (
            "Gains: read the names of others' workloads in explanations; edit drafts of the "
            "config; approve config changes of other members."
        ),
        "owner": (
            "Gains: submit workloads, or finish, withdraw and deactivate their own; submit "
            "workloads as other users and groups; finish, withdraw or deactivate the workloads of "
            "others; change the priorities of others' workloads; read the names of others' "
            "workloads in explanations; hold and resume queues; report and delete clusters; edit "
            "drafts of the config; approve config changes of other members; apply configs; manage "
            "members and tokens; read the audit entries of others."
        ),
    }
    assert page.id("role-viewer").attrs["checked"] == ""


def test_a_role_is_changed_and_counts_at_once(
    browser: Client, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    theirs = client_for(viewer)
    assert theirs.get("/o/here/workloads/new").status_code == 403
    answer = browser.post(f"{MEMBERS}/{number_of(viewer)}", {"do": "role", "role": "operator"})
    assert answer.headers["Location"] == MEMBERS
    assert notices(browser, MEMBERS) == ["viewer@here.example is operator from the next request."]
    assert theirs.get("/o/here/workloads/new").status_code == 200


def test_the_last_owner_is_told_why_they_stay(browser: Client, owner: Actor) -> None:
    url = f"{MEMBERS}/{number_of(owner)}"
    for data in ({"do": "role", "role": "viewer"}, {"do": "leave"}):
        answer = browser.post(url, data)
        assert answer.status_code == 409
        assert main(answer).all("div", role="alert")[0].text == (
            "owner@here.example is the last owner; give another member the owner role first."
        )


def test_a_removed_member_is_signed_out(
    browser: Client, viewer: Actor, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    theirs = client_for(viewer)
    assert theirs.get("/o/here/").status_code == 200
    Membership.objects.filter(user=viewer.user).update(role=Role.OWNER)
    issued = create_token(
        Actor.from_user(owner.org, viewer.user, Role.OWNER), Role.VIEWER, "theirs"
    )
    url = f"{MEMBERS}/{number_of(viewer)}"
    assert (
        "1 API token of this member is revoked now: programs that use it stop."
        in main(browser.get(url)).text
    )
    browser.post(url, {"do": "remove"})
    assert notices(browser, MEMBERS) == [
        "viewer@here.example was removed and signed out.",
        "API tokens revoked, because they granted more: 1.",
    ]
    assert theirs.get("/o/here/").headers["Location"].startswith("/login")
    bearer = Client(headers={"authorization": f"Bearer {issued.secret}"})
    assert bearer.get("/api/v1/orgs/here").status_code == 401


def test_open_invitations_of_a_demoted_owner_are_shown_and_revoked(
    browser: Client, viewer: Actor, owner: Actor
) -> None:
    Membership.objects.filter(user=viewer.user).update(role=Role.OWNER)
    acting = Actor.from_user(owner.org, viewer.user, Role.OWNER)
    create_token(acting, Role.OWNER, "theirs")
    invited = invite(acting, "new@here.example", Role.OWNER).invitation
    url = f"{MEMBERS}/{number_of(viewer)}"
    revoked = (
        "Tokens that grant more than the new role are revoked, as are tokens that submit "
        "workloads as other users or groups if the new role may not."
    )
    assert revoked in main(browser.get(url)).text
    answer = browser.post(url, {"do": "role", "role": "editor"})
    assert answer.headers["Location"] == url
    shown = browser.get(url)
    assert [each.text for each in main(shown).all("div", role="status")] == [
        "viewer@here.example is editor from the next request.",
        "API tokens revoked, because they granted more: 1.",
    ]
    assert "Open invitations above editor" in main(shown).text
    browser.post(f"/o/here/settings/invitations/{invited.pk}/revoke")
    assert "Open invitations above editor" not in main(browser.get(url)).text


def test_removing_with_tokens_kept_and_an_invitation_left_open(
    browser: Client, viewer: Actor, owner: Actor
) -> None:
    Membership.objects.filter(user=viewer.user).update(role=Role.OWNER)
    acting = Actor.from_user(owner.org, viewer.user, Role.OWNER)
    issued = create_token(acting, Role.OWNER, "theirs")
    invite(acting, "new@here.example", Role.VIEWER)
    answer = browser.post(f"{MEMBERS}/{number_of(viewer)}", {"do": "remove", "keep_tokens": "on"})
    to = "/o/here/settings/invitations"
    assert answer.headers["Location"] == to
    assert notices(browser, to) == [
        "viewer@here.example was removed and signed out.",
        "API tokens transferred to you: 1.",
        (
            "Invitations by viewer@here.example that are still open: 1. Revoke those that are "
            "not needed."
        ),
    ]
    bearer = Client(headers={"authorization": f"Bearer {issued.secret}"})
    assert bearer.get("/api/v1/orgs/here").status_code == 200


def test_a_member_leaves(viewer: Actor, client_for: Callable[[Actor], Client]) -> None:
    theirs = client_for(viewer)
    answer = theirs.post(f"{MEMBERS}/{number_of(viewer)}", {"do": "leave"})
    assert answer.headers["Location"] == "/o/?all"
    assert notices(theirs, "/o/?all") == ["You have left Here."]
    assert theirs.get("/o/here/").status_code == 404


def test_the_leave_form_removes_only_oneself(browser: Client, viewer: Actor) -> None:
    answer = browser.post(f"{MEMBERS}/{number_of(viewer)}", {"do": "leave"})
    assert (answer.status_code, Membership.objects.filter(user=viewer.user).exists()) == (400, True)


def test_the_link_of_an_invitation_is_shown_once(browser: Client) -> None:
    answer = browser.post(
        f"{INVITATIONS}/new", {"email": "new@here.example", "role": "editor", "days": "3"}
    )
    link = main(answer).id("link").attrs["value"]
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert link.startswith("http://testserver/join/")
    secret = link.rpartition("/")[2]
    row = main(browser.get(INVITATIONS)).rows()[0]
    assert (row[0], row[1], row[3]) == ("new@here.example", "editor", "in 2 d")
    seen = "".join(
        browser.get(url).content.decode() for url in (INVITATIONS, "/o/here/events/audit")
    )
    assert secret not in seen
    number = Invitation.objects.get().pk
    browser.post(f"{INVITATIONS}/{number}/revoke")
    assert notices(browser, INVITATIONS) == ["The invitation of new@here.example is revoked."]
    assert Client().get(f"/join/{secret}").status_code == 404


def test_errors_of_an_invitation_are_shown(browser: Client, viewer: Actor) -> None:
    answer = browser.post(f"{INVITATIONS}/new", {"email": "x", "role": "king", "days": "99"})
    assert answer.status_code == 422
    listed = [item.text for item in main(answer).all("div", role="alert")[0].all("li")]
    assert listed == [
        "This is not an e-mail address.",
        "There is no role 'king'; choose one of viewer, submitter, operator, editor, owner.",
        "A link can be used for 1 to 30 days.",
    ]
    data = {"email": viewer.name, "role": "editor", "days": "7"}
    answer = browser.post(f"{INVITATIONS}/new", data)
    assert (answer.status_code, main(answer).id("email-error").text) == (
        422,
        "viewer@here.example is already a member; change their role instead.",
    )


def form_of(browser: Client, url: str) -> dict[str, str]:
    page = main(browser.get(url))
    return {"form": page.all("input", name="form")[0].attrs["value"]}


def test_a_secret_is_shown_once_whatever_the_browser_sends_again(browser: Client) -> None:
    data = form_of(browser, f"{TOKENS}/new")
    data |= {"name": "pipeline", "role": "submitter", "days": "90"}
    answer = browser.post(f"{TOKENS}/new", data)
    field = main(answer).id("secret")
    secret = field.attrs["value"]
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "private, no-store")
    assert "readonly" in field.attrs
    bearer = Client(headers={"authorization": f"Bearer {secret}"})
    assert bearer.get("/api/v1/orgs/here").json()["role"] == "submitter"
    again = browser.post(f"{TOKENS}/new", data)
    assert (again.headers["Location"], ApiToken.objects.count()) == (TOKENS, 1)
    number = ApiToken.objects.get().pk
    seen = "".join(
        browser.get(url).content.decode()
        for url in (TOKENS, f"{TOKENS}/{number}", "/o/here/events/audit", f"{TOKENS}/new")
    )
    assert secret not in seen
    assert secret not in str(list(AuditEntry.objects.values()))
    assert secret not in str(dict(browser.session))


def test_tokens_end_after_ninety_days_unless_chosen_otherwise(browser: Client) -> None:
    chosen = [
        option.attrs["value"]
        for option in main(browser.get(f"{TOKENS}/new")).all("option")
        if "selected" in option.attrs
    ]
    assert chosen == ["90"]
    for name, days in (("usual", "90"), ("endless", "")):
        browser.post(f"{TOKENS}/new", {"name": name, "role": "viewer", "days": days})
    left = ApiToken.objects.get(name="usual").expires_at - timezone.now()
    assert timedelta(days=89) < left <= timedelta(days=90)
    assert ApiToken.objects.get(name="endless").expires_at is None
    rows = main(browser.get(TOKENS)).rows()
    assert [("No expiry" in row[0], row[3]) for row in rows] == [
        (True, "never"),
        (False, "in 89 d"),
    ]
    answer = browser.post(f"{TOKENS}/new", {"name": "odd", "role": "viewer", "days": "91"})
    assert (answer.status_code, ApiToken.objects.count()) == (422, 2)


def test_the_list_says_what_deserves_a_look(browser: Client, owner: Actor) -> None:
    soon = timezone.now() + timedelta(days=2)
    create_token(owner, Role.VIEWER, "soon", soon)
    old = create_token(owner, Role.VIEWER, "old", timezone.now() + timedelta(days=60)).token
    ApiToken.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=31))
    ended = create_token(owner, Role.VIEWER, "over", timezone.now())
    rows = {row[0].partition(" ")[0]: row[0] for row in main(browser.get(TOKENS)).rows()}
    assert set(rows) == {"soon", "old"}
    assert rows["soon"].endswith("Expires soon")
    assert rows["old"].endswith("Not used for 30 days")
    over = main(browser.get(f"{TOKENS}?state=ended")).rows()
    assert [row[0].endswith("Expired") for row in over] == [True]
    page = main(browser.get(f"{TOKENS}/{ended.token.pk}"))
    assert page.all("button") == []


def test_a_token_is_rotated_and_revoked(browser: Client, owner: Actor) -> None:
    old = create_token(owner, Role.VIEWER, "one")
    url = f"{TOKENS}/{old.token.pk}"
    data = form_of(browser, url) | {"do": "rotate", "hours": "1"}
    secret = main(browser.post(url, data)).id("secret").attrs["value"]
    assert secret != old.secret
    assert browser.post(url, data).headers["Location"] == TOKENS
    assert [button.text for button in main(browser.get(url)).all("button")] == ["Revoke this token"]
    assert browser.post(url, {"do": "rotate", "hours": "1"}).status_code == 409
    for each in (old.secret, secret):
        bearer = Client(headers={"authorization": f"Bearer {each}"})
        assert bearer.get("/api/v1/orgs/here").status_code == 200
    browser.post(url, {"do": "revoke"})
    assert notices(browser, TOKENS) == ["one is revoked."]
    bearer = Client(headers={"authorization": f"Bearer {old.secret}"})
    assert bearer.get("/api/v1/orgs/here").status_code == 401


def test_an_owner_of_elsewhere_cannot_reach_members_or_tokens(
    owner: Actor, outsider, other_org, client_for: Callable[[Actor], Client]
) -> None:
    token = create_token(owner, Role.VIEWER, "ours").token
    theirs = client_for(Actor.from_user(other_org, outsider, Role.OWNER))
    base = "/o/elsewhere/settings"
    for path in (f"members/{number_of(owner)}", f"tokens/{token.pk}", "invitations/1/revoke"):
        assert theirs.post(f"{base}/{path}", {"do": "remove"}).status_code == 404


def test_users_and_groups_are_shown_and_changed_by_owners(
    browser: Client, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    theirs = f"{MEMBERS}/{number_of(viewer)}"
    page = main(browser.get(theirs))
    assert (page.id("f-user").attrs["value"], page.id("f-groups").text) == ("", "")
    typed = {"do": "identity", "user": " ada ", "groups": "research\n\n gpu-users \n"}
    changed = browser.post(theirs, typed)
    assert (changed.status_code, changed.headers["Location"]) == (302, theirs)
    row = Membership.objects.get(user=viewer.user)
    assert (row.user_name, row.groups) == ("ada", ["research", "gpu-users"])
    page = main(browser.get(theirs))
    assert page.id("f-user").attrs["value"] == "ada"
    assert page.id("f-groups").text == "research gpu-users"
    assert [(row[0], row[2]) for row in main(browser.get(MEMBERS)).rows()] == [
        ("owner@here.example you", "none"),
        ("viewer@here.example user ada", "research, gpu-users"),
    ]
    own = main(client_for(viewer).get(theirs))
    assert "User ada Groups research, gpu-users" in own.text
    assert client_for(viewer).post(theirs, {**typed, "groups": "admin"}).status_code == 403
    refused = browser.post(theirs, {"do": "identity", "user": "a\tb", "groups": "x" * 201})
    assert refused.status_code == 422
    page = main(refused)
    assert "A user has no spaces around it, and no line breaks or control characters." in page.text
    assert "At most 200 characters; this one has 201." in page.text
    assert page.id("f-groups").text == "x" * 201


def test_a_token_is_created_for_a_user(browser: Client) -> None:
    typed = {"name": "nightly", "role": "submitter", "days": "30", "user": "nightly"}
    assert browser.post(f"{TOKENS}/new", typed | {"groups": "batch\nevals"}).status_code == 200
    token = ApiToken.objects.get()
    assert (token.user_name, token.groups) == ("nightly", ["batch", "evals"])
    shown = main(browser.get(f"{TOKENS}/{token.pk}"))
    assert "User nightly Groups batch, evals" in shown.text
    refused = browser.post(f"{TOKENS}/new", typed | {"user": "", "groups": "batch"})
    assert refused.status_code == 422
    page = main(refused)
    assert "Groups are those of a user; give the token a user, too." in page.text
    assert page.id("f-groups").text == "batch"
