"""Comparison of two decisions or workloads: page data and Markdown text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.http import QueryDict
from django.urls import reverse

from console.engine.explain.compared import Compared
from console.engine.explain.titles import stage_title
from console.engine.wording.reasons import reason_title
from console.pages.presenters.lists.addresses import with_query
from console.workloads.comparisons import Comparison, ComparisonSide
from console.workloads.markdown import at, escaped, table_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two sides, with the URL of its own page."""

    name: str
    what: str
    at: datetime
    url: str
    config_version: int
    headline: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One fact with the values of both sides."""

    what: str
    one: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRows:
    """The facts of one stage that differ, and those that are equal."""

    title: str
    differ: tuple[Row, ...]
    alike: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Another workload or decision to compare with."""

    title: str
    note: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """Data of the comparison page."""

    one: Side
    other: Side | None
    stages: tuple[StageRows, ...]
    #: Number of facts that differ.
    different: int
    workloads: tuple[Choice, ...]
    decisions: tuple[Choice, ...]


def comparison_page(found: Comparison, path: str, query: QueryDict, org: str) -> ComparisonPage:
    """Return the data of *found* for the page at *path* with *query*."""
    stages = tuple(_stages(found))
    return ComparisonPage(
        one=_side(found.one, org),
        other=_side(found.other, org) if found.other is not None else None,
        stages=stages,
        different=sum(len(stage.differ) for stage in stages),
        workloads=tuple(
            Choice(
                title=each.name,
                note=f"{each.state}, priority {each.priority}",
                url=with_query(path, query, **{"with": each.uid, "other": None, "cursor": None}),
            )
            for each in found.offered
        ),
        decisions=tuple(
            Choice(
                title=f"#{each.pk}",
                note=f"{each.outcome}: {reason_title(each.reason)}",
                url=with_query(path, query, **{"with": None, "other": str(each.pk)}),
            )
            for each in found.decisions
        ),
    )


def comparison_markdown(page: ComparisonPage, url: str) -> str:
    """Return the differences of *page*, which has two sides and is at *url*, as Markdown."""
    assert page.other is not None
    lines = [
        f"**{escaped(page.one.name)}** and **{escaped(page.other.name)}**. [Open it]({url})",
        "",
        *(
            f"- {escaped(side.name)}, {side.what} {at(side.at)}: {escaped(side.headline)}"
            for side in (page.one, page.other)
        ),
        "",
        *table_lines(
            ("Stage", "Fact", page.one.name, page.other.name),
            (
                (stage.title, row.what, row.one, row.other)
                for stage in page.stages
                for row in stage.differ
            ),
        ),
    ]
    return "\n".join(lines) + "\n"


def _side(side: ComparisonSide, org: str) -> Side:
    uid, decision = side.workload.uid, side.decision
    if decision is None:
        url = reverse("pages:workload", args=[org, uid])
        what = "judged" if side.explained.live else "decided"
    else:
        url = reverse("pages:decision", args=[org, uid, decision.pk])
        what = f"decision {decision.pk} of"
    return Side(
        name=side.workload.name,
        what=what,
        at=side.explained.evaluated_at,
        url=url,
        config_version=side.explained.config_version,
        headline=side.explained.explanation.headline,
        state=side.explained.trace.outcome.outcome.value,
    )


def _stages(found: Comparison) -> Iterator[StageRows]:
    for stage, rows in groupby(found.rows, key=lambda row: row.stage):
        stage_rows = list(rows)
        yield StageRows(
            title=stage_title(stage),
            differ=tuple(_row(row) for row in stage_rows if not row.is_same),
            alike=tuple(_row(row) for row in stage_rows if row.is_same),
        )


def _row(row: Compared) -> Row:
    return Row(what=row.what, one=row.one, other=row.other)
