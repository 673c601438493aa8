"""The impact of a config on recorded workloads: tiles by outcome, and a table of shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from console.engine.impact import Fit, HistoryOutcome
from console.engine.wording import reasons
from console.engine.wording.words import amount, amounts, listed
from console.pages.presenters.impact.shape_order import (
    Sort,
    cut_note,
    order_words,
    sort_resource,
    sorts_of,
    total_request,
)
from console.pages.presenters.impact.shape_tester import ShapeTester
from console.pages.presenters.impact.uncertain import (
    DoubtLine,
    RuleRef,
    doubt_line,
    missing_words,
    plural_count,
    rule_ref,
)
from console.pages.presenters.lists.addresses import Pager, with_query

#: Shapes per page of the table.
PAGE_SIZE = 50

#: Outcome -> (title, text below the number), in the order of the tiles.
_TILES = {
    HistoryOutcome.UNCHANGED: ("Unchanged", "the same queue and priority"),
    HistoryOutcome.MOVED: ("Routed elsewhere", "another queue or priority"),
    HistoryOutcome.REJECTED: ("Newly rejected", "matched a rule before"),
    HistoryOutcome.NEVER_FITS: ("Can never start", "request exceeds the quota"),
    HistoryOutcome.ACCEPTED: ("Newly accepted", "could not start before"),
    HistoryOutcome.CANNOT_TELL: ("Undecided", "depends on unrecorded facts"),
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
    """One outcome with its numbers, and the URL that shows its shapes."""

    code: str
    title: str
    text: str
    runs: int
    shapes: int
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The text of a value before and after the change."""

    before: str
    after: str

    @property
    def is_same(self) -> bool:
        """Whether both texts are equal, so that only one is shown."""
        return self.before == self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeRow:
    """One row of the table of shapes."""

    labels: Sequence[tuple[str, str]]
    request: str
    runs: int
    #: Total request of the sort resource by all workloads of the shape; empty without one.
    total_request: str
    last_seen: str
    title: str
    queue: Pair
    priority: Pair
    fit: Pair
    rule_before: RuleRef | None
    rule_after: RuleRef | None
    #: The missing facts that make the outcome unknown.
    doubts: str
    #: The rule tester with this shape and both configs; empty if it cannot be tested.
    test_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryView:
    """Data of the page about recorded workloads."""

    corpus: str
    is_complete: bool
    is_empty: bool
    tiles: Sequence[Tile]
    #: Title and sort order of the table, and a note if the table is incomplete.
    title: str
    order: str
    note: str
    sorts: Sequence[Sort]
    rows: Sequence[ShapeRow]
    pager: Pager
    doubts: Sequence[DoubtLine]


def history_view(
    result: Mapping[str, Any], path: str, query: QueryDict, tester: ShapeTester | None
) -> HistoryView:
    """
    Return the view of a stored impact *result* at *path*; *tester* builds links for single shapes.

    In *query*, ``show`` is an outcome (default: all changes), ``sort`` is a resource (default: the
    number of workloads), and ``skip`` is the number of shapes to skip.
    """
    history, rules = result["history"], result["rules"]
    chosen = query.get("show", "")
    known = {outcome.value for outcome in HistoryOutcome}
    wanted = {chosen} if chosen in known else known - {HistoryOutcome.UNCHANGED.value}
    kept = [row for row in history["rows"] if row["outcome"] in wanted]
    resource = sort_resource(history, query)
    if resource:
        kept.sort(key=lambda row: -total_request(row, resource))
    first = _skipped(query, len(kept))
    shapes = sum(history["outcomes"][code]["shapes"] for code in wanted)
    return HistoryView(
        corpus=_corpus(history),
        is_complete=history["is_complete"],
        is_empty=not history["shapes"],
        tiles=[_tile(outcome, history, path, query) for outcome in HistoryOutcome],
        title=_TILES[HistoryOutcome(chosen)][0] if chosen in known else "All changes",
        order=order_words(resource),
        sorts=sorts_of(history, resource, path, query),
        note=cut_note(len(kept), shapes, history),
        rows=[_row(row, rules, resource, tester) for row in kept[first : first + PAGE_SIZE]],
        pager=Pager(
            first_url=with_query(path, query, skip=None) if first else "",
            next_url=with_query(path, query, skip=str(first + PAGE_SIZE))
            if first + PAGE_SIZE < len(kept)
            else "",
        ),
        doubts=[doubt_line(each, rules["after"]) for each in history["doubts"]],
    )


def _corpus(history: Mapping[str, Any]) -> str:
    end = "complete" if history["is_complete"] else "truncated: older shapes are not included"
    return (
        f"Last {history['window_days']} days · {plural_count(history['runs'], 'workload')} · "
        f"{plural_count(history['shapes'], 'distinct shape')} · {end}"
    )


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


def _row(
    row: Mapping[str, Any], rules: Mapping[str, Any], resource: str, tester: ShapeTester | None
) -> ShapeRow:
    before, after = row["before"], row["after"]
    return ShapeRow(
        labels=sorted(row["labels"].items()),
        request=_request(row),
        runs=row["runs"],
        total_request=amount(total_request(row, resource), resource) if resource else "",
        last_seen=row["last_seen"],
        title=_TILES[HistoryOutcome(row["outcome"])][0],
        queue=Pair(before=_place(before), after=_place(after)),
        priority=Pair(before=_number(before["priority"]), after=_number(after["priority"])),
        fit=Pair(before=_FITS[Fit(before["fit"])], after=_FITS[Fit(after["fit"])]),
        rule_before=rule_ref(before["rule"], rules["before"]),
        rule_after=rule_ref(after["rule"], rules["after"]),
        doubts=listed(missing_words(each) for each in row["doubts"]),
        test_url=tester.url(row) if tester else "",
    )


def _request(row: Mapping[str, Any]) -> str:
    parts = [amounts(row["requests"]) or "nothing"]
    if row["requested_priority"] is not None:
        parts.append(f"priority {row['requested_priority']}")
    if row["namespace"]:
        parts.append(f"namespace {row['namespace']}")
    if row.get("user"):
        parts.append(f"user {row['user']}")
    return " · ".join(parts)


def _place(standing: Mapping[str, Any]) -> str:
    if standing["queue"] is not None:
        return str(standing["queue"])
    return reasons.reason_title(standing["reason"])


def _number(priority: int | None) -> str:
    return "—" if priority is None else str(priority)
