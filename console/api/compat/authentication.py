"""Authentication of the client: an API token as a cookie or as a bearer token."""

from __future__ import annotations

from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from console.api.authentication import BearerTokenAuthentication
from console.orgs.models import ApiToken
from console.orgs.services.authenticate_token import authenticate_token

#: Name of the cookie. Sluice never sets it, so browsers never send it and no CSRF check is needed.
COOKIE = "cli_token"


class ClientTokenAuthentication(BearerTokenAuthentication):
    """Recognizes ``Authorization: Bearer``, or the cookie ``cli_token``."""

    def authenticate(self, request: Request) -> tuple[None, ApiToken] | None:
        """Return the token, or None without credentials."""
        found = super().authenticate(request)
        secret = request.COOKIES.get(COOKIE)
        if found is not None or secret is None:
            return found
        token = authenticate_token(secret)
        if token is None:
            raise AuthenticationFailed(
                "This token is unknown, expired or revoked; set ANYSCALE_CLI_TOKEN to another one."
            )
        return None, token
