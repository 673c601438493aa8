"""
What the owner of a webhook is told of an attempt: nothing of networks that are not public.

The rows of attempts are judged when they are shown, so that those of earlier versions, which
told more, are judged too.
"""

from __future__ import annotations

from ipaddress import ip_address

from console.webhooks.addresses import refusal_of
from console.webhooks.models import Attempt
from console.webhooks.outcome import Failure
from console.webhooks.target import NOT_PUBLIC


def disclosed_address(attempt: Attempt) -> str:
    """Return the address that was connected to; empty when there is none or it is not public."""
    if not attempt.address or refusal_of(ip_address(attempt.address), ()):
        return ""
    return attempt.address


def disclosed_detail(attempt: Attempt) -> str:
    """Return what is to be said of a failure; empty when nothing is."""
    return NOT_PUBLIC if attempt.failure == Failure.NOT_ALLOWED else attempt.detail
