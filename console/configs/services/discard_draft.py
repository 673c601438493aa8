"""Discard a draft."""

from __future__ import annotations

from console.configs.models import Draft
from console.configs.services.save_draft import draft_author
from console.orgs.permissions import Actor, Permission


def discard_draft(actor: Actor, revision: int | None = None) -> None:
    """
    Delete the actor's draft, or leave it when it is newer than *revision*.

    Harmless when there is none. Raises NotAllowed.
    """
    actor.require(Permission.DRAFT)
    drafts = Draft.objects.filter(org=actor.org, author=draft_author(actor))
    if revision is not None:
        drafts = drafts.filter(revision__lte=revision)
    drafts.delete()
