"""Discard a draft."""

from __future__ import annotations

from console.configs.models import Draft
from console.configs.services.save_draft import draft_author
from console.orgs.permissions import Actor, Permission


def discard_draft(actor: Actor) -> None:
    """Delete the actor's draft; harmless when there is none. Raises NotAllowed."""
    actor.require(Permission.DRAFT)
    Draft.objects.filter(org=actor.org, author=draft_author(actor)).delete()
