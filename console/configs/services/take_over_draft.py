"""Take over a draft from its editor."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console.configs.draft_lock import draft_locked, edit_start, editable_by
from console.configs.models import Draft
from console.configs.queries import get_draft
from console.configs.services.begin_draft import draft_author
from console.configs.services.visit_draft import note_visit
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission


def take_over_draft(actor: Actor, number: int, seen: int | None) -> Draft:
    """
    Make the actor the editor of draft *number*, whose displayed editor was *seen*.

    *seen* is None if no editor was displayed. The previous editor keeps the text in the browser
    and gets an error at the next save. Raises NotAllowed, NotFound, and Conflict
    (``draft_locked``) if another member has become the editor in the meantime.
    """
    actor.require(Permission.DRAFT)
    person = draft_author(actor)
    now = timezone.now()
    drafts = Draft.objects.filter(org=actor.org, pk=number)
    takes = editable_by(person, now) if seen is None else editable_by(person, now) | Q(editor=seen)
    with transaction.atomic():
        before = drafts.values_list("editor__email", flat=True).first()
        taken = drafts.filter(takes).update(editing_since=edit_start(person, now), editor=person)
        draft = get_draft(actor.org, number)
        if not taken:
            raise draft_locked(draft)
        note_visit(draft, person, now)
        if before != person.email:
            record(
                actor,
                "draft.take_over",
                kind="draft",
                subject=str(number),
                before={"editor": before},
                after={"editor": person.email},
            )
    return draft
