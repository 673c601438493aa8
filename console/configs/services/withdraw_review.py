"""Withdraw a review request, which also ends its approval."""

from __future__ import annotations

from django.db import transaction

from console.configs.models import ReviewRequest
from console.configs.queries import get_review
from console.configs.temporary_changes import cancel_proposed
from console.errors import Conflict, NotAllowed
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org


def withdraw_review(actor: Actor, number: int) -> ReviewRequest:
    """
    Withdraw review request *number*; allowed for the people who edited its text, and owners.

    Raises NotAllowed, NotFound, and Conflict (``review_closed``) if it is withdrawn already.
    """
    actor.require(Permission.DRAFT)
    with transaction.atomic():
        lock_org(actor.org)
        review = get_review(actor.org, number)
        if actor.person_key not in review.editors and not actor.may(Permission.APPLY):
            raise NotAllowed(
                f"This review request is {review.author}'s; its author or an owner may withdraw it."
            )
        if review.state == ReviewRequest.State.WITHDRAWN:
            raise Conflict("review_closed", f"Review request {number} is withdrawn already.")
        before = review.state
        review.state = ReviewRequest.State.WITHDRAWN
        review.save(update_fields=["state"])
        cancel_proposed(review, "The review request was withdrawn.")
        record(
            actor,
            "review.withdraw",
            kind="review",
            subject=str(number),
            before={"state": before},
            after={"state": review.state},
        )
    return review
