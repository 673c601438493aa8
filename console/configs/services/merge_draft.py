"""Merge a draft with the versions that were applied after its base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.db import transaction

from console.configs.models import ConfigVersion, Draft
from console.configs.queries import get_draft, past_specs
from console.configs.services.activate_version import require_active
from console.configs.services.save_draft import save_draft
from console.dialects import dialects
from console.dialects.assist.renaming import rename_in
from console.dialects.merging import Choice, Merge, Piece, Verdict, merge_configs
from console.dialects.objects import vocabulary_of
from console.engine.diff.objects import PolicyObjects
from console.errors import BadRequest, Conflict, FieldError
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.policies.queries import get_version
from console.workloads.models import Event, EventType


@dataclass(frozen=True, slots=True)
class Resolution:
    """The resolution of one conflict: the state of a side, or, if *choice* is None, *text*."""

    choice: Choice | None
    text: str = ""

    def text_of(self, piece: Piece) -> str | None:
        """Return the resolved text of *piece*; None removes it."""
        return self.text if self.choice is None else piece.state(self.choice)


def merge_of(draft: Draft, active: ConfigVersion) -> Merge | None:
    """Return the merge of *draft* and *active*; None if their dialects, or the base's, differ."""
    if draft.dialect != active.dialect:
        return None
    base = ""
    if draft.base:
        begun = get_version(draft.org, draft.base)
        if begun.dialect != draft.dialect:
            return None
        base = begun.text
    dialect, past = dialects()[draft.dialect], past_specs(draft.org)

    def read(text: str) -> PolicyObjects | None:
        # Fixed queue specs are checked on the merged text only. Renames of the active version are
        # also applied to the base and the draft, which are older than the spec of the new name.
        return dialect.read_objects(text, {})

    def check(text: str) -> PolicyObjects | None:
        return dialect.read_objects(text, past)

    return merge_configs(
        base,
        active.text,
        draft.text,
        read,
        check=check,
        rename=partial(rename_in, dialect),
    )


def merge_draft(
    actor: Actor, number: int, revision: int, onto: int, resolutions: Sequence[Resolution]
) -> tuple[Draft, Verdict]:
    """
    Merge draft *number*, as of save *revision*, with version *onto*, its new base.

    *resolutions* has an entry for each conflict, in order. Returns the draft and the verdict of the
    merge. Raises NotAllowed, NotFound, StaleVersion if *onto* is not active, BadRequest if a
    conflict is not resolved, and Conflict: ``stale_draft``, ``draft_locked``,
    ``languages_differ``.
    """
    actor.require(Permission.DRAFT)
    draft = get_draft(actor.org, number)
    if draft.revision != revision:
        raise Conflict("stale_draft", "The draft was saved again after you opened this page.")
    require_active(actor.org, onto)
    active = get_version(actor.org, onto)
    merge = merge_of(draft, active)
    if merge is None:
        message = (
            "The draft and the active version are in different languages and cannot be merged."
        )
        raise Conflict("languages_differ", message)
    conflicts = merge.conflicts
    if len(resolutions) != len(conflicts):
        message = f"Resolve each of the {len(conflicts)} conflicts."
        raise BadRequest([FieldError("choice", "required", message)])
    for one, piece in zip(resolutions, conflicts, strict=True):
        if one.choice is not Choice.BASE or not piece.is_order or piece.noun is None:
            continue
        things = vocabulary_of(draft.dialect).of(piece.noun).plural
        message = f"Choose which of the {things} added on both sides are tried first."
        raise BadRequest([FieldError("choice", "invalid_choice", message)])
    text = merge.resolved(
        [each.text_of(piece) for each, piece in zip(resolutions, conflicts, strict=True)]
    )
    before = draft.base
    with transaction.atomic():
        saved = save_draft(actor, number, draft.dialect, text, onto, revision + 1)
        Event.objects.create(
            org=actor.org,
            type=EventType.CONFIG_UPDATED,
            actor=actor.name,
            data={
                "kind": "merge",
                "version": onto,
                "from": before,
                "draft": number,
                "conflicts": len(conflicts),
            },
        )
        record(
            actor,
            "draft.merge",
            kind="draft",
            subject=str(number),
            before={"base": before},
            after={"base": onto, "conflicts": len(conflicts)},
        )
    return saved, merge.verdict
