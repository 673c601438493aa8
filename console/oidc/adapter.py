"""The django-allauth adapter: the configured provider, and the sign-in of its identities."""

from __future__ import annotations

from typing import Any, NoReturn

import structlog
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from console.errors import NotAllowed
from console.oidc.services.admit_identity import admit_identity

#: The backend of the console's own sign-in, so that sessions are the same.
_BACKEND = "django.contrib.auth.backends.ModelBackend"

#: The session key of an opened invitation; see `console.pages.views.joining`.
_INVITATION_KEY = "invitation"


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Ends every flow with a redirect, so that no page of django-allauth is ever shown."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Return the provider of the settings; the table of providers is not read."""
        found = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in found.values() for app in apps]

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> NoReturn:
        """Sign in the user with the verified identity, or show why this is not allowed."""
        claims = sociallogin.account.extra_data["id_token"]
        try:
            admitted = admit_identity(
                f"{settings.OIDC_ISSUER}#{claims['sub']}",
                str(claims["email"] or ""),
                # Some providers send a string.
                is_verified=claims["email_verified"] in (True, "true"),
                invited_by=request.session.get(_INVITATION_KEY, ""),
            )
        except NotAllowed as error:
            refuse(request, error.message)
        login(request, admitted.user, backend=_BACKEND)
        if admitted.has_lost_password:
            messages.info(
                request,
                "The password of this account is no longer valid: sign in with "
                f"{settings.OIDC_TITLE} from now on.",
            )
        raise ImmediateHttpResponse(HttpResponseRedirect(_next(request, sociallogin.state)))

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, **details: Any
    ) -> NoReturn:
        """Redirect to the sign-in page after an error; *details* have the cause."""
        fail(request, details.get("exception") or details.get("error"))


def fail(request: HttpRequest, reason: object) -> NoReturn:
    """Log the failure of the flow with *reason*, and redirect to the sign-in page."""
    structlog.get_logger(__name__).warning("oidc_refused", reason=str(reason)[:500])
    request_id = structlog.contextvars.get_contextvars().get("request_id", "")
    refuse(
        request,
        f"Sign-in with {settings.OIDC_TITLE} failed. Try again; if it keeps failing, send the "
        f"operator of this console the request id {request_id}.",
    )


def refuse(request: HttpRequest, sentence: str) -> NoReturn:
    """Redirect to the sign-in page, which shows *sentence*."""
    messages.error(request, sentence)
    raise ImmediateHttpResponse(HttpResponseRedirect(reverse("pages:sign-in")))


def _next(request: HttpRequest, state: dict[str, Any]) -> str:
    url = str(state.get("next") or "")
    is_ours = url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return url if is_ours else reverse("pages:orgs")
