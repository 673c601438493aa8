"""The impact of a text on recorded history: tiles by outcome, and the shapes behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from console.engine import reasons
from console.engine.impact import DoubtKind, Fit, HistoryOutcome
from console.engine.origin import Origin
from console.engine.words import amounts, listed, plural
from console.pages.presenters.lists import Pager, with_query

#: Shapes on one page of the table.
PAGE_SIZE = 50

#: What the tiles are called, in their order, and what each says below its number.
_TILES = {
    HistoryOutcome.UNCHANGED: ("Unchanged", "the same queue and priority"),
    HistoryOutcome.MOVED: ("Routed elsewhere", "another queue or priority"),
    HistoryOutcome.REJECTED: ("Newly rejected", "were taken before"),
    HistoryOutcome.NEVER_FITS: ("Can never start", "taken, and never enough quota"),
    HistoryOutcome.ACCEPTED: ("Newly accepted", "could not start before"),
    HistoryOutcome.CANNOT_TELL: ("Cannot tell", "asks for what was not recorded"),
}

_FITS = {
    Fit.UNCOUNTED: "starts without quota",
    Fit.NOMINAL: "fits",
    Fit.BORROWS: "needs to borrow",
    Fit.NEVER: "can never fit",
    Fit.CLOSED: "queue is closed",
    Fit.STRANDED: "waits in no queue",
    Fit.REJECTED: "rejected",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One outcome with its numbers, and the address that shows its shapes."""

    code: str
    title: str
    text: str
    runs: int
    shapes: int
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRef:
    """A rule as a person counts it, and its lines."""

    number: int
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One thing before and after; *is_same* says that only one has to be shown."""

    before: str
    after: str

    @property
    def is_same(self) -> bool:
        """Whether nothing changes."""
        return self.before == self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeRow:
    """One shape of the table."""

    labels: Sequence[tuple[str, str]]
    asks: str
    runs: int
    last_seen: str
    title: str
    queue: Pair
    priority: Pair
    fit: Pair
    rule_before: RuleRef | None
    rule_after: RuleRef | None
    #: On what it hangs, where nobody can tell.
    doubts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtLine:
    """A fact that is missing, and who asks for it."""

    text: str
    rules: Sequence[RuleRef]
    flavors: str
    counts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryView:
    """What the page shows of history."""

    corpus: str
    is_complete: bool
    is_empty: bool
    tiles: Sequence[Tile]
    #: What the table shows, in words, and a note when it does not show all of it.
    title: str
    note: str
    rows: Sequence[ShapeRow]
    pager: Pager
    doubts: Sequence[DoubtLine]


def history_view(result: Mapping[str, Any], path: str, query: QueryDict) -> HistoryView:
    """
    Return the view of a stored answer at *path*.

    *query* may name an outcome to ``show``, else all that changes is shown, and the
    number of shapes to ``skip``.
    """
    history, rules = result["history"], result["rules"]
    chosen = query.get("show", "")
    known = {outcome.value for outcome in HistoryOutcome}
    wanted = {chosen} if chosen in known else known - {HistoryOutcome.UNCHANGED.value}
    kept = [row for row in history["rows"] if row["outcome"] in wanted]
    first = _skipped(query, len(kept))
    shapes = sum(history["outcomes"][code]["shapes"] for code in wanted)
    return HistoryView(
        corpus=_corpus(history),
        is_complete=history["is_complete"],
        is_empty=not history["shapes"],
        tiles=[_tile(outcome, history, path, query) for outcome in HistoryOutcome],
        title=_TILES[HistoryOutcome(chosen)][0] if chosen in known else "All that changes",
        note=f"The {plural(len(kept), 'shape')} with the most runs of {shapes:,}."
        if shapes > len(kept)
        else "",
        rows=[_row(row, rules) for row in kept[first : first + PAGE_SIZE]],
        pager=Pager(
            first_url=with_query(path, query, skip=None) if first else "",
            next_url=with_query(path, query, skip=str(first + PAGE_SIZE))
            if first + PAGE_SIZE < len(kept)
            else "",
        ),
        doubts=[_doubt(each, rules["after"]) for each in history["doubts"]],
    )


def _corpus(history: Mapping[str, Any]) -> str:
    end = "complete" if history["is_complete"] else "cut: older shapes are left out"
    return (
        f"Last {history['window_days']} days · {plural_count(history['runs'], 'submission')} · "
        f"{plural_count(history['shapes'], 'distinct shape')} · {end}"
    )


def plural_count(number: int, noun: str) -> str:
    """
    Return a count with separators and its noun.

    >>> plural_count(18204, "submission")
    '18,204 submissions'
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _skipped(query: QueryDict, count: int) -> int:
    text = query.get("skip", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    return number if number < count else 0


def _tile(outcome: HistoryOutcome, history: Mapping[str, Any], path: str, query: QueryDict) -> Tile:
    title, text = _TILES[outcome]
    counts = history["outcomes"][outcome.value]
    current = query.get("show") == outcome.value
    return Tile(
        code=outcome.value,
        title=title,
        text=text,
        runs=counts["runs"],
        shapes=counts["shapes"],
        url=with_query(path, query, show=None if current else outcome.value, skip=None),
        current=current,
    )


def _row(row: Mapping[str, Any], rules: Mapping[str, Any]) -> ShapeRow:
    before, after = row["before"], row["after"]
    return ShapeRow(
        labels=sorted(row["labels"].items()),
        asks=_asks(row),
        runs=row["runs"],
        last_seen=row["last_seen"],
        title=_TILES[HistoryOutcome(row["outcome"])][0],
        queue=Pair(before=_place(before), after=_place(after)),
        priority=Pair(before=_number(before["priority"]), after=_number(after["priority"])),
        fit=Pair(before=_FITS[Fit(before["fit"])], after=_FITS[Fit(after["fit"])]),
        rule_before=_rule(before["rule"], rules["before"]),
        rule_after=_rule(after["rule"], rules["after"]),
        doubts=listed(_missing(each) for each in row["doubts"]),
    )


def _asks(row: Mapping[str, Any]) -> str:
    parts = [amounts(row["requests"]) or "nothing"]
    if row["requested_priority"] is not None:
        parts.append(f"priority {row['requested_priority']}")
    if row["namespace"]:
        parts.append(f"namespace {row['namespace']}")
    return " · ".join(parts)


def _place(standing: Mapping[str, Any]) -> str:
    if standing["queue"] is not None:
        return str(standing["queue"])
    return reasons.reason_title(standing["reason"])


def _number(priority: int | None) -> str:
    return "—" if priority is None else str(priority)


def _rule(index: int | None, lines: Mapping[str, Sequence[int]]) -> RuleRef | None:
    if index is None:
        return None
    span = lines.get(str(index))
    origin = Origin(span[0], 1, span[1], 1) if span else None
    return RuleRef(number=index + 1, origin=origin)


def _missing(doubt: Mapping[str, str]) -> str:
    if doubt["kind"] == DoubtKind.NAMESPACE:
        return "the namespace"
    return f"the label {doubt['key']}"


def _doubt(doubt: Mapping[str, Any], lines: Mapping[str, Sequence[int]]) -> DoubtLine:
    return DoubtLine(
        text=f"No recorded workload has {_missing(doubt)}.",
        rules=[ref for index in doubt["rules"] if (ref := _rule(index, lines)) is not None],
        flavors=listed(doubt["flavors"]),
        counts=f"{plural_count(doubt['shapes'], 'shape')}, {plural_count(doubt['runs'], 'run')}",
    )
