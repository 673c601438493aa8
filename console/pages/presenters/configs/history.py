"""Rows of the version history: origin, summary of changes and observed effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.utils import timezone

from console.configs.changelog import ChangeSummary
from console.configs.models import ConfigVersion
from console.dialects.objects import objects_of, vocabulary_of
from console.engine.diff.objects import SETTINGS, Vocabulary
from console.engine.model.policy import Policy
from console.engine.wording.words import plural
from console.pages.presenters.configs.changes import change_line, summary_of
from console.pages.presenters.configs.schedule import VersionNote
from console.pages.templatetags.ui import count

_KINDS = {"apply": "Applied", "rollback": "Rolled back", "timer": "Rolled back by timer"}

#: The age of a version by which its effect is measured, with a day to spare for an outage.
_MEASURED_BY: Final = timedelta(days=2)

_VIAS = {
    ConfigVersion.Via.PAGE: "in the browser",
    ConfigVersion.Via.API: "over the API",
    ConfigVersion.Via.CLIENT: "by the anyscale client",
    ConfigVersion.Via.TIMER: "because the previous version was not confirmed",
    ConfigVersion.Via.SCHEDULE: "as scheduled",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectNote:
    """The effect of a version in the 24 hours after it: a badge and the numbers."""

    badge: str
    #: better, worse, same or unknown; selects the glyph.
    trend: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One version with its changes and effect."""

    version: ConfigVersion
    #: Apply or rollback, and the client that did it.
    kind: str
    #: Empty for a scheduled change that was made early, as a note says.
    via: str
    summary: str
    effect: EffectNote
    is_active: bool
    #: What it has to do with scheduled changes.
    notes: tuple[VersionNote, ...] = ()


def history_row(
    version: ConfigVersion,
    summary: ChangeSummary,
    *,
    active: int,
    notes: tuple[VersionNote, ...] = (),
) -> HistoryRow:
    """Return the row of *version* with its *notes*; *active* is the number of the active one."""
    words = vocabulary_of(version.dialect)
    return HistoryRow(
        version=version,
        kind=kind_words(version),
        via="" if any(note.is_early for note in notes) else _VIAS[ConfigVersion.Via(version.via)],
        summary=summary_of(
            [change_line(change, words) for change in summary.changes], summary.total
        ),
        effect=effect_note(version.effect, timezone.now() - version.created_at),
        is_active=version.number == active,
        notes=notes,
    )


def kind_words(version: ConfigVersion) -> str:
    """Return whether *version* was applied or rolled back, as text."""
    if version.rolled_back_to is None:
        return "Applied"
    back = f"Rolled back to version {version.rolled_back_to}"
    return f"{back} by timer" if version.via == ConfigVersion.Via.TIMER else back


def kind_titles(kinds: Iterable[str]) -> list[tuple[str, str]]:
    """Return (kind, title) of the kinds of versions in the filter."""
    return [(kind, _KINDS[kind]) for kind in kinds]


def noun_titles(vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Return (kind, title) of the kinds of objects in the filter."""
    return [(kind, vocabulary.of(kind).singular.capitalize()) for kind in vocabulary.kinds]


def object_counts(policy: Policy) -> str:
    """Return the number of objects of each kind in *policy*, in the terms of its dialect."""
    objects, vocabulary = objects_of(policy), vocabulary_of(policy.dialect)
    counts = {kind: len(objects.ordered(kind)) for kind in vocabulary.kinds if kind != SETTINGS}
    return ", ".join(
        f"{count} {words.singular if count == 1 else words.plural}"
        for kind, count in counts.items()
        if count and (words := vocabulary.of(kind))
    )


def effect_note(effect: Mapping[str, Any] | None, age: timedelta) -> EffectNote:
    """
    Return the note of the stored *effect* of a version of *age*.

    None means that the day after it is not over, or that nothing measured it when it was.
    """
    if effect is None:
        is_overdue = age > _MEASURED_BY
        return EffectNote(badge="not measured" if is_overdue else "no data yet", trend="unknown")
    before, after = effect["before"], effect["after"]
    if not after["submitted"]:
        return EffectNote(badge="no workloads", trend="unknown", lines=_lines(effect))
    waits = _waits(before, after)
    rejects = after["rejected"] - before["rejected"]
    parts = [waits] if waits else []
    parts.append(f"rejections {_signed(rejects)}")
    return EffectNote(badge=", ".join(parts), trend=_trend(before, after), lines=_lines(effect))


def _waits(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the change of the wait p95 as text."""
    old, new = before["wait_p95"], after["wait_p95"]
    if new is None:
        return ""
    if old is None:
        return f"wait p95 {_seconds(new)}"
    if old == new:
        return "wait p95 unchanged"
    return f"wait p95 {_seconds(old)} → {_seconds(new)}"


def _trend(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    old, new = before["wait_p95"], after["wait_p95"]
    # Compared as shares of submissions: a busier day is not a worse one.
    refused = after["rejected"] * max(1, before["submitted"])
    refused_before = before["rejected"] * max(1, after["submitted"])
    worse, better = refused > refused_before, refused < refused_before
    if old is not None and new is not None:
        # Waits always vary; a change of 10 % plus 1 s is noticeable.
        worse = worse or new > old * 1.1 + 1
        better = better or new < old * 0.9 - 1
    if worse == better:
        return "same"
    return "worse" if worse else "better"


def _lines(effect: Mapping[str, Any]) -> tuple[str, ...]:
    lines = [
        f"{title}: {_day(effect[key])}"
        for title, key in (("24 h before", "before"), ("24 h after", "after"))
    ]
    others = effect["other_versions"]
    if others:
        verb = "was" if others == 1 else "were"
        lines.append(f"{plural(others, 'other version')} {verb} applied in these 48 hours.")
    return tuple(lines)


def _day(day: Mapping[str, Any]) -> str:
    if not day["submitted"]:
        return "no workloads"
    text = (
        f"{count(day['submitted'])} submitted, {count(day['admitted'])} admitted, "
        f"{count(day['rejected'])} rejected"
    )
    if day["wait_p50"] is not None:
        text += (
            f"; wait p50 {_seconds(day['wait_p50'])}, p95 {_seconds(day['wait_p95'])} "
            f"(n = {count(day['admitted'])})"
        )
    return text if day["is_whole"] else f"{text}; only the nearest {count(day['submitted'])}"


def _seconds(seconds: float) -> str:
    """
    Return the text of a duration.

    >>> _seconds(0.25), _seconds(75), _seconds(7300)
    ('0.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def _signed(change: int) -> str:
    return "unchanged" if not change else f"{'+' if change > 0 else '−'}{count(abs(change))}"
