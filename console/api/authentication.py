"""Authentication: an API token in the Authorization header, or a browser session with CSRF."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from console.errors import NotFound
from console.orgs.models import ApiToken, User
from console.orgs.permissions import Actor
from console.orgs.services.authenticate_token import authenticate_token
from console.orgs.services.enter_org import enter_org

_SCHEME = "bearer"


class BearerTokenAuthentication(BaseAuthentication):
    """Recognizes ``Authorization: Bearer aslu_...``."""

    def authenticate(self, request: Request) -> tuple[None, ApiToken] | None:
        """Return the token, or None when the header is absent; a token has no user."""
        header = request.headers.get("Authorization", "")
        if not header:
            return None
        scheme, _, secret = header.partition(" ")
        token = authenticate_token(secret.strip()) if scheme.lower() == _SCHEME else None
        if token is None:
            raise AuthenticationFailed(
                "This token is unknown, expired or revoked; send Authorization: Bearer <token>."
            )
        return None, token

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401."""
        return 'Bearer realm="api"'


class BrowserSessionAuthentication(SessionAuthentication):
    """Recognizes the session of a browser; unsafe methods need the CSRF token."""

    def enforce_csrf(self, request: Request) -> None:
        """Check Django's request; a check of the wrapper would parse the body first."""
        super().enforce_csrf(request._request)  # type: ignore[arg-type]  # noqa: SLF001


class HasCredentials(BasePermission):
    """Requires a token or a signed-in person."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the request has valid credentials."""
        return request.auth is not None or request.user is not None


def actor_of(request: Request, slug: str) -> Actor:
    """
    Return the actor of a request in the organization *slug*.

    Raises NotFound for an unknown organization, and with the same message for one of which the
    token or person is not a member.
    """
    if isinstance(request.auth, ApiToken):
        if request.auth.org.slug != slug:
            raise NotFound(f"This token has no access to an organization {slug!r}.")
        return Actor.from_token(request.auth)
    return enter_org(signed_in_user(request), slug)


def signed_in_user(request: Request) -> User:
    """Return the signed-in person; raises NotAuthenticated when there is none."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
