"""Require the approval of another member for a text, if the organization is set so."""

from __future__ import annotations

from console.configs.errors import ApprovalRequired
from console.configs.models import ReviewRequest
from console.configs.queries import approval_of
from console.orgs.permissions import Actor


def require_approval(actor: Actor, dialect: str, text: str, base: int) -> ReviewRequest | None:
    """
    Return the approval of exactly *text* on version *base*; None if none is required.

    Raises ApprovalRequired.
    """
    if not actor.org.approval_required:
        return None
    approval = approval_of(actor.org, dialect, text, base)
    if approval is None:
        raise ApprovalRequired(actor.org.slug)
    return approval
