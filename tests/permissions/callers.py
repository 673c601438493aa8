"""All callers: each role by session and token, of this and another organization, and anonymous."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from django.test import Client
from django.test.client import ClientHandler
from django.utils import timezone

from console.orgs.models import ApiToken, BrowserSession, Membership, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import issue_token
from console.orgs.services.revoke_token import revoke_secret

#: The CSRF secret in the browser's cookie, which its forms send back.
_CSRF: Final = "c" * 32

#: Shared by all clients: a handler only holds the middleware, which takes a tenth of a request to
#: load.
_HANDLER: Final = ClientHandler(enforce_csrf_checks=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller and their membership in the organization of the requests."""

    name: str
    #: Role in the organization, or None if not a member.
    role: str | None = None
    #: Whether the product can authenticate the caller.
    is_known: bool = True
    cookies: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Primary key of the membership, for addresses of members.
    me: int = 0

    @property
    def is_token(self) -> bool:
        """Return whether the caller sends a token rather than a session."""
        return "Authorization" in self.headers

    def client(self, *, csrf: bool = True) -> Client:
        """Return the caller's test client; with *csrf* a browser sends the CSRF token."""
        proof = {"X-CSRFToken": _CSRF} if csrf else {}
        client = Client(headers={**self.headers, **proof})
        client.handler = _HANDLER
        for name, value in {**self.cookies, "sluice_csrf": _CSRF}.items():
            client.cookies[name] = value
        return client


ANONYMOUS: Final = Caller(name="nobody", is_known=False)


def sessions(here: Organization, elsewhere: Organization) -> list[Caller]:
    """Return browsers of each role in both organizations, and of non-members and ended sessions."""
    found = []
    for org in (here, elsewhere):
        for role in Role.values:
            user = _person(f"{role}@{org.slug}.example")
            membership = _join(org, user, role)
            is_here = org == here
            found.append(
                Caller(
                    name=f"{role} {'here' if is_here else 'elsewhere'}",
                    role=role if is_here else None,
                    cookies=_session(user),
                    me=membership.pk if is_here else 0,
                )
            )
    both = _person("both@here.example")
    _join(elsewhere, both, Role.OWNER)
    _join(here, _person("second@here.example"), Role.OWNER)
    gone = _person("gone@here.example")
    _join(here, gone, Role.OWNER)
    cookies = _session(gone)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    return [
        *found,
        Caller(
            name="viewer here who owns elsewhere",
            role=Role.VIEWER,
            cookies=_session(both),
            me=_join(here, both, Role.VIEWER).pk,
        ),
        Caller(name="member of nothing", cookies=_session(_person("lone@nowhere.example"))),
        Caller(name="owner whose account is closed", is_known=False, cookies=cookies),
    ]


def tokens(here: Organization, elsewhere: Organization) -> list[Caller]:
    """Return callers with a token of each role in both organizations, and with ended tokens."""
    found = [
        Caller(
            name=f"token of {role} {'here' if org == here else 'elsewhere'}",
            role=role if org == here else None,
            headers=_bearer(issue_token(org, role, f"{org.slug} {role}")),
        )
        for org in (here, elsewhere)
        for role in Role.values
    ]
    revoked = issue_token(here, Role.OWNER, "revoked")
    revoke_secret(revoked)
    yesterday = timezone.now() - timedelta(1)
    ended = {
        "expired token": issue_token(here, Role.OWNER, "expired", expires_at=yesterday),
        "revoked token": revoked,
        "unknown token": "aslu_unknown",
    }
    return [
        *found,
        *(
            Caller(name=name, is_known=False, headers=_bearer(secret))
            for name, secret in ended.items()
        ),
    ]


def mark_seen(now: datetime) -> None:
    """Mark every caller as seen after *now*, so that requests do not write last-seen times."""
    later = now + timedelta(1)
    BrowserSession.objects.update(last_seen_at=later)
    Membership.objects.update(last_active_at=later)
    ApiToken.objects.update(last_used_at=later)


def owner_of(org: Organization) -> Actor:
    """Return an owner of *org* as actor."""
    membership = Membership.objects.filter(org=org, role=Role.OWNER).order_by("pk")[0]
    return Actor.from_user(org, membership.user, membership.role)


def _person(email: str) -> User:
    return User.objects.create_user(email)


def _join(org: Organization, user: User, role: str) -> Membership:
    return Membership.objects.create(org=org, user=user, role=role)


def _session(user: User) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    return {name: cookie.value for name, cookie in client.cookies.items()}


def _bearer(secret: str) -> dict[str, Any]:
    return {"Authorization": f"Bearer {secret}"}
