"""Plan the end of a temporary change of numbers, and propose it with a text for approval."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from console.configs.models import ReviewRequest, ScheduledChange
from console.configs.schedule_limits import read_due
from console.configs.services.propose_numbers import NumberChange, NumberProposal, numbers_of
from console.configs.temporary_changes import UNTIL, cancel_proposed, check_order
from console.dialects.editable_numbers import EditableNumber, ObjectKey
from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor
from console.policies.queries import active_number


def plan_end(
    actor: Actor,
    owner: ObjectKey,
    changes: Sequence[NumberChange],
    proposal: NumberProposal,
    until: datetime,
) -> ScheduledChange:
    """
    Return the end at *until* of *changes* of the numbers of *owner*, not stored yet.

    Raises BadRequest if the time is not within a year from now, if the active config does not state
    one of the numbers, or if an earlier temporary change of the same numbers ends before.
    """
    until = read_due(until, UNTIL)
    known = {number.key: number for number in numbers_of(actor, owner, active_number(actor.org))}
    pairs = [(known[change.key], change.value.strip()) for change in changes]
    if absent := [number for number, _ in pairs if not number.written]:
        message = (
            f"The active config does not state {number_words(absent[0])}, so there is no value to "
            "set it back to. Change it without an end, and edit the text later."
        )
        raise BadRequest([FieldError(UNTIL, "no_value_before", message)])
    end = ScheduledChange(
        org=actor.org,
        kind=ScheduledChange.Kind.END,
        due_at=until,
        try_at=until,
        author=actor.name,
        author_key=actor.key,
        owner_kind=owner.kind,
        owner_name=proposal.name,
        numbers=[
            {
                "field": number.key.field,
                "flavor": number.key.flavor,
                "resource": number.key.resource,
                "title": number.title,
                "before": number.written,
                "after": value,
            }
            for number, value in pairs
            if value != number.written
        ],
    )
    check_order(end)
    return end


def propose_end(review: ReviewRequest, end: ScheduledChange | None) -> None:
    """
    Make *end* the proposed one of *review*, in place of an earlier one; None: its text has no end.

    It is scheduled when the approved text is applied.
    """
    with transaction.atomic():
        cancel_proposed(review, "The same text was submitted again with another end.")
        if end is not None:
            end.state, end.review, end.message = (
                ScheduledChange.State.PROPOSED,
                review,
                review.title,
            )
            end.save()


def number_words(number: EditableNumber) -> str:
    """Return *number* in words: nominal quota of gpu in spot."""
    title = number.title[:1].lower() + number.title[1:]
    resource = f" of {number.key.resource}" if number.key.resource else ""
    return f"{title}{resource}{f' in {number.key.flavor}' if number.key.flavor else ''}"
