"""Temporary changes: numbers that a version changed until a time, and when they may end."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Q
from django.utils import timezone

from console.configs.models import ConfigVersion, ReviewRequest, ScheduledChange
from console.configs.queries import proposed_end
from console.configs.schedule_limits import read_due, require_room
from console.dialects.editable_numbers import NumberKey
from console.dialects.objects import objects_of
from console.engine.model.policy import Policy
from console.errors import BadRequest, FieldError
from console.orgs.models import Organization
from console.policies.renames import new_name_of

#: The field of a request with the end of a temporary change.
UNTIL = "until"


def begin_temporary(
    version: ConfigVersion, end: ScheduledChange | None, approval: ReviewRequest | None
) -> ScheduledChange | None:
    """
    Schedule the end of the temporary change that *version* makes, if it makes one.

    Part of the transaction that activates *version*, after its changes are stored. *end* is a
    planned one; that of an approved text is found by *approval*. Raises BadRequest if the end has
    passed, or is later than that of an earlier temporary change of the same numbers.
    """
    if end is None and approval is not None:
        end = proposed_end(approval)
    if end is None:
        return None
    read_due(end.due_at, UNTIL)
    require_room(version.org)
    check_order(end)
    end.state = ScheduledChange.State.SCHEDULED
    end.begun_by, end.message = version.number, version.message
    end.author = version.author
    end.save()
    return end


def cancel_proposed(review: ReviewRequest, problem: str) -> None:
    """Cancel the proposed end of *review*, whose text is not applied as it is."""
    proposed = ScheduledChange.objects.filter(review=review, state=ScheduledChange.State.PROPOSED)
    proposed.update(state=ScheduledChange.State.CANCELED, ended_at=timezone.now(), problem=problem)


def check_order(end: ScheduledChange) -> None:
    """
    Raise BadRequest unless temporary changes of the same numbers end in reverse order.

    Each end restores the values before its own change, so a later change has to end first.
    """
    for other in ends_of(end.org):
        if other.pk == end.pk or not _shares_numbers(other, end):
            continue
        is_later = end.begun_by is None or (other.begun_by or 0) < end.begun_by
        if is_later and end.due_at > other.due_at:
            message = (
                f"The temporary change of version {other.begun_by} changes the same number and "
                f"ends at {other.due_at:%Y-%m-%d %H:%M} UTC. Choose an earlier time, or end that "
                "change first."
            )
            raise BadRequest([FieldError(UNTIL, "ends_later", message)])
        if not is_later and end.due_at < other.due_at:
            message = (
                f"The temporary change of version {other.begun_by} began later with the same "
                f"number and ends at {other.due_at:%Y-%m-%d %H:%M} UTC. Choose a later time, or "
                "end that change first."
            )
            raise BadRequest([FieldError(UNTIL, "ends_earlier", message)])


def _shares_numbers(one: ScheduledChange, other: ScheduledChange) -> bool:
    if not keys_of(one) & keys_of(other) or one.owner_kind != other.owner_kind:
        return False
    return bool(_names(one) & _names(other))


def _names(end: ScheduledChange) -> set[str]:
    renamed = new_name_of(end.org, end.owner_name, end.owner_kind)
    return {end.owner_name, renamed[0]} if renamed else {end.owner_name}


def keys_of(end: ScheduledChange) -> set[NumberKey]:
    """Return the keys of the numbers of a temporary change."""
    return {key_of(number) for number in end.numbers}


def key_of(number: dict[str, Any]) -> NumberKey:
    """Return the key of a stored number."""
    return NumberKey(number["field"], number["flavor"], number["resource"])


def ends_of(org: Organization) -> list[ScheduledChange]:
    """Return the scheduled ends of *org*, the next first."""
    rows = ScheduledChange.objects.filter(
        org=org, kind=ScheduledChange.Kind.END, state=ScheduledChange.State.SCHEDULED
    )
    return list(rows.select_related("org").defer("text").order_by("due_at", "-id"))


def temporary_of(org: Organization, policy: Policy, kind: str, name: str) -> list[ScheduledChange]:
    """
    Return the temporary changes of the object *name* of *policy*, the active one, the next first.

    *kind* is that of `console.dialects.editable_numbers.ObjectKey`.
    """
    found = [end for end in ends_of(org) if end.owner_kind == kind]
    if not found:
        return []
    present = objects_of(policy).of(kind)
    return [
        end
        for end in found
        if end.owner_name == name or (end.owner_name not in present and name in _names(end))
    ]


def schedules_of(
    org: Organization, versions: Collection[int]
) -> tuple[dict[int, ScheduledChange], dict[int, ScheduledChange]]:
    """
    Return the temporary change that each of *versions* began, and the change that made it.

    Both are by number of the version; a version without one is absent.
    """
    begun: dict[int, ScheduledChange] = {}
    made: dict[int, ScheduledChange] = {}
    if versions:
        rows = ScheduledChange.objects.filter(org=org).defer("text")
        for row in rows.filter(Q(begun_by__in=versions) | Q(version__in=versions)):
            if row.begun_by is not None:
                begun[row.begun_by] = row
            if row.version is not None:
                made[row.version] = row
    return begun, made
