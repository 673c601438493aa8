"""
The soft lock of a draft: only its editor can save, while the editor's page is open.

Every change of the editor is one conditional UPDATE of the draft's row. Of two concurrent
attempts, one changes the row and the other gets an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, Value, When

from console.configs.models import Draft, DraftVisit
from console.errors import Conflict
from console.orgs.models import User

#: Time without a request after which a visit ends, and with it the visitor's lock.
LAPSES_AFTER = timedelta(seconds=90)

#: Maximum number of visitors listed for one draft.
MOST_VISITORS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """The editor of a draft and its other visitors, in order of arrival."""

    draft: Draft
    #: None without an editor.
    editor: User | None
    visits: tuple[DraftVisit, ...]


def editable_by(user: User, now: datetime) -> Q:
    """Return the condition for drafts that *user* can save: drafts without another editor."""
    cutoff = now - LAPSES_AFTER
    visits = DraftVisit.objects.filter(
        draft=OuterRef("pk"), user=OuterRef("editor"), seen_at__gte=cutoff
    )
    # A new editor holds the lock before the row of the visit is written.
    silent = Q(~Exists(visits), editing_since__lt=cutoff)
    return Q(editor=None) | Q(editor=user) | silent


def edit_start(user: User, now: datetime) -> Case:
    """Return the expression for `editing_since` when *user* becomes or stays the editor."""
    unchanged = When(editor=user, editing_since__isnull=False, then=F("editing_since"))
    return Case(unchanged, default=Value(now), output_field=DateTimeField())


def presences(drafts: Sequence[Draft], now: datetime) -> list[Presence]:
    """Return the editor and visitors of each of *drafts*, in the same order."""
    cutoff = now - LAPSES_AFTER
    visits: dict[int, list[DraftVisit]] = {draft.pk: [] for draft in drafts}
    rows = DraftVisit.objects.filter(draft__in=[draft.pk for draft in drafts], seen_at__gte=cutoff)
    for visit in rows.select_related("user").order_by("since", "id"):
        visits[visit.draft_id].append(visit)
    return [_presence(draft, visits[draft.pk], cutoff) for draft in drafts]


def draft_locked(draft: Draft) -> Conflict:
    """Return the error that names the editor of *draft*."""
    name = draft.editor.email if draft.editor else "Another member"
    return Conflict(
        "draft_locked",
        f"{name} edits this draft. Take over, or save your text as a new draft.",
    )


def _presence(draft: Draft, visits: list[DraftVisit], cutoff: datetime) -> Presence:
    here = {visit.user_id for visit in visits}
    began = draft.editing_since
    holds = draft.editor_id in here or (began is not None and began >= cutoff)
    return Presence(
        draft=draft,
        editor=draft.editor if holds else None,
        visits=tuple(visits[:MOST_VISITORS]),
    )
