"""Save a draft while its author types."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone

from console.configs.models import Draft
from console.configs.queries import draft_of
from console.configs.services.check_config import find_dialect
from console.errors import Conflict, NotAllowed
from console.orgs.models import User
from console.orgs.permissions import Actor, Permission
from console.reading import Reader

#: Characters that a draft may have: more than any config that can be applied.
LONGEST_DRAFT = 2_000_000

#: What the columns of base and revision hold on every database.
_LARGEST = 2**31 - 1


def save_draft(actor: Actor, dialect: str, text: str, base: int, revision: int) -> Draft:
    """
    Save *text*, begun from version *base*, as save number *revision* of the author's draft.

    Every save has a higher number than the one before, so that one that
    arrives late changes nothing. Raises NotAllowed, BadRequest, and Conflict
    (``stale_draft``) when the stored draft has this number or a higher one.
    """
    actor.require(Permission.DRAFT)
    author = draft_author(actor)
    find_dialect(dialect)
    reader = Reader()
    reader.text(text, "text", LONGEST_DRAFT)
    reader.integer(base, "base", most=_LARGEST)
    reader.integer(revision, "revision", least=1, most=_LARGEST)
    reader.finish()
    saved = Draft.objects.filter(org=actor.org, author=author, revision__lt=revision).update(
        dialect=dialect, text=text, base=base, revision=revision, updated_at=timezone.now()
    )
    if not saved:
        _begin(actor, author, Draft(dialect=dialect, text=text, base=base, revision=revision))
    draft = draft_of(actor.org, author)
    if draft is None:
        raise Conflict("stale_draft", "The draft was discarded in another window.")
    return draft


def draft_author(actor: Actor) -> User:
    """Return the person behind *actor*; raises NotAllowed for a token."""
    if actor.user is None:
        raise NotAllowed("Drafts belong to people; a token cannot have one.")
    return actor.user


def _begin(actor: Actor, author: User, draft: Draft) -> None:
    draft.org = actor.org
    draft.author = author
    try:
        with transaction.atomic():
            draft.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict(
            "stale_draft",
            "A newer text of this draft was saved in another window; load it before you go on.",
        ) from error
