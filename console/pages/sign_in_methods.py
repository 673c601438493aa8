"""Sign-in methods of the installation: password, OpenID Connect provider, or both."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInMethods:
    """Methods on the sign-in page; without a provider, its title and URL are empty."""

    has_passwords: bool
    provider: str
    provider_url: str


def sign_in_methods(next_url: str) -> SignInMethods:
    """Return the configured methods; after sign-in, the provider redirects to *next_url*."""
    url = ""
    if settings.OIDC_ISSUER:
        query = urlencode({"next": next_url}) if next_url else ""
        url = f"{reverse('oidc:begin')}?{query}".rstrip("?")
    return SignInMethods(
        has_passwords=settings.LOCAL_SIGN_IN,
        provider=settings.OIDC_TITLE if url else "",
        provider_url=url,
    )
