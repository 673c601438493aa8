"""Submit a text for approval by another member."""

from __future__ import annotations

from django.db import transaction

from console.configs.errors import ConfigRejected
from console.configs.models import Draft, ReviewRequest
from console.configs.queries import digest_of, get_draft
from console.configs.services.activate_version import find_unchanged, require_active
from console.configs.services.begin_draft import LONGEST_TITLE
from console.configs.services.check_config import check_config
from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.reading import Reader
from console.webhooks.models import Kind
from console.webhooks.outbox import notify_of_review

#: Maximum number of waiting review requests of an organization.
MOST_WAITING = 100

_OPEN = (ReviewRequest.State.WAITING, ReviewRequest.State.APPROVED)


def submit_draft(actor: Actor, number: int, revision: int) -> ReviewRequest:
    """
    Submit draft *number*, as of save *revision*, for approval.

    Raises NotFound, Conflict (``stale_draft``) if it was saved again, and the errors of
    `request_review`.
    """
    actor.require(Permission.DRAFT)
    draft = get_draft(actor.org, number)
    if draft.revision != revision:
        raise Conflict("stale_draft", "The draft was saved again after you opened this page.")
    return request_review(actor, draft.dialect, draft.text, draft.base, draft.title, draft=draft)


def request_review(
    actor: Actor,
    dialect: str,
    text: str,
    base: int,
    title: str = "",
    *,
    draft: Draft | None = None,
) -> ReviewRequest:
    """
    Submit *text*, to be applied on version *base*, for approval.

    Earlier open requests of *draft* are withdrawn. A text that waits or is approved already is
    returned unchanged. Raises NotAllowed, BadRequest, StaleVersion if *base* is not active,
    ConfigRejected if the text has errors, and Conflict: ``unchanged`` if the active version has
    this text, ``too_many_reviews``.
    """
    actor.require(Permission.DRAFT)
    org = actor.org
    reader = Reader()
    title = reader.text(title, "title", LONGEST_TITLE).strip()
    reader.finish()
    require_active(org, base)
    reading = check_config(actor, dialect, text)
    if not reading.ok:
        raise ConfigRejected(reading)
    if find_unchanged(org, base, dialect, text):
        raise Conflict("unchanged", f"The text is identical to the active version {base}.")
    digest = digest_of(dialect, text)
    with transaction.atomic():
        lock_org(org)
        rows = ReviewRequest.objects.filter(org=org)
        same = rows.filter(digest=digest, base=base, state__in=_OPEN).first()
        if same:
            _add_editors(same, _editors(actor, draft))
            return same
        if draft:
            rows.filter(draft=draft, state__in=_OPEN).update(state=ReviewRequest.State.WITHDRAWN)
        if rows.filter(state=ReviewRequest.State.WAITING).count() >= MOST_WAITING:
            raise Conflict(
                "too_many_reviews",
                f"{MOST_WAITING} review requests wait, the maximum. Withdraw one first.",
            )
        review = ReviewRequest.objects.create(
            org=org,
            draft=draft,
            title=title,
            dialect=dialect,
            text=text,
            digest=digest,
            base=base,
            author=actor.name,
            editors=_editors(actor, draft),
        )
        facts = {"title": title, "base": base, "draft": draft.pk if draft else None}
        record(actor, "review.request", kind="review", subject=str(review.pk), after=facts)
        notify_of_review(org, Kind.REVIEW_REQUESTED, review.pk, facts, actor.name)
    return review


def _editors(actor: Actor, draft: Draft | None) -> list[str]:
    """Return the keys of the people who submit or edited the text."""
    users: set[int | None] = set()
    if draft is not None:
        users = {draft.author_id, draft.editor_id, *draft.editors.values_list("user", flat=True)}
    return sorted({actor.person_key, *(f"user:{number}" for number in users - {None})})


def _add_editors(review: ReviewRequest, editors: list[str]) -> None:
    """Add *editors* to those of a waiting *review*: they cannot approve it either."""
    known = sorted({*review.editors, *editors})
    if review.state == ReviewRequest.State.WAITING and known != review.editors:
        review.editors = known
        review.save(update_fields=["editors"])
