"""Rows of a batch test of workloads, for the page and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from console.configs.services.try_route import BatchRouteTest
from console.engine.explain.route_result import route_sentence
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.route_result import accepted_flavors
from console.exports import cell
from console.pages.presenters.tester.tested import starts_now
from console.pages.tester_query import TesterQuery, format_requests


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """One workload of a batch, and its result."""

    number: int
    labels: str
    namespace: str
    user: str
    #: One on each line.
    groups: str
    requested: str
    queue: str
    priority: str
    rule: str
    flavors: str
    can_ever: str
    fits_now: str
    sentence: str
    #: The test of this workload alone; empty if an address cannot contain its pod sets.
    url: str


#: Columns of the table: (field of `BatchRow`, title).
BATCH_COLUMNS = (
    ("number", "Number"),
    ("labels", "Labels"),
    ("namespace", "Namespace"),
    ("user", "User"),
    ("groups", "Groups"),
    ("requested", "Requested priority"),
    ("queue", "Queue"),
    ("priority", "Effective priority"),
    ("rule", "Rule"),
    ("flavors", "Flavors that accept it"),
    ("can_ever", "Can ever fit"),
    ("fits_now", "Fits now"),
    ("sentence", "Verdict"),
)


def batch_rows(placed: Iterable[BatchRouteTest], config: str, path: str) -> list[BatchRow]:
    """Return the rows of a batch; *path* is the path of the tester."""
    return [_batch_row(number, each, config, path) for number, each in enumerate(placed, start=1)]


def _batch_row(number: int, placed: BatchRouteTest, config: str, path: str) -> BatchRow:
    route_result, workload = placed.route_result, placed.route_result.workload
    priority = "" if workload.priority is None else str(workload.priority)
    query = TesterQuery(
        config=config,
        labels=tuple(workload.labels.items()),
        namespace=workload.namespace,
        user=workload.user,
        groups="\n".join(workload.groups),
        priority=priority,
        requests=format_requests(workload.total()),
    )
    ever = placed.fit.now is not None
    return BatchRow(
        number=number,
        labels=" ".join(f"{key}={value}" for key, value in workload.labels.items()),
        namespace=workload.namespace,
        user=workload.user,
        groups="\n".join(workload.groups),
        requested=priority,
        queue=route_result.queue or "",
        priority=str(route_result.priority) if route_result.queue is not None else "",
        rule=str(route_result.route.rule + 1) if route_result.route.rule is not None else "",
        flavors=" ".join(accepted_flavors(route_result)),
        can_ever=_yes(ever),
        fits_now=_yes(ever and starts_now(placed.fit)),
        sentence=route_sentence(route_result),
        url=path + query.to_query_string() if _is_plain(workload) else "",
    )


def _is_plain(workload: Workload) -> bool:
    """Return whether the workload has one pod set, with no other facts than its requests."""
    return workload.pod_sets == (PodSet(requests=workload.pod_sets[0].requests),)


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def batch_csv(rows: Iterable[BatchRow]) -> str:
    """Return rows as CSV with a title row; cells are escaped so that none is a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(title for _, title in BATCH_COLUMNS)
    for row in rows:
        writer.writerow(cell(getattr(row, name)) for name, _ in BATCH_COLUMNS)
    return out.getvalue()
