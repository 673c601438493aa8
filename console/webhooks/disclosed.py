"""
Filter of attempts for display, which hides networks that are not public.

It is applied when attempts are shown, so that it also covers rows of earlier versions, which
stored more.
"""

from __future__ import annotations

from ipaddress import ip_address

from console.webhooks.addresses import refusal_of
from console.webhooks.models import Attempt
from console.webhooks.outcome import Failure
from console.webhooks.target import NOT_PUBLIC


def disclosed_address(attempt: Attempt) -> str:
    """Return the IP address of the connection; empty if there is none or it is not public."""
    if not attempt.address or refusal_of(ip_address(attempt.address), ()):
        return ""
    return attempt.address


def disclosed_detail(attempt: Attempt) -> str:
    """Return the detail of a failure; empty if it must not be shown."""
    return NOT_PUBLIC if attempt.failure == Failure.NOT_ALLOWED else attempt.detail
