"""Totals of an organization: running, pending and rejected workloads, compared with a week ago."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from console.engine.disciplines import load_discipline
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.overview.past import DAY
from console.series.queries import Counts, CountsAt, counts_series
from console.series.waits import WaitQuantiles, quantiles
from console.workloads.queries import QueueView, state_counts
from console.workloads.queries.nodes import RUNNING
from console.workloads.transitions import TransitionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A count, now and at this time a week ago; None without data."""

    now: int
    week_ago: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The totals of an organization."""

    running: Number
    pending: Number
    #: Pending workloads that cannot run under the active config.
    cannot_run: int
    #: In the last 24 hours, from the beginning of an hour.
    rejected: Number
    #: Of the same hours.
    waits: WaitQuantiles
    #: Counts of each of these hours.
    hours: Mapping[datetime, Counts]
    #: Counts of workloads by state.
    states: Mapping[str, int]


def numbers_of(
    org: Organization, queues: Iterable[QueueView], now: datetime, week_ago: CountsAt
) -> Numbers:
    """
    Return the totals of *org* at the time *now*, and those of *week_ago*.

    *queues* are all its queues.
    """
    states = state_counts(org)
    hours = counts_series(org, since=now - DAY, until=now)
    day = Counts()
    for hour in hours.values():
        day.merge(hour)
    return Numbers(
        running=Number(now=sum(states[state] for state in RUNNING), week_ago=week_ago.running),
        pending=Number(now=states["pending"], week_ago=week_ago.pending),
        cannot_run=sum(view.cannot_run for view in queues),
        rejected=Number(
            now=day.counts[TransitionKind.REJECTED.value],
            # The old counts are complete only if workers were running at that time.
            week_ago=None if week_ago.running is None else week_ago.rejected,
        ),
        waits=quantiles(day.waits),
        hours=hours,
        states=states,
    )


def usage_of_all(policy: Policy, queues: Iterable[QueueView]) -> tuple[CapacityNode, ...]:
    """Return each flavor-resource with its total quota and use, in the order of the text."""
    nodes = (usage for view in queues for usage in view.usages)
    return load_discipline(policy.discipline).organization_nodes(policy, nodes)
