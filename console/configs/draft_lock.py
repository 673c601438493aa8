"""
The soft lock of a draft: its editor alone saves, for as long as something is heard of them.

Every change of hands is one conditional UPDATE of the draft's row, so that of
two people who reach for it at the same moment one changes the row and the other
is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, Value, When

from console.configs.models import Draft, DraftVisit
from console.errors import Conflict
from console.orgs.models import User

#: Silence after which a visit has ended, and with it what its visitor held.
LAPSES_AFTER = timedelta(seconds=90)

#: Visitors that are told of one draft.
MOST_VISITORS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """Who is at a draft: who edits it, and who else has it open, those who came first in front."""

    draft: Draft
    #: None when nobody edits it.
    editor: User | None
    visits: tuple[DraftVisit, ...]


def open_to(user: User, now: datetime) -> Q:
    """Return which drafts *user* may write to: those nobody else holds."""
    cutoff = now - LAPSES_AFTER
    heard_of = DraftVisit.objects.filter(
        draft=OuterRef("pk"), user=OuterRef("editor"), seen_at__gte=cutoff
    )
    # Whoever took it a moment ago holds it even before their visit can be seen.
    silent = Q(~Exists(heard_of), editing_since__lt=cutoff)
    return Q(editor=None) | Q(editor=user) | silent


def since(user: User, now: datetime) -> Case:
    """Return the expression of since when *user*, who holds the draft now, edits it."""
    kept = When(editor=user, editing_since__isnull=False, then=F("editing_since"))
    return Case(kept, default=Value(now), output_field=DateTimeField())


def presences(drafts: Sequence[Draft], now: datetime) -> list[Presence]:
    """Return who is at each of *drafts*, in their order."""
    cutoff = now - LAPSES_AFTER
    visits: dict[int, list[DraftVisit]] = {draft.pk: [] for draft in drafts}
    rows = DraftVisit.objects.filter(draft__in=[draft.pk for draft in drafts], seen_at__gte=cutoff)
    for visit in rows.select_related("user").order_by("since", "id"):
        visits[visit.draft_id].append(visit)
    return [_presence(draft, visits[draft.pk], cutoff) for draft in drafts]


def locked(draft: Draft) -> Conflict:
    """Return the error that says who holds *draft*."""
    name = draft.editor.email if draft.editor else "Somebody"
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
