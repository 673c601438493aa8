"""Save a draft; an older text never overwrites a newer one."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.configs.draft_lock import draft_locked, edit_start, editable_by
from console.configs.models import Draft, DraftEditor
from console.configs.queries import get_draft
from console.configs.services.begin_draft import (
    LARGEST,
    LONGEST_DRAFT,
    LONGEST_TITLE,
    draft_author,
    read_base,
)
from console.configs.services.check_config import find_dialect
from console.configs.services.schedule_apply import require_unscheduled
from console.configs.services.visit_draft import note_visit
from console.errors import Conflict
from console.orgs.permissions import Actor, Permission
from console.reading import Reader


def save_draft(
    actor: Actor,
    number: int,
    dialect: str,
    text: str,
    base: int,
    revision: int,
    title: str | None = None,
) -> Draft:
    """
    Save *text*, based on version *base*, as save *revision* of draft *number*.

    The first member who saves a draft without an editor becomes its editor. Every save has a
    higher number than the one before, so that a delayed save changes nothing. A *title* of None
    keeps the current one. Raises NotAllowed, BadRequest, NotFound, and Conflict:
    ``draft_locked`` if another member edits it, ``draft_scheduled`` while its apply is
    scheduled, ``stale_draft`` if the stored draft has this number or a higher one.
    """
    actor.require(Permission.DRAFT)
    person = draft_author(actor)
    find_dialect(dialect)
    reader = Reader()
    reader.text(text, "text", LONGEST_DRAFT)
    read_base(reader, actor.org, base)
    reader.integer(revision, "revision", least=1, most=LARGEST)
    if title is not None:
        reader.text(title, "title", LONGEST_TITLE)
    reader.finish()
    require_unscheduled(actor.org, number)
    now = timezone.now()
    titled = {} if title is None else {"title": title.strip()}
    mine = Draft.objects.filter(editable_by(person, now), org=actor.org, pk=number)
    with transaction.atomic():
        saved = mine.filter(revision__lt=revision).update(
            dialect=dialect,
            text=text,
            base=base,
            revision=revision,
            editing_since=edit_start(person, now),
            editor=person,
            updated_at=now,
            **titled,
        )
        if saved:
            # A save without its editor could be approved by its editor.
            DraftEditor.objects.bulk_create(
                [DraftEditor(draft_id=number, user=person)], ignore_conflicts=True
            )
    draft = get_draft(actor.org, number)
    if saved:
        note_visit(draft, person, now)
        return draft
    if not mine.exists():
        raise draft_locked(draft)
    raise Conflict(
        "stale_draft",
        "A newer text of this draft was saved in another window; load it before you continue.",
    )
