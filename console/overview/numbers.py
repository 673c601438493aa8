"""The numbers of an organization: what runs, waits and was rejected, against a week ago."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.overview.past import DAY
from console.series.queries import Counts, CountsAt, counts_series
from console.series.waits import WaitQuantiles, quantiles
from console.workloads.happenings import What
from console.workloads.queries import QueueView, UsageView, state_counts
from console.workloads.queries.nodes import RUNNING


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A count and what it was at this time a week ago; None when nobody looked then."""

    now: int
    week_ago: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What an organization is asked for first."""

    running: Number
    pending: Number
    #: How many of the pending in queues can never run under the active config.
    cannot_run: int
    #: In the last 24 hours, from the beginning of an hour.
    rejected: Number
    #: Of these hours too.
    waits: WaitQuantiles
    #: What happened in each of these hours.
    hours: Mapping[datetime, Counts]
    #: How many workloads are in each state.
    states: Mapping[str, int]


def numbers_of(
    org: Organization, queues: Iterable[QueueView], now: datetime, week_ago: CountsAt
) -> Numbers:
    """
    Return the numbers of *org* at the moment *now*, and what they were a *week_ago*.

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
            now=day.counts[What.REJECTED.value],
            # What was counted then is only all if somebody was there to count.
            week_ago=None if week_ago.running is None else week_ago.rejected,
        ),
        waits=quantiles(day.waits),
        hours=hours,
        states=states,
    )


def usage_of_all(policy: Policy, queues: Iterable[QueueView]) -> list[UsageView]:
    """
    Return each flavor-resource with all that is owned and used of it, in the order of the text.

    Nobody borrows from outside an organization: what is used beyond all nominal quota is over.
    """
    owned: dict[FlavorResource, Amount] = {}
    used: dict[FlavorResource, int] = {}
    demand: dict[FlavorResource, int] = {}
    cannot_run: dict[FlavorResource, int] = {}
    for usage in (usage for view in queues for usage in view.usages):
        owned[usage.key] = owned.get(usage.key, 0) + usage.nominal
        used[usage.key] = used.get(usage.key, 0) + usage.used
        demand[usage.key] = demand.get(usage.key, 0) + usage.demand
        cannot_run[usage.key] = cannot_run.get(usage.key, 0) + usage.cannot_run_demand
    for group in (group for cohort in policy.cohorts.values() for group in cohort.groups):
        for entry in group.flavors:
            for resource, quota in entry.quotas.items():
                key = entry.flavor, resource
                owned[key] = owned.get(key, 0) + quota.nominal
    return [
        _usage(key, nominal, *(amounts.get(key, 0) for amounts in (used, demand, cannot_run)))
        for key, nominal in owned.items()
    ]


def _usage(
    key: FlavorResource, nominal: Amount, used: int, demand: int, cannot_run: int
) -> UsageView:
    is_endless = isinstance(nominal, Unlimited)
    over = 0 if isinstance(nominal, Unlimited) else max(0, used - nominal)
    return UsageView(
        flavor=key[0],
        resource=key[1],
        nominal=nominal,
        used=used,
        own=used - over,
        borrowed=0,
        over=over,
        lent=0,
        is_certain=True,
        available=nominal if is_endless else max(0, nominal - used),
        limit=nominal,
        borrowing_limit=0,
        lending_limit=0,
        demand=demand,
        cannot_run_demand=cannot_run,
    )
