"""Settings of django-allauth, from the settings of the console: only those for sign-in."""

from __future__ import annotations

from typing import Any, Final

#: The id of the only provider in django-allauth; see `console.oidc.provider`.
PROVIDER: Final = "oidc"

#: Installed only if a provider is configured, and so are their tables.
INSTALLED_APPS = ("allauth", "allauth.account", "allauth.socialaccount", "console.oidc")
MIDDLEWARE = "allauth.account.middleware.AccountMiddleware"


def allauth_settings(issuer: str, client_id: str, client_secret: str, title: str) -> dict[str, Any]:
    """Return the settings for one provider; its accounts are bound to its issuer."""
    return {
        "ACCOUNT_USER_MODEL_USERNAME_FIELD": None,
        "ACCOUNT_LOGIN_METHODS": {"email"},
        "ACCOUNT_SIGNUP_FIELDS": ["email*", "password1*", "password2*"],
        "ACCOUNT_EMAIL_VERIFICATION": "none",
        "SOCIALACCOUNT_ADAPTER": "console.oidc.adapter.ProviderAdapter",
        "SOCIALACCOUNT_STORE_TOKENS": False,
        "SOCIALACCOUNT_EMAIL_AUTHENTICATION": False,
        "SOCIALACCOUNT_AUTO_SIGNUP": False,
        "SOCIALACCOUNT_PROVIDERS": {
            PROVIDER: {
                "OAUTH_PKCE_ENABLED": True,
                "SCOPE": ["openid", "profile", "email"],
                "APP": {
                    "provider_id": PROVIDER,
                    "name": title,
                    "client_id": client_id,
                    "secret": client_secret,
                    "settings": {"server_url": issuer.rstrip("/")},
                },
            }
        },
    }
