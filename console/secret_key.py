"""Check that all processes sign with the same secret key."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


def require_secret_key() -> None:
    """Raise ImproperlyConfigured if each process would sign with its own temporary key."""
    if settings.SECRET_KEY_IS_TEMPORARY:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set and SLUICE_HOME has no generated one; "
            "set SECRET_KEY to the same long random text for all processes."
        )
