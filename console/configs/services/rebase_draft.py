"""Rebase a draft: make the active version its base, without merging the changes in between."""

from __future__ import annotations

from django.db import transaction

from console.configs.models import Draft
from console.configs.queries import get_draft
from console.configs.services.activate_version import require_active
from console.configs.services.save_draft import save_draft
from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.workloads.models import Event, EventType


def rebase_draft(actor: Actor, number: int, revision: int, onto: int) -> Draft:
    """
    Make version *onto* the base of draft *number*, as of save *revision*, with unchanged text.

    Raises NotAllowed, NotFound, StaleVersion if *onto* is not active, and Conflict:
    ``stale_draft``, ``draft_locked``.
    """
    actor.require(Permission.DRAFT)
    draft = get_draft(actor.org, number)
    if draft.revision != revision:
        raise Conflict("stale_draft", "The draft was saved again after you opened this page.")
    require_active(actor.org, onto)
    before = draft.base
    with transaction.atomic():
        saved = save_draft(actor, number, draft.dialect, draft.text, onto, revision + 1)
        Event.objects.create(
            org=actor.org,
            type=EventType.CONFIG_UPDATED,
            actor=actor.name,
            data={"kind": "rebase", "version": onto, "from": before, "draft": number},
        )
        record(
            actor,
            "draft.rebase",
            kind="draft",
            subject=str(number),
            before={"base": before},
            after={"base": onto},
        )
    return saved
