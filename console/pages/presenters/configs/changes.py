"""Text for differences in meaning between two configs: changed objects, flows, summary counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from console.dialects.objects import objects_of, vocabulary_of
from console.engine.diff import (
    Change,
    ChangeKind,
    Flows,
    Followed,
    Limit,
    QuotaChange,
)
from console.engine.diff.objects import SETTINGS, Vocabulary, Words
from console.engine.model.amounts import Unlimited
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.wording.words import cut
from console.pages.personal_formats import active_formats
from console.pages.presenters.configs.change_parts import (
    DetailLine,
    counted_name,
    detail_line,
    followed_name,
    signed,
)
from console.pages.presenters.configs.flows import flows_by_change, place_of, recorded

#: The parameter with the kinds of objects whose changes are unfolded, separated by commas.
GROUPS: Final = "groups"
#: Number of changes up to which all groups are unfolded.
_FEW_CHANGES: Final = 20

#: Maximum number of objects of one kind on a page.
MOST_CHANGES = 200
#: Maximum number of listed details of one object; the others are counted.
_MOST_DETAILS = 50

#: Kind of change -> (sign, color class, verb).
_KINDS = {
    ChangeKind.ADDED: ("+", "added", "added"),
    ChangeKind.REMOVED: ("−", "removed", "removed"),
    ChangeKind.CHANGED: ("~", "changed", "changed"),
    ChangeKind.MOVED: ("↕", "changed", "moved"),
    ChangeKind.RENAMED: ("→", "changed", "renamed"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """One changed object."""

    kind: str
    sign: str
    #: The object and its kind of change.
    text: str
    details: tuple[DetailLine, ...] = ()
    #: Sentences about workloads that a rule gains from other rules, or loses to them.
    flows: tuple[str, ...] = ()
    origin: Origin | None = None
    old_origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGroup:
    """The changed objects of one kind, and the number of unchanged ones."""

    #: The kind, as the address names it.
    key: str
    title: str
    changes: tuple[ChangeLine, ...]
    #: Counts by kind of change.
    chips: tuple[ChangeChip, ...]
    #: Whether workloads may lose by a change: less quota, a removed object, another rule.
    has_losses: bool
    is_open: bool = True
    unchanged: int = 0
    #: Range and total of the shown objects; empty if all are shown.
    span: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeChip:
    """A count at the top of a review, such as "+1 queue"."""

    kind: str
    text: str


def change_line(change: Change, vocabulary: Vocabulary) -> ChangeLine:
    """Return the text of a changed object, in the terms of its dialect."""
    words = vocabulary.of(change.noun)
    is_continued = _is_continued(change, words)
    sign, kind, word = _KINDS[ChangeKind.CHANGED if is_continued else change.kind]
    noun = words.singular.capitalize()
    name = counted_name(words, change.old_name if is_continued else change.name)
    text = f"{noun} {name} {word}"
    if change.kind is ChangeKind.RENAMED and not is_continued:
        text = f"{noun} {change.old_name} renamed to {name}"
    elif change.kind is ChangeKind.MOVED:
        text = f"{noun} {name} moved from position {place_of(change.old_name or change.name)}"
    shown = [
        detail_line(
            detail,
            vocabulary,
            has_old=change.kind is not ChangeKind.ADDED,
            has_new=change.kind is not ChangeKind.REMOVED,
        )
        for detail in change.details
        if not isinstance(detail, Followed) and not (_is_place(change, detail.part))
    ]
    if len(shown) > _MOST_DETAILS:
        beyond = DetailLine(what=f"and {len(shown) - _MOST_DETAILS} more")
        shown = [*shown[:_MOST_DETAILS], beyond]
    followers = [
        followed_name(detail, vocabulary)
        for detail in change.details
        if isinstance(detail, Followed)
    ]
    if is_continued:
        shown.append(DetailLine(what=f"continues as {change.name}"))
    elif followers:
        verb = "uses" if len(followers) == 1 else "use"
        shown.append(DetailLine(what=f"{cut(followers)} {verb} the new name"))
    return ChangeLine(
        kind=kind,
        sign=sign,
        text=text,
        details=tuple(shown),
        origin=change.origin,
        old_origin=change.old_origin,
    )


def change_groups(
    changes: Sequence[Change], flows: Flows, old: Policy, new: Policy, start: int = 0
) -> tuple[ChangeGroup, ...]:
    """
    Return the changes by kind of object; of each kind, the page that starts at *start*.

    A flow is listed with the rule that gains its workloads, else with the one that loses them.
    """
    flow_sentences = flows_by_change(changes, flows, old, new)
    objects, vocabulary = objects_of(new), vocabulary_of(new.dialect)
    groups = []
    for noun in dict.fromkeys((*vocabulary.kinds, *(change.noun for change in changes))):
        of_kind = [change for change in changes if change.noun is noun]
        page = of_kind[start : start + MOST_CHANGES]
        if not page:
            continue
        there = sum(1 for change in of_kind if change.kind is not ChangeKind.REMOVED)
        lines = tuple(
            replace(
                change_line(change, vocabulary), flows=tuple(flow_sentences.get(id(change), ()))
            )
            for change in page
        )
        groups.append(
            ChangeGroup(
                key=str(noun),
                chips=change_chips(of_kind, vocabulary),
                has_losses=any(map(_loses, lines)),
                title=vocabulary.of(noun).plural.capitalize(),
                changes=lines,
                unchanged=0 if noun == SETTINGS else max(0, len(objects.of(noun)) - there),
                span=span_of(start, len(page), len(of_kind)),
            )
        )
    return tuple(groups)


def unfold_groups(
    groups: Sequence[ChangeGroup], chosen: str | None = None
) -> tuple[ChangeGroup, ...]:
    """
    Return *groups*, unfolded as *chosen* in the address.

    Without a choice, groups with possible losses are unfolded; all are if the changes are few or
    none has losses.
    """
    if chosen is not None:
        names = set(chosen.split(","))
        return tuple(replace(each, is_open=each.key in names) for each in groups)
    is_short = sum(len(each.changes) for each in groups) <= _FEW_CHANGES
    shows_all = is_short or not any(each.has_losses for each in groups)
    return tuple(replace(each, is_open=shows_all or each.has_losses) for each in groups)


def _loses(line: ChangeLine) -> bool:
    return (
        line.kind == _KINDS[ChangeKind.REMOVED][1]
        or bool(line.flows)
        or any(detail.delta.startswith("−") for detail in line.details)
    )


def span_of(start: int, shown: int, total: int) -> str:
    r"""
    Return the range of rows on a page and the *total*; empty if the page has all rows.

    >>> span_of(200, 200, 60000), span_of(0, 7, 7)
    ('201 to 400 of 60\u202f000', '')
    """
    if shown == total:
        return ""
    count = active_formats().count
    return f"{count(start + 1)} to {count(start + shown)} of {count(total)}"


def change_chips(changes: Iterable[Change], vocabulary: Vocabulary) -> tuple[ChangeChip, ...]:
    """Return the counts of changes by kind of change and kind of object."""
    counts = Counter(
        (
            ChangeKind.CHANGED
            if _is_continued(change, vocabulary.of(change.noun))
            else change.kind,
            change.noun,
        )
        for change in changes
    )
    chips = []
    for (happened, noun), count in counts.items():
        sign, kind, word = _KINDS[happened]
        words = vocabulary.of(noun)
        if noun == SETTINGS:
            chips.append(ChangeChip(kind=kind, text=f"~ {words.plural}"))
            continue
        things = words.singular if count == 1 else words.plural
        if happened in (ChangeKind.MOVED, ChangeKind.RENAMED):
            chips.append(ChangeChip(kind=kind, text=f"{count} {things} {word}"))
        else:
            chips.append(ChangeChip(kind=kind, text=f"{sign}{count} {things}"))
    return tuple(chips)


def risk_line(changes: Iterable[Change], flows: Flows) -> str:
    """Return sentences with the total effect: nominal quota, and recorded workloads by rule."""
    totals: Counter[tuple[str, str]] = Counter()
    for change in changes:
        for detail in change.details:
            if isinstance(detail, QuotaChange) and detail.limit is Limit.NOMINAL:
                old, new = detail.old or 0, detail.new or 0
                if not isinstance(old, Unlimited) and not isinstance(new, Unlimited):
                    totals[detail.flavor, detail.resource] += new - old
    sentences = []
    quotas = [
        f"{flavor} / {resource} {signed(total, resource)}"
        for (flavor, resource), total in totals.items()
        if total
    ]
    if quotas:
        sentences.append(f"Total nominal quota: {cut(quotas)}.")
    if flows.window_days:
        moved = sum(flow.runs for flow in flows.flows if flow.new is not None)
        lost = sum(flow.runs for flow in flows.flows if flow.new is None)
        if moved or lost or not flows.is_history_whole:
            found = f"Last {flows.window_days} days: {recorded(moved, flows)}"
            sentences.append(f"{found} would match another rule, and {lost} no rule.")
        else:
            found = f"Last {flows.window_days} days: no workload"
            sentences.append(f"{found} would match another rule or no rule.")
    return " ".join(sentences)


def summary_of(changes: Sequence[ChangeLine], total: int | None = None) -> str:
    """
    Return one line about a config change; *changes* may be the first few of *total*.

    >>> summary_of([ChangeLine(kind="added", sign="+", text="Queue lab added")])
    '+ Queue lab added'
    """
    shown = "; ".join(f"{line.sign} {_in_short(line)}" for line in changes[:3])
    more = (len(changes) if total is None else total) - 3
    return f"{shown}; and {more} more" if more > 0 else shown or "No change in meaning"


def _in_short(line: ChangeLine) -> str:
    if line.sign != "~" or not line.details:
        return line.text
    first, *rest = line.details
    more = f", and {len(rest)} more" if rest else ""
    return f"{line.text.removesuffix(' changed')}: {first.text}{more}"


def _is_continued(change: Change, words: Words) -> bool:
    """Return whether a renamed object is the same one under the next name of its lineage."""
    return (
        change.kind is ChangeKind.RENAMED
        and words.lineage is not None
        and words.lineage(change.old_name) == words.lineage(change.name)
    )


def _is_place(change: Change, part: str) -> bool:
    """Return whether a detail is the position, which the line of a moved rule already shows."""
    return change.kind is ChangeKind.MOVED and part == "index"
