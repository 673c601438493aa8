"""Rows of the page of fair shares: one resource of every queue, drawn on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from console.engine.disciplines.share_report import QueueShares, ShareLine, ShareReport
from console.engine.model.amounts import SCALE, Amount, Unlimited, format_amount
from console.engine.wording.words import quantity, resource_name
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.quota_bars.layout import NOTHING, WIDTH, Segment
from console.workloads.queries.shares import Shares


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceChoice:
    """A resource whose numbers the page may show."""

    title: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRow:
    """One queue with its numbers of one resource."""

    queue: QueueShares
    line: ShareLine
    #: With the requested change; None: none was requested.
    changed: ShareLine | None
    #: How the fair share would change, such as "+2"; "" if it would not.
    difference: str
    dominant_share: str
    #: The drawing: the fair share, what is used of it, and what is used above it.
    share: Segment
    used: Segment
    above: Segment
    #: The quota, and the fair share with the change; not drawn with position 0.
    quota: Segment
    other_share: Segment
    sentence: str
    #: Id of the row, independent of the order.
    key: str

    @property
    def weight(self) -> str:
        """The weight as text."""
        return format_amount(self.line.weight)


def shown_resource(report: ShareReport, wanted: str) -> str:
    """Return the resource to show: *wanted* if the report has it, or else the last offered one."""
    if wanted in report.total:
        return wanted
    offered = [name for name, amount in report.total.items() if amount]
    return offered[-1] if offered else list(report.total)[-1]


def resource_choices(
    report: ShareReport, path: str, query: QueryDict, shown: str
) -> tuple[ResourceChoice, ...]:
    """Return the links to the resources."""
    return tuple(
        ResourceChoice(
            title=resource_name(name),
            url=with_query(path, query, show=name, cursor=None),
            is_current=name == shown,
        )
        for name in report.total
    )


def share_rows(
    shares: Shares, queues: Sequence[QueueShares], resource: str
) -> tuple[ShareRow, ...]:
    """Return the rows of *queues*, all on the scale of the largest amount of any queue."""
    changed = {
        each.name: each.by_resource[resource]
        for each in (shares.changed.queues if shares.changed is not None else ())
    }
    scale = _scale(shares.report, changed, resource)
    return tuple(
        _row(each, each.by_resource[resource], changed.get(each.name), scale) for each in queues
    )


def _scale(report: ShareReport, changed: Mapping[str, ShareLine], resource: str) -> int:
    amounts = [report.total[resource], 1]
    for queue in report.queues:
        line = queue.by_resource[resource]
        amounts += [line.used, line.fair_share]
    amounts += [line.fair_share for line in changed.values()]
    return max(amounts)


def _row(queue: QueueShares, line: ShareLine, changed: ShareLine | None, scale: int) -> ShareRow:
    def length(amount: Amount) -> int:
        part = scale if isinstance(amount, Unlimited) else max(0, min(amount, scale))
        return part * WIDTH // scale

    inside = min(line.used, line.fair_share)
    difference = changed.fair_share - line.fair_share if changed is not None else 0
    sign = "+" if difference > 0 else "−"
    used, share = (quantity(each, line.resource) for each in (line.used, line.fair_share))
    noun = resource_name(line.resource)
    return ShareRow(
        queue=queue,
        line=line,
        changed=changed,
        difference=f"{sign}{quantity(abs(difference), line.resource)}" if difference else "",
        dominant_share=f"{queue.dominant_share * 100 / SCALE:.0f} %",
        share=Segment(0, length(line.fair_share)),
        used=Segment(0, length(inside)),
        above=Segment(length(inside), length(line.used) - length(inside)),
        quota=NOTHING
        if isinstance(line.quota, Unlimited) or not line.quota
        else Segment(length(line.quota), 0),
        other_share=Segment(length(changed.fair_share), 0) if difference and changed else NOTHING,
        sentence=f"{queue.name} uses {used} {noun}, its fair share is {share}",
        key=queue.name.encode().hex(),
    )
