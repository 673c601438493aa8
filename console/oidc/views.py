"""Views of sign-in through the provider: the redirect to it, and its callback."""

from __future__ import annotations

from collections.abc import Callable

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from console.oidc.adapter import fail
from console.oidc.configure import PROVIDER
from console.oidc.provider import StrictAdapter

#: Errors of a provider that does not answer, or with an invalid response.
_PROVIDER_ERRORS = (OAuth2Error, RequestException, KeyError, TypeError, ValueError)


@never_cache
@require_safe
def begin(request: HttpRequest) -> HttpResponse:
    """Redirect the browser to the provider, which redirects it to `finish`."""
    return _handle_failures(request, _redirect_to_provider)


@never_cache
@require_safe
def finish(request: HttpRequest) -> HttpResponse:
    """Handle the provider's response: sign the user in, or show why not."""
    return _handle_failures(request, OAuth2CallbackView.adapter_view(_adapter(request)))


def _adapter(request: HttpRequest) -> StrictAdapter:
    return StrictAdapter(request, PROVIDER)


def _redirect_to_provider(request: HttpRequest) -> HttpResponse:
    provider = _adapter(request).get_provider()
    answer: HttpResponse = provider.redirect(
        request, process=AuthProcess.LOGIN, next_url=request.GET.get("next", "")
    )
    return answer


def _handle_failures(
    request: HttpRequest, view: Callable[[HttpRequest], HttpResponse]
) -> HttpResponse:
    try:
        try:
            return view(request)
        except _PROVIDER_ERRORS as error:
            fail(request, error)
    except ImmediateHttpResponse as answer:
        response: HttpResponse = answer.response
        return response
