"""Resource-time of an organization by queue, user, project, flavor or label, over a time range."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Q

from console.accounting.amounts import HOUR, time_of
from console.accounting.models import AccountClock, AccountedHour
from console.accounting.queries.read_hours import LABEL, HourReader
from console.accounting.window import AccountWindow
from console.engine.model.amounts import UNLIMITED, Amount, Unlimited, decode_amount
from console.engine.wording.words import is_gpu
from console.errors import BadRequest, FieldError
from console.expensive import Kind as ExpensiveKind
from console.expensive import expensive
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.read_snapshots import read_snapshot
from console.series.models import Kind, QuotaLine
from console.time_formats import milliseconds

#: What accounts can be broken down by, besides labels.
DIMENSIONS: Final = ("queue", "user", "project", "flavor")

#: Maximum number of values with a series of their own; the others are added up.
MOST_SERIES: Final = 12

#: Maximum number of hours of accounts that are read without a place: about a tenth of a second.
_MOST_CHEAP: Final = 50_000

#: Characters of a label key, as in filters of workloads.
_LONGEST_KEY: Final = 500


class Used(NamedTuple):
    """The resource-time of one value, by resource, in thousandths times milliseconds."""

    #: None: workloads without such a value.
    value: str | None
    amounts: Mapping[str, int]
    #: The nominal quota of a queue in the same unit; no entry for a resource without quota.
    quota: Mapping[str, Amount]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Resource-time over a time range, in thousandths times milliseconds."""

    window: AccountWindow
    #: Start of counting; None if nothing was counted yet.
    counted_since: datetime | None
    #: All resources that were used or have a quota, GPUs first.
    resources: tuple[str, ...]
    #: The resource by which values are ordered; None without resources.
    resource: str | None
    totals: Mapping[str, int]
    #: Nominal quota of the organization; no entry for a resource without quota.
    quota: Mapping[str, Amount]
    #: All values, the largest consumer of *resource* first.
    values: tuple[Used, ...]
    #: Resource-time of *resource* for each step, of the first `MOST_SERIES` values.
    series: tuple[tuple[int, ...], ...]
    #: The same of all other values together; None without others.
    other: tuple[int, ...] | None

    def idle(self, resource: str) -> int | None:
        """Return the quota of *resource* that was not used; None without a finite quota."""
        quota = self.quota.get(resource)
        if quota is None or isinstance(quota, Unlimited):
            return None
        return max(0, quota - self.totals.get(resource, 0))

    def quota_of(self, used: Used, by: str, resource: str) -> Amount | None:
        """Return the quota that one of the values is compared with: of a queue its own, or all."""
        return (used.quota if by == "queue" else self.quota).get(resource)

    def share(self, used: Used, resource: str) -> float | None:
        """Return the share of one of the values in the use of *resource*; None without use."""
        total = self.totals.get(resource, 0)
        return round(used.amounts.get(resource, 0) / total, 4) if total else None


def check_dimension(by: str) -> str:
    """Return *by*; raise BadRequest if accounts cannot be broken down by it."""
    key = by.removeprefix(LABEL)
    is_label = by.startswith(LABEL) and 0 < len(key) <= _LONGEST_KEY
    if by not in DIMENSIONS and not is_label:
        choices = ", ".join(DIMENSIONS)
        message = f"by has to be one of: {choices}, or label. and the key of a label."
        raise BadRequest([FieldError("by", "invalid_choice", message)])
    return by


def accounts(
    actor: Actor, by: str, window: AccountWindow, now: datetime, resource: str | None = None
) -> Accounts:
    """
    Return the resource-time in *window* until *now* by a dimension or label.

    *resource* orders the values; the default is the first resource, GPUs first, also instead of one
    that does not occur. Raises NotAllowed, BadRequest for an unknown dimension, and
    TooManyQuestions if many hours are read and no place is free.
    """
    actor.require(Permission.READ)
    check_dimension(by)
    org = actor.org
    hours = AccountedHour.objects.filter(org=org, hour__gte=window.since, hour__lt=window.until)
    is_long = hours[: _MOST_CHEAP + 1].count() > _MOST_CHEAP
    place = expensive(ExpensiveKind.USAGE, org.pk, actor.key) if is_long else nullcontext()
    with place, read_snapshot():
        clock = AccountClock.objects.filter(pk=org.pk).first()
        if clock is None:
            return _nothing(window)
        reader = HourReader(org=org, by=by, window=window, clock=clock, now=now)
        return _accounts(reader, resource)


def _nothing(window: AccountWindow) -> Accounts:
    return Accounts(
        window=window,
        counted_since=None,
        resources=(),
        resource=None,
        totals={},
        quota={},
        values=(),
        series=(),
        other=None,
    )


def _accounts(reader: HourReader, resource: str | None) -> Accounts:
    window, since = reader.window, reader.clock.since
    totals: defaultdict[str, int] = defaultdict(int)
    of_value: defaultdict[str | None, dict[str, int]] = defaultdict(dict)
    for (value, name), amount in reader.totals().items():
        if amount:
            of_value[value][name] = amount
            totals[name] += amount
    quotas = _quotas(reader.org, reader.by, window, since, reader.now)
    quota = quotas.pop(None, {})
    names = sorted(
        {name for name, amount in totals.items() if amount} | quota.keys(),
        key=lambda name: (not is_gpu(name), name),
    )
    chosen = resource if resource in names else next(iter(names), None)
    values = sorted(
        (
            Used(
                value,
                {name: amounts[name] for name in names if amounts.get(name)},
                quotas.get(value, {}),
            )
            for value, amounts in of_value.items()
        ),
        key=lambda each: (-each.amounts.get(chosen or "", 0), each.value is None, each.value or ""),
    )
    first = [each.value for each in values[:MOST_SERIES]]
    series = reader.series(chosen, first) if chosen is not None and first else []
    other: tuple[int, ...] | None = None
    if chosen is not None and len(values) > MOST_SERIES:
        of_first = map(sum, zip(*series, strict=True))
        of_all = reader.steps(chosen)
        other = tuple(every - few for every, few in zip(of_all, of_first, strict=True))
    return Accounts(
        window=window,
        counted_since=time_of(since),
        resources=tuple(names),
        resource=chosen,
        totals=totals,
        quota=quota,
        values=tuple(values),
        series=tuple(map(tuple, series)),
        other=other,
    )


def _quotas(
    org: Organization, by: str, window: AccountWindow, since: int, now: datetime
) -> dict[str | None, dict[str, Amount]]:
    """
    Return the nominal quota times its time: of the organization (None), and of queues if needed.

    Only the time that is counted counts, so that use and quota can be compared.
    """
    found: dict[str | None, dict[str, Amount]] = {}
    begin = max(since, window.since * HOUR)
    end = min(milliseconds(now), window.until * HOUR)
    kinds = [Kind.ORG, Kind.QUEUE] if by == "queue" else [Kind.ORG]
    rows = QuotaLine.objects.filter(
        Q(until=None) | Q(until__gt=time_of(begin)),
        org=org,
        kind__in=[kind.value for kind in kinds],
        since__lt=time_of(max(begin, end)),
    )
    for kind, name, first, last, quotas in rows.values_list(
        "kind", "name", "since", "until", "quotas"
    ):
        length = min(end, milliseconds(last) if last else end) - max(begin, milliseconds(first))
        if length <= 0:
            continue
        of_subject = found.setdefault(name if kind == Kind.QUEUE else None, {})
        for _, resource, nominal, _ in quotas:
            of_subject[resource] = _plus(
                of_subject.get(resource, 0), decode_amount(nominal), length
            )
    return found


def _plus(sum_: Amount, nominal: Amount, length: int) -> Any:
    if isinstance(sum_, Unlimited) or isinstance(nominal, Unlimited):
        return UNLIMITED
    return sum_ + nominal * length
