"""API tokens: creation, rotation with an overlap, revocation and last use."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from console.caller import Caller, _current
from console.errors import Conflict, NotFound
from console.orgs.models import ApiToken, AuditEntry, Role, User
from console.orgs.permissions import Actor
from console.orgs.services import issue_token as issuing
from console.orgs.services.authenticate_token import authenticate_token
from console.orgs.services.issue_token import create_token, issue_token
from console.orgs.services.revoke_token import revoke_secret, revoke_token
from console.orgs.services.rotate_token import rotate_token
from console.orgs.tokens import is_unused, list_tokens

HOUR = timedelta(hours=1)


def names(org, *, ended: bool) -> list[str]:
    return [token.name for token in list_tokens(org, ended=ended, limit=9, cursor=None).results]


def entries() -> list[tuple[str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("actor", "action"))[1:]


def test_a_secret_is_returned_once_and_stored_nowhere(owner: Actor) -> None:
    issued = create_token(owner, Role.EDITOR, "pipeline", timezone.now() + HOUR)
    row = ApiToken.objects.values().get()
    entry = AuditEntry.objects.latest("pk")
    assert issued.secret not in f"{row} {entry.__dict__} {issued!r}"
    assert (row["author"], row["created_by_id"]) == (owner.name, owner.user.pk)
    assert (entry.action, entry.after["role"], entry.after["prefix"]) == (
        "token.issue",
        "editor",
        issued.secret[:13],
    )


def test_a_revoked_token_stops_with_the_next_request(owner: Actor) -> None:
    issued = create_token(owner, Role.VIEWER, "one")
    assert authenticate_token(issued.secret) is not None
    revoke_token(owner, issued.token.pk)
    assert authenticate_token(issued.secret) is None
    first = ApiToken.objects.get().revoked_at
    revoke_token(owner, issued.token.pk)
    revoke_secret(issued.secret)
    revoke_secret("aslu_unknown")
    assert ApiToken.objects.get().revoked_at == first
    assert entries() == [(owner.name, "token.issue"), (owner.name, "token.revoke")]


def test_an_old_secret_works_during_the_overlap(owner: Actor) -> None:
    old = create_token(owner, Role.EDITOR, "one", timezone.now() + timedelta(days=30))
    new = rotate_token(owner, old.token.pk, HOUR)
    old.token.refresh_from_db()
    assert (new.token.name, new.token.role, old.token.successor) == ("one", "editor", new.token)
    assert timedelta(minutes=59) < old.token.expires_at - timezone.now() <= HOUR
    assert timedelta(days=29) < new.token.expires_at - timezone.now() <= timedelta(days=30)
    assert authenticate_token(old.secret) is not None
    assert authenticate_token(new.secret) is not None
    assert (old.secret == new.secret, entries()[-1]) == (False, (owner.name, "token.rotate"))


def test_without_an_overlap_the_old_secret_ends_at_once(owner: Actor) -> None:
    old = create_token(owner, Role.VIEWER, "one")
    new = rotate_token(owner, old.token.pk, timedelta(0))
    assert authenticate_token(old.secret) is None
    assert new.token.expires_at is None
    assert names(owner.org, ended=True) == names(owner.org, ended=False) == ["one"]


def test_an_overlap_never_makes_a_token_live_longer(owner: Actor) -> None:
    ends = timezone.now() + HOUR
    old = create_token(owner, Role.VIEWER, "one", ends)
    rotate_token(owner, old.token.pk, timedelta(days=7))
    old.token.refresh_from_db()
    assert old.token.expires_at == ends


def test_only_a_working_token_is_rotated_and_only_once(owner: Actor) -> None:
    ended = create_token(owner, Role.VIEWER, "ended", timezone.now())
    with pytest.raises(Conflict, match="is no longer valid"):
        rotate_token(owner, ended.token.pk, HOUR)
    one = create_token(owner, Role.VIEWER, "one")
    rotate_token(owner, one.token.pk, HOUR)
    with pytest.raises(Conflict, match="was already rotated"):
        rotate_token(owner, one.token.pk, HOUR)


def test_last_use_has_address_and_agent(owner: Actor) -> None:
    issued = create_token(owner, Role.VIEWER, "one")
    token = _current.set(Caller(ip="10.1.2.3", agent="curl/8", request_id="r"))
    try:
        authenticate_token(issued.secret)
    finally:
        _current.reset(token)
    row = ApiToken.objects.get()
    assert (row.last_used_ip, row.last_used_agent) == ("10.1.2.3", "curl/8")
    assert row.last_used_at is not None


def test_a_token_that_nothing_used_for_thirty_days_is_found(owner: Actor) -> None:
    token = create_token(owner, Role.VIEWER, "one").token
    now = timezone.now()
    found = []
    for created, used in ((29, None), (31, None), (90, 29), (90, 31)):
        token.created_at = now - timedelta(days=created)
        token.last_used_at = None if used is None else now - timedelta(days=used)
        found.append(is_unused(token))
    token.revoked_at = now
    assert [*found, is_unused(token)] == [False, True, False, True, False]


def test_a_token_of_another_organization_is_not_found(owner: Actor, outsider: User) -> None:
    issue_token(outsider.memberships.get().org, Role.VIEWER, "foreign")
    foreign = ApiToken.objects.get().pk
    for act in (
        lambda: revoke_token(owner, foreign),
        lambda: rotate_token(owner, foreign, HOUR),
    ):
        with pytest.raises(NotFound):
            act()
    assert names(owner.org, ended=False) == []


def test_tokens_are_bounded(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issuing, "MOST_TOKENS", 1)
    one = create_token(owner, Role.VIEWER, "one")
    with pytest.raises(Conflict, match="1 tokens are active already"):
        create_token(owner, Role.VIEWER, "two")
    revoke_token(owner, one.token.pk)
    create_token(owner, Role.VIEWER, "two")
