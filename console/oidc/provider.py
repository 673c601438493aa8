"""The provider as it has to be: its discovery, its answers and its tokens, each verified."""

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

#: Signatures that only the provider can make: nothing symmetric, and never none.
_ALGORITHMS: Final = frozenset(
    f"{kind}{size}" for kind in ("RS", "PS", "ES") for size in (256, 384, 512)
) | {"EdDSA"}

#: Claims that an id token has to have.
_REQUIRED: Final = ("iss", "sub", "aud", "exp", "iat", "nonce")


def nonce_of(state: str) -> str:
    """
    Return the nonce that goes with a *state*, which is random and one session's.

    So an id token that was made for another sign-in is refused, and nothing is stored.
    """
    return hashlib.sha256(f"nonce {state}".encode()).hexdigest()


class NonceClient(OAuth2Client):  # type: ignore[misc]
    """Asks with a nonce."""

    def get_redirect_url(
        self, authorization_url: str, scope: list[str], extra_params: Mapping[str, str]
    ) -> str:
        """Return where the browser is sent."""
        params = {**extra_params, "nonce": nonce_of(self.state)}
        url: str = super().get_redirect_url(authorization_url, scope, params)
        return url


class StrictAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """Verifies what django-allauth takes on trust: issuer, signature, nonce and subject."""

    client_class = NonceClient

    @property
    def openid_config(self) -> dict[str, Any]:
        """What the provider says of itself; OAuth2Error when it speaks for another issuer."""
        config: dict[str, Any] = super().openid_config
        if str(config.get("issuer")).rstrip("/") != settings.OIDC_ISSUER.rstrip("/"):
            raise OAuth2Error("the discovery document is of another issuer")
        return config

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return where the provider sends the browser back to."""
        url = request.build_absolute_uri(reverse("oidc:finish"))
        # A proxy that ends TLS in front of the console hides that it does.
        return url.replace("http://", "https://", 1) if settings.HTTPS_ONLY else url

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """Return the identity that the answer with *token* proves; OAuth2Error when it does not."""
        claims = self._verified_claims(app, str(kwargs["response"].get("id_token", "")))
        if not hmac.compare_digest(str(claims["nonce"]), nonce_of(request.GET.get("state", ""))):
            raise OAuth2Error("the id token was made for another sign-in")
        if "email" not in claims:
            user_info = self._fetch_user_info(token.token)
            if user_info.get("sub") != claims["sub"]:
                raise OAuth2Error("the user info is of somebody else")
            claims |= {name: user_info.get(name) for name in ("email", "email_verified")}
        # Nothing else of a person is kept.
        kept = {name: claims.get(name) for name in ("sub", "email", "email_verified")}
        return self.get_provider().sociallogin_from_response(request, {"id_token": kept})

    def _verified_claims(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        """Return the claims of a token that was signed for us, by the provider, and is in time."""
        try:
            header = jwt.get_unverified_header(id_token)
        except jwt.PyJWTError as error:
            raise OAuth2Error("there is no id token") from error
        if header.get("alg") not in _ALGORITHMS or "kid" not in header:
            raise OAuth2Error("the id token is not signed as it has to be")
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
    """The provider that the settings name, spoken to by `StrictAdapter`."""

    id = PROVIDER
    oauth2_adapter_class = StrictAdapter


#: What django-allauth looks for in an installed app.
provider_classes = [StrictProvider]
