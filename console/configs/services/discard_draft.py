"""Discard a draft: its author or an owner, while nobody else edits it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from console.configs.draft_lock import locked, open_to
from console.configs.models import Draft
from console.configs.services.begin_draft import draft_author
from console.errors import NotAllowed
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission


def discard_draft(actor: Actor, number: int, revision: int | None = None) -> None:
    """
    Delete draft *number*; harmless when there is none.

    With a *revision* it is left as it is when it is newer, or when somebody else
    edits it: what they wrote was not seen by the actor. Without one that raises
    Conflict (``draft_locked``). Raises NotAllowed when the draft is another
    person's and the actor may not apply configs.
    """
    actor.require(Permission.DRAFT)
    person = draft_author(actor)
    drafts = Draft.objects.filter(org=actor.org, pk=number)
    found = drafts.select_related("author", "editor").first()
    if found is None:
        return
    if found.author_id != person.pk and not actor.may(Permission.APPLY):
        raise NotAllowed(
            f"This draft is {found.author.email}'s; its author or an owner may discard it."
        )
    free = drafts.filter(open_to(person, timezone.now()))
    if revision is not None:
        free = free.filter(revision__lte=revision)
    with transaction.atomic():
        # Claims the row, so that nobody saves or takes it between the look and the end.
        claimed = free.update(revision=F("revision"))
        if claimed:
            drafts.delete()
            record(
                actor,
                "draft.discard",
                kind="draft",
                subject=str(number),
                before={
                    "title": found.title,
                    "author": found.author.email,
                    "base": found.base,
                    "revision": found.revision,
                },
            )
    if not claimed and revision is None and drafts.exists():
        raise locked(found)
