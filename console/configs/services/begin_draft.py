"""Create a draft, which all members of the organization can read and its author edits first."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.configs.models import ConfigVersion, Draft
from console.configs.services.check_config import find_dialect
from console.configs.services.visit_draft import note_visit
from console.errors import Conflict, NotAllowed
from console.orgs.audit import record
from console.orgs.models import Organization, User
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.reading import Reader

#: Maximum number of characters of a draft: more than any config that can be applied.
LONGEST_DRAFT = 2_000_000

#: Maximum number of characters of a title.
LONGEST_TITLE = 500

#: Maximum number of drafts of an organization.
MOST_DRAFTS = 500

#: Largest value of the columns `base` and `revision` on every database.
LARGEST = 2**31 - 1


def begin_draft(actor: Actor, dialect: str, text: str, base: int, title: str = "") -> Draft:
    """
    Create a draft of the actor with *text*, based on version *base*.

    Raises NotAllowed, BadRequest, and Conflict (``too_many_drafts``) if the organization has
    `MOST_DRAFTS` drafts.
    """
    actor.require(Permission.DRAFT)
    author = draft_author(actor)
    find_dialect(dialect)
    reader = Reader()
    reader.text(text, "text", LONGEST_DRAFT)
    title = reader.text(title, "title", LONGEST_TITLE)
    read_base(reader, actor.org, base)
    reader.finish()
    now = timezone.now()
    with transaction.atomic():
        lock_org(actor.org)
        if Draft.objects.filter(org=actor.org).count() >= MOST_DRAFTS:
            raise Conflict(
                "too_many_drafts",
                f"The organization has {MOST_DRAFTS} drafts, the maximum. Discard one first.",
            )
        draft = Draft.objects.create(
            org=actor.org,
            author=author,
            title=title.strip(),
            dialect=dialect,
            text=text,
            base=base,
            revision=1,
            editor=author,
            editing_since=now,
        )
        note_visit(draft, author, now)
        record(
            actor,
            "draft.begin",
            kind="draft",
            subject=str(draft.pk),
            after={"title": draft.title, "language": dialect, "base": base},
        )
    return draft


def read_base(reader: Reader, org: Organization, base: int) -> None:
    """Add an error to *reader* if there is no version *base*; 0 means no version."""
    found = reader.integer(base, "base", most=LARGEST)
    if found and not ConfigVersion.objects.filter(org=org, number=found).exists():
        message = f"There is no version {found} to start from. Open the draft again from its list."
        reader.refuse("base", "no_such_version", message)


def draft_author(actor: Actor) -> User:
    """Return the user of *actor*; raises NotAllowed for a token."""
    if actor.user is None:
        raise NotAllowed("Drafts belong to members; a token cannot have a draft.")
    return actor.user
