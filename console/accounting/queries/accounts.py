"""Resource-time of an organization by queue, user, project, flavor or label, over a time range."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import F, Q

from console.accounting.amounts import HOUR, by_hour, time_of
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.sums import sum_of, summed
from console.accounting.window import AccountWindow
from console.engine.model.amounts import UNLIMITED, Amount, Unlimited, decode_amount
from console.errors import BadRequest, FieldError
from console.label_values import label_value
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.read_snapshots import read_snapshot
from console.series.models import Kind, QuotaLine
from console.time_formats import milliseconds

#: What accounts can be broken down by, besides labels.
DIMENSIONS: Final = ("queue", "user", "project", "flavor")
LABEL: Final = "label."

#: Maximum number of values with a series of their own; the others are added up.
MOST_SERIES: Final = 12

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

    def share(self, used: Used, resource: str) -> float | None:
        """Return the share of one of the values in the use of *resource*; None without use."""
        total = self.totals.get(resource, 0)
        return round(used.amounts.get(resource, 0) / total, 4) if total else None


def is_gpu(resource: str) -> bool:
    """Return whether the name of a resource says that it is a GPU."""
    return "gpu" in resource.lower()


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

    *resource* orders the values; the default is the first resource, GPUs first. Raises NotAllowed,
    or BadRequest for an unknown dimension.
    """
    actor.require(Permission.READ)
    check_dimension(by)
    with read_snapshot():
        read = _read(actor.org, by, window, now)
    totals: defaultdict[str, int] = defaultdict(int)
    of_value: defaultdict[str | None, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for (value, name, _), amount in read.amounts.items():
        of_value[value][name] += amount
        totals[name] += amount
    quotas = _quotas(actor.org, by, window, read.since, now)
    quota = quotas.pop(None, {})
    names = sorted(
        {name for name, amount in totals.items() if amount} | quota.keys(),
        key=lambda name: (not is_gpu(name), name),
    )
    chosen = resource or next(iter(names), None)
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
    series = _series(read.amounts, window, chosen, first)
    other = series.pop()
    return Accounts(
        window=window,
        counted_since=None if read.since is None else time_of(read.since),
        resources=tuple(names),
        resource=chosen,
        totals=totals,
        quota=quota,
        values=tuple(values),
        series=tuple(tuple(each) for each in series),
        other=tuple(other) if len(values) > MOST_SERIES else None,
    )


def label_keys(actor: Actor) -> list[str]:
    """Return the label keys of accounts, most frequent first, of a limited number of accounts."""
    actor.require(Permission.READ)
    counts: defaultdict[str, int] = defaultdict(int)
    newest = Account.objects.filter(org=actor.org).order_by("-pk")
    for labels in newest.values_list("labels", flat=True)[:1000]:
        for key in labels:
            counts[key] += 1
    return sorted(counts, key=lambda key: (-counts[key], key))[:50]


#: Resource-time by value, resource and first hour of a step.
_Amounts = Mapping[tuple[str | None, str, int], int]


class _Read(NamedTuple):
    since: int | None
    amounts: _Amounts


def _read(org: Organization, by: str, window: AccountWindow, now: datetime) -> _Read:
    """Read hours, and what is held since they were counted; call it in a `read_snapshot`."""
    clock = AccountClock.objects.filter(pk=org.pk).first()
    if clock is None:
        return _Read(None, {})
    amounts: defaultdict[tuple[str | None, str, int], int] = defaultdict(int)
    for value, resource, bucket, amount in _counted(org, by, window):
        amounts[value, resource, bucket] += amount
    for value, resource, bucket, amount in _still_held(
        org, by, window, clock.counted_until, milliseconds(now)
    ):
        amounts[value, resource, bucket] += amount
    return _Read(clock.since, {key: amount for key, amount in amounts.items() if amount})


_Part = tuple[str | None, str, int, int]


def _counted(org: Organization, by: str, window: AccountWindow) -> Iterator[_Part]:
    rows = AccountedHour.objects.filter(org=org, hour__gte=window.since, hour__lt=window.until)
    label = by.removeprefix(LABEL)
    groups = rows.annotate(
        step=(F("hour") - window.since) / window.length,
        value=label_value("account__labels", label) if label != by else F(f"account__{by}"),
    ).values_list("step", "value", "account__resource")
    for step, value, resource, *parts in summed(groups):
        yield value or None, resource, window.since + step * window.length, sum_of(*parts)


def _still_held(
    org: Organization, by: str, window: AccountWindow, counted_until: int, now: int
) -> Iterator[_Part]:
    parts = [
        (window.since + (hour - window.since) // window.length * window.length, duration)
        for hour, duration in by_hour(counted_until, now)
        if window.since <= hour < window.until
    ]
    if not parts:
        return
    rows = Account.objects.filter(org=org).exclude(held=0)
    label = by.removeprefix(LABEL)
    is_label = by.startswith(LABEL)
    for found, resource, held in rows.values_list("labels" if is_label else by, "resource", "held"):
        value = found.get(label) if is_label else found
        for start, duration in parts:
            yield value or None, resource, start, held * duration


def _series(
    amounts: _Amounts, window: AccountWindow, chosen: str | None, first: Iterable[str | None]
) -> list[list[int]]:
    """Return the resource-time of each of the *first* values for each step, and of the others."""
    place = {value: index for index, value in enumerate(first)}
    steps = {start: index for index, start in enumerate(window.starts)}
    series = [[0] * len(steps) for _ in range(len(place) + 1)]
    for (value, resource, start), amount in amounts.items():
        if resource == chosen:
            series[place.get(value, len(place))][steps[start]] += amount
    return series


def _quotas(
    org: Organization, by: str, window: AccountWindow, since: int | None, now: datetime
) -> dict[str | None, dict[str, Amount]]:
    """
    Return the nominal quota times its time: of the organization (None), and of queues if needed.

    Only the time that is counted counts, so that use and quota can be compared.
    """
    found: dict[str | None, dict[str, Amount]] = {}
    if since is None:
        return found
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
