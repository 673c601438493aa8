"""Comment on a review request, approve its text, or request changes."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.utils import timezone

from console.configs.models import ReviewComment, ReviewRequest
from console.configs.queries import get_review
from console.configs.services.activate_version import require_active
from console.configs.temporary_changes import cancel_proposed
from console.errors import Conflict, NotAllowed
from console.orgs.audit import Action, record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.reading import Reader
from console.webhooks.models import Kind
from console.webhooks.outbox import notify_of_review

#: Maximum number of characters of a comment, and of comments on a review request.
LONGEST_COMMENT = 5_000
MOST_COMMENTS = 200

_Verdict = ReviewComment.Verdict

_ACTIONS: Final[dict[_Verdict, Action]] = {
    _Verdict.COMMENT: "review.comment",
    _Verdict.APPROVE: "review.approve",
    _Verdict.REQUEST_CHANGES: "review.request_changes",
}
_DECISIONS: Final = {
    _Verdict.APPROVE: (ReviewRequest.State.APPROVED, Kind.APPROVED),
    _Verdict.REQUEST_CHANGES: (ReviewRequest.State.CHANGES_REQUESTED, Kind.CHANGES_REQUESTED),
}


def decide_review(
    actor: Actor,
    number: int,
    verdict: str,
    text: str = "",
    line: int | None = None,
) -> ReviewRequest:
    """
    Add a comment to review request *number*, at *line* of its text, with *verdict*.

    The text is optional for an approval. Changes can also be requested in an approved text, which
    ends the approval. Raises NotAllowed, also for a verdict on one's own text, NotFound,
    BadRequest, StaleVersion for an approval on a version that is not active any more, and
    Conflict: ``review_closed``, ``too_many_comments``.
    """
    reader = Reader()
    choice = _Verdict(reader.choice(verdict, "verdict", _Verdict.values) or _Verdict.COMMENT)
    text = reader.text(text, "text", LONGEST_COMMENT).strip()
    if not text and choice is not _Verdict.APPROVE:
        reader.refuse("text", "required", "Write a comment.")
    actor.require(Permission.DRAFT if choice is _Verdict.COMMENT else Permission.APPROVE)
    org = actor.org
    with transaction.atomic():
        lock_org(org)
        review = get_review(org, number)
        if line is not None:
            last = len(review.text.splitlines())
            if not 1 <= line <= last:
                message = f"The text has the lines 1 to {last}."
                reader.refuse("line", "out_of_range", message)
        reader.finish()
        _require_room(review)
        if choice is not _Verdict.COMMENT:
            _require_decidable(actor, review, choice)
            review.state, kind = _DECISIONS[choice]
            review.decided_by, review.decided_at = actor.name, timezone.now()
            review.save(update_fields=["state", "decided_by", "decided_at"])
            if choice is _Verdict.REQUEST_CHANGES:
                cancel_proposed(review, f"{actor.name} requested changes in the text.")
            facts = {"title": review.title, "base": review.base, "by": actor.name}
            notify_of_review(org, kind, review.pk, facts, review.author)
        ReviewComment.objects.create(
            review=review, author=actor.name, verdict=choice, text=text, line=line
        )
        record(
            actor,
            _ACTIONS[choice],
            kind="review",
            subject=str(number),
            after={"comment": text, "line": line, "base": review.base},
        )
    return review


def _require_room(review: ReviewRequest) -> None:
    if review.comments.count() >= MOST_COMMENTS:
        raise Conflict(
            "too_many_comments", f"The review request has {MOST_COMMENTS} comments, the maximum."
        )


def _require_decidable(actor: Actor, review: ReviewRequest, choice: _Verdict) -> None:
    """Raise an error unless *actor* may make a decision about *review* now."""
    person = actor.person_key
    if not person.startswith("user:"):
        raise NotAllowed("A member has to decide; this token or command belongs to none.")
    if person in review.editors:
        raise NotAllowed(
            "You submitted or edited this text; another editor or owner has to decide."
        )
    open_states = {ReviewRequest.State.WAITING, ReviewRequest.State.APPROVED}
    if choice is _Verdict.APPROVE:
        open_states = {ReviewRequest.State.WAITING}
    if review.state not in open_states:
        title = ReviewRequest.State(review.state).label.lower()
        raise Conflict(
            "review_closed",
            f"Review request {review.pk} is closed ({title}); submit the text again.",
        )
    if choice is _Verdict.APPROVE:
        require_active(actor.org, review.base)
