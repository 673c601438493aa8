"""Create a draft: a text that all members of the organization see, edited by its author."""

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

#: Characters that a draft may have: more than any config that can be applied.
LONGEST_DRAFT = 2_000_000

#: Characters of a title.
LONGEST_TITLE = 500

#: Drafts that an organization keeps at the same time.
MOST_DRAFTS = 500

#: What the columns of base and revision hold on every database.
LARGEST = 2**31 - 1


def begin_draft(actor: Actor, dialect: str, text: str, base: int, title: str = "") -> Draft:
    """
    Keep *text*, begun from version *base*, as a new draft of the actor.

    Raises NotAllowed, BadRequest, and Conflict (``too_many_drafts``) when the
    organization has as many as it may.
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
                f"There are {MOST_DRAFTS} drafts already. Discard one that is not needed first.",
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
    """Note in *reader* when there is no version *base* to begin from; 0 stands for none."""
    found = reader.integer(base, "base", most=LARGEST)
    if found and not ConfigVersion.objects.filter(org=org, number=found).exists():
        message = f"There is no version {found} to start from. Open the draft again from its list."
        reader.refuse("base", "no_such_version", message)


def draft_author(actor: Actor) -> User:
    """Return the person behind *actor*; raises NotAllowed for a token."""
    if actor.user is None:
        raise NotAllowed("Drafts belong to members; a token cannot have a draft.")
    return actor.user
