"""Rows of scheduled changes: what each does, its state, and notes for versions and banners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.urls import NoReverseMatch, reverse

from console.configs.models import ScheduledChange
from console.dialects.quantity import amount_of, format_quantity
from console.engine.model.amounts import Unlimited, format_amount, parse_amount

_State = ScheduledChange.State

_GLYPHS: Final[Mapping[str, str]] = {
    _State.PROPOSED: "pending",
    _State.SCHEDULED: "pending",
    _State.DONE: "finished",
    _State.CANCELED: "withdrawn",
    _State.SUPERSEDED: "warning",
    _State.FAILED: "error",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberBack:
    """One number of a temporary change."""

    title: str
    #: The value until the end, with its difference to the value before, and that value.
    now: str
    then: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRow:
    """One scheduled change."""

    change: ScheduledChange
    glyph: str
    title: str
    numbers: tuple[NumberBack, ...]
    #: The page of the queue or cohort; empty for an apply.
    owner_url: str

    @property
    def words(self) -> str:
        """The numbers until the end and after it; empty for an apply."""
        return "; ".join(f"{each.title} {each.now}, then {each.then}" for each in self.numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionNote:
    """What a version has to do with a scheduled change."""

    text: str
    at: datetime | None
    change: int
    #: Whether the version was made before the time of the change.
    is_early: bool = False


def scheduled_row(org: str, change: ScheduledChange) -> ScheduledRow:
    """Return the row of *change* of the organization with the slug *org*."""
    is_end = change.kind == ScheduledChange.Kind.END
    title = change.message or "Apply without a message"
    if is_end:
        title = f"End the temporary quota of {change.owner_kind} {change.owner_name}"
    return ScheduledRow(
        change=change,
        glyph=_GLYPHS[change.state],
        title=title,
        numbers=tuple(map(_number, change.numbers)),
        owner_url=_owner_url(org, change) if is_end else "",
    )


def scheduled_rows(org: str, changes: Iterable[ScheduledChange]) -> tuple[ScheduledRow, ...]:
    """Return the rows of *changes*."""
    return tuple(scheduled_row(org, each) for each in changes)


def version_notes(
    begun: ScheduledChange | None, made: ScheduledChange | None
) -> tuple[VersionNote, ...]:
    """Return the notes of a version that *begun* a temporary change or was *made* by a schedule."""
    notes = []
    if begun is not None:
        notes.append(_begun_note(begun))
    if made is not None:
        notes.append(_made_note(made))
    return tuple(notes)


def _begun_note(change: ScheduledChange) -> VersionNote:
    texts = {
        _State.DONE: f"temporary, ended by version {change.version}",
        _State.CANCELED: f"temporary at first, kept by {change.ended_by}",
        _State.SUPERSEDED: "temporary, changed again before its end",
        _State.FAILED: "temporary, not set back: its end failed",
    }
    is_coming = change.state == _State.SCHEDULED
    return VersionNote(
        text="temporary, until" if is_coming else texts[_State(change.state)],
        at=change.due_at if is_coming else None,
        change=change.pk,
    )


def _made_note(change: ScheduledChange) -> VersionNote:
    early = f", made early by {change.ended_by}" if change.ended_by else ""
    if change.kind == ScheduledChange.Kind.END:
        text = f"end of the temporary change of version {change.begun_by}{early}"
        return VersionNote(text=text, at=None, change=change.pk, is_early=bool(early))
    text = f"scheduled by {change.author}{early}, for"
    return VersionNote(text=text, at=change.due_at, change=change.pk, is_early=bool(early))


def _number(number: Mapping[str, Any]) -> NumberBack:
    resource = number["resource"]
    title = number["title"] + (f" of {resource}" if resource else "")
    if number["flavor"]:
        title += f" in {number['flavor']}"
    difference = _difference(number["before"], number["after"], resource)
    now = f"{number['after']} ({difference})" if difference else number["after"]
    return NumberBack(title=title, now=now, then=number["before"])


def _difference(before: str, after: str, resource: str) -> str:
    """
    Return the signed difference of two written amounts; empty if they are no amounts.

    >>> _difference("64", "96", "gpu"), _difference("48Gi", "36Gi", "memory")
    ('+32', '−12Gi')
    """
    old, new = _amount(before, resource), _amount(after, resource)
    if old is None or new is None or old == new:
        return ""
    is_plain = all(text.replace(".", "", 1).isdecimal() for text in (before, after))
    size = abs(new - old)
    words = format_amount(size) if is_plain else format_quantity(size, resource)
    return f"{'+' if new > old else '−'}{words}"


def _amount(written: str, resource: str) -> int | None:
    for read in (parse_amount, lambda text: amount_of(text, resource)):
        try:
            found = read(written)
        except ValueError:
            continue
        return None if isinstance(found, Unlimited) else found
    return None


def _owner_url(org: str, change: ScheduledChange) -> str:
    try:
        return reverse(f"pages:{change.owner_kind}", args=[org, change.owner_name])
    except NoReverseMatch:
        return ""
