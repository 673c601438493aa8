"""
Signatures: HMAC-SHA256 over id, time and body, as specified by Standard Webhooks.

A secret is derived from the installation's key and a seed in the row, so that copies of the
database contain no secrets.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from datetime import datetime
from hashlib import sha256

from django.conf import settings

from console.webhooks.models import Webhook

#: Prefix of every secret.
PREFIX = "whsec_"


def secret_of(seed: str) -> str:
    """Return the secret of *seed*, in the form given to receivers."""
    return PREFIX + b64encode(_key_of(seed)).decode()


def signatures_of(webhook: Webhook, uid: str, seconds: int, body: bytes, now: datetime) -> str:
    """
    Return the signature header of *body* in delivery *uid*, sent *seconds* after 1970.

    It has two signatures while a replaced secret is still valid, that of the current one first.
    """
    seeds = [webhook.seed]
    if webhook.old_seed and webhook.old_seed_until and webhook.old_seed_until > now:
        seeds.append(webhook.old_seed)
    signed = b".".join((uid.encode(), str(seconds).encode(), body))
    return " ".join(
        f"v1,{b64encode(hmac.digest(_key_of(seed), signed, 'sha256')).decode()}" for seed in seeds
    )


def _key_of(seed: str) -> bytes:
    return hmac.digest(settings.SECRET_KEY.encode(), f"webhook:{seed}".encode(), sha256)
