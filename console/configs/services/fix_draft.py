"""Fix a draft: apply a fix of one of its diagnostics, and save the draft."""

from __future__ import annotations

from console.configs.models import Draft
from console.configs.queries import get_draft
from console.configs.services.check_config import check_config
from console.configs.services.save_draft import save_draft
from console.dialects.diagnostics import Diagnostic, Fix
from console.dialects.positions import apply_fix
from console.errors import Conflict
from console.orgs.permissions import Actor, Permission


def fix_key(diagnostic: Diagnostic, place: int) -> str:
    """Return the key of the fix with index *place* of *diagnostic*, unique in one text."""
    span = diagnostic.span
    return f"{diagnostic.code}-{span.line}-{span.column}-{place}"


def fix_draft(actor: Actor, number: int, revision: int, key: str) -> Draft:
    """
    Apply the fix with the key *key* to draft *number* as of save *revision*.

    Raises NotAllowed, NotFound, and Conflict: ``stale_draft`` if the draft was saved later or has
    no such fix any more, ``draft_locked`` if another member edits it.
    """
    actor.require(Permission.DRAFT)
    draft = get_draft(actor.org, number)
    fix = _offered(actor, draft).get(key) if draft.revision == revision else None
    if fix is None:
        raise Conflict("stale_draft", "The draft has changed, and this fix no longer applies.")
    text = apply_fix(draft.text, fix)
    return save_draft(actor, number, draft.dialect, text, draft.base, revision + 1)


def _offered(actor: Actor, draft: Draft) -> dict[str, Fix]:
    reading = check_config(actor, draft.dialect, draft.text)
    return {
        fix_key(diagnostic, place): fix
        for diagnostic in reading.diagnostics
        for place, fix in enumerate(diagnostic.fixes)
    }
