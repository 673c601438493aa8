"""Rows of the page of users and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

from console.engine.disciplines.hierarchy.user_report import HolderUse, LevelLine
from console.engine.disciplines.hierarchy.users import WILDCARD
from console.engine.model.amounts import SCALE
from console.engine.wording.words import amount, plural, quantity, sentence_case


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderRow:
    """One user or group."""

    holder: HolderUse
    title: str
    kind: str
    workloads: int
    #: What the tightest limit allows and what is used of it; empty without a limit.
    tightest: str
    share: str
    is_exhausted: bool
    #: URL of the page with its details.
    url: str
    #: Id of the row, independent of the order.
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueUse:
    """What a user or group uses in one queue."""

    queue: str
    #: Whether the queue has a page: a queue that a rule created above others has none.
    has_page: bool
    lines: tuple[LineRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """One resource, or the running workloads."""

    title: str
    used: str
    limit: str
    is_exhausted: bool
    is_tightest: bool


def holder_rows(
    holders: Iterable[HolderUse], address: Callable[[str, str], str]
) -> tuple[HolderRow, ...]:
    """Return the rows of users and groups; *address* returns a URL for a name and its kind."""
    return tuple(_row(each, address) for each in holders)


def holder_title(holder: HolderUse) -> str:
    """Return the words for a user or group in a list."""
    if holder.is_group and holder.name == WILDCARD:
        return "all users without a named group"
    return holder.name


def holder_heading(holder: HolderUse) -> str:
    """Return the heading of a user or group, such as ``User sue``."""
    if holder.is_group and holder.name == WILDCARD:
        return sentence_case(holder_title(holder))
    return f"{'Group' if holder.is_group else 'User'} {holder.name}"


def queues_of(holder: HolderUse) -> tuple[QueueUse, ...]:
    """Return what a user or group uses, queue by queue from the root."""
    tightest = holder.tightest
    found: list[QueueUse] = []
    for (queue, is_between), lines in groupby(
        holder.lines, key=lambda each: (each.queue, each.is_between)
    ):
        rows = tuple(_line(each, each is tightest) for each in lines)
        found.append(QueueUse(queue=queue, has_page=not is_between, lines=rows))
    return tuple(found)


def _row(holder: HolderUse, address: Callable[[str, str], str]) -> HolderRow:
    tightest = holder.tightest
    kind = "group" if holder.is_group else "user"
    return HolderRow(
        holder=holder,
        title=holder_title(holder),
        kind=kind,
        workloads=holder.workloads,
        tightest="" if tightest is None else _words(tightest),
        share="" if tightest is None else f"{tightest.share * 100 // SCALE} %",
        is_exhausted=tightest is not None and tightest.is_exhausted,
        url=address(holder.name, kind),
        key=f"{kind}-{holder.name.encode().hex()}",
    )


def _words(line: LevelLine) -> str:
    """
    Return what is used of a limit.

    >>> _words(LevelLine(queue="root.a", resource="vcore", used=2000, limit=3000))
    '2 of 3 vcore in root.a'
    """
    if not line.resource:
        return f"{line.used} of {plural(line.limit or 0, 'workload')} in {line.queue}"
    used, limit = quantity(line.used, line.resource), amount(line.limit or 0, line.resource)
    return f"{used} of {limit} in {line.queue}"


def _line(line: LevelLine, is_tightest: bool) -> LineRow:
    def text(value: int) -> str:
        return quantity(value, line.resource) if line.resource else str(value)

    return LineRow(
        title=line.resource or "running workloads",
        used=text(line.used),
        limit="" if line.limit is None else text(line.limit),
        is_exhausted=line.is_exhausted,
        is_tightest=is_tightest,
    )
