"""The OpenID Connect provider with strict checks of its discovery, responses and tokens."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, Final

import jwt
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Client, OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from console.oidc.configure import PROVIDER

#: Asymmetric signature algorithms: only the provider can sign; `none` is excluded.
_ALGORITHMS: Final = frozenset(
    f"{kind}{size}" for kind in ("RS", "PS", "ES") for size in (256, 384, 512)
) | {"EdDSA"}

#: Required claims of an id token.
_REQUIRED: Final = ("iss", "sub", "aud", "exp", "iat", "nonce")


def nonce_of(state: str) -> str:
    """
    Return the nonce for a *state*, which is random and belongs to one session.

    An id token for another sign-in is rejected this way without storing the nonce.
    """
    return hashlib.sha256(f"nonce {state}".encode()).hexdigest()


class NonceClient(OAuth2Client):  # type: ignore[misc]
    """Adds a nonce to the authorization request."""

    def get_redirect_url(
        self, authorization_url: str, scope: list[str], extra_params: Mapping[str, str]
    ) -> str:
        """Return the URL of the authorization request."""
        params = {**extra_params, "nonce": nonce_of(self.state)}
        url: str = super().get_redirect_url(authorization_url, scope, params)
        return url


class StrictAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Verifies what django-allauth does not: issuer, signature, nonce and subject."""

    client_class = NonceClient

    @property
    def openid_config(self) -> dict[str, Any]:
        """The discovery document; raises OAuth2Error if it is of another issuer."""
        config: dict[str, Any] = super().openid_config
        if str(config.get("issuer")).rstrip("/") != settings.OIDC_ISSUER.rstrip("/"):
            raise OAuth2Error("the discovery document is of another issuer")
        return config

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the redirect URL for the provider."""
        url = request.build_absolute_uri(reverse("oidc:finish"))
        # Behind a proxy that terminates TLS, the request is plain HTTP.
        return url.replace("http://", "https://", 1) if settings.HTTPS_ONLY else url

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """Return the identity that the token response proves; raise OAuth2Error if it does not."""
        claims = self._verified_claims(app, str(kwargs["response"].get("id_token", "")))
        if not hmac.compare_digest(str(claims["nonce"]), nonce_of(request.GET.get("state", ""))):
            raise OAuth2Error("the id token was made for another sign-in")
        if "email" not in claims:
            user_info = self._fetch_user_info(token.token)
            if user_info.get("sub") != claims["sub"]:
                raise OAuth2Error("the user info is of another subject")
            claims |= {name: user_info.get(name) for name in ("email", "email_verified")}
        # No other personal data is stored.
        kept = {name: claims.get(name) for name in ("sub", "email", "email_verified")}
        return self.get_provider().sociallogin_from_response(request, {"id_token": kept})

    def _verified_claims(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        """Return the claims of *id_token* after checks of signature, issuer, audience and time."""
        try:
            header = jwt.get_unverified_header(id_token)
        except jwt.PyJWTError as error:
            raise OAuth2Error("there is no id token") from error
        if header.get("alg") not in _ALGORITHMS or "kid" not in header:
            raise OAuth2Error("the id token is not signed with an accepted algorithm and key id")
        claims: dict[str, Any] = jwtkit.verify_and_decode(
            credential=id_token,
            keys_url=self.openid_config["jwks_uri"],
            issuer=self.openid_config["issuer"],
            audience=app.client_id,
            lookup_kid=jwtkit.lookup_kid_jwk,
        )
        missing = [name for name in _REQUIRED if name not in claims]
        if missing:
            raise OAuth2Error(f"the id token lacks {', '.join(missing)}")
        audience = claims["aud"]
        several = isinstance(audience, list) and len(audience) > 1
        if (several or "azp" in claims) and claims.get("azp") != app.client_id:
            raise OAuth2Error("the id token was made for another client")
        return claims


class StrictProvider(OpenIDConnectProvider):  # type: ignore[misc]
    """The provider of the settings, with `StrictAdapter`."""

    id = PROVIDER
    oauth2_adapter_class = StrictAdapter


#: Read by django-allauth from every installed app.
provider_classes = [StrictProvider]
