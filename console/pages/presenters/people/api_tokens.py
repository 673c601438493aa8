"""Rows of the list of API tokens: validity and warnings; choices of lifetime and overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from console.orgs.models import ApiToken
from console.orgs.tokens import is_unused, is_working

#: Time before the expiry during which a row has a warning.
_SOON = timedelta(days=7)

#: Lifetimes in the form: (days, label); empty: no expiry.
LIFETIMES = (
    ("7", "7 days"),
    ("30", "30 days"),
    ("90", "90 days"),
    ("180", "180 days"),
    ("365", "1 year"),
    ("", "No expiry"),
)
USUAL_LIFETIME = "90"

#: Choices of how long the old secret stays valid after a rotation: (hours, label).
OVERLAPS = (("0", "0 hours (revoke now)"), ("1", "1 hour"), ("24", "1 day"), ("168", "7 days"))
USUAL_OVERLAP = "24"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """One token, with the URL of its page and its warnings."""

    token: ApiToken
    url: str
    is_working: bool
    notes: tuple[str, ...]


def token_rows(org: str, tokens: Iterable[ApiToken]) -> list[TokenRow]:
    """Return the rows of *tokens* of the organization with the slug *org*."""
    return [token_row(org, each) for each in tokens]


def token_row(org: str, token: ApiToken) -> TokenRow:
    """Return the row of *token*."""
    return TokenRow(
        token=token,
        url=reverse("pages:api-token", args=[org, token.pk]),
        is_working=is_working(token),
        notes=tuple(_notes(token)),
    )


def _notes(token: ApiToken) -> list[str]:
    if not is_working(token):
        return ["Revoked"] if token.revoked_at else ["Expired"]
    notes = []
    if token.successor_id:
        notes.append("Rotated: replaced by a new token")
    elif token.expires_at is None:
        notes.append("No expiry")
    elif token.expires_at - timezone.now() < _SOON:
        notes.append("Expires soon")
    if is_unused(token):
        notes.append("Not used for 30 days")
    return notes
