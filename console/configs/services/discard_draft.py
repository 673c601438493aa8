"""Discard a draft; allowed for its author and owners, unless another member edits it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from console.configs.draft_lock import draft_locked, editable_by
from console.configs.models import Draft
from console.configs.services.begin_draft import draft_author
from console.configs.services.schedule_apply import require_unscheduled
from console.errors import NotAllowed
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission


def discard_draft(actor: Actor, number: int, revision: int | None = None) -> None:
    """
    Delete draft *number*; has no effect if it does not exist.

    With *revision*, a draft that was saved later or that another member edits is kept, because the
    actor has not seen that text. Without *revision*, a draft that another member edits raises
    Conflict (``draft_locked``). A draft whose apply is scheduled raises Conflict
    (``draft_scheduled``). Raises NotAllowed if the actor is not the author and may not apply
    configs.
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
    require_unscheduled(actor.org, number)
    free = drafts.filter(editable_by(person, timezone.now()))
    if revision is not None:
        free = free.filter(revision__lte=revision)
    with transaction.atomic():
        # Locks the row, so that no member saves or takes over the draft before it is deleted.
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
        raise draft_locked(found)
