"""Write changes of accounts; call with the engine's row locked, which serializes all writers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from django.db.models import F

from console.accounting.amounts import HOUR, RADIX, by_hour, split
from console.accounting.held import COLUMNS, HOLDING, AccountKey, held_by
from console.accounting.models import Account, AccountClock, AccountedHour
from console.bulk import add_to_rows, insert_rows, update_rows
from console.chunks import chunks
from console.workloads.models import Workload

_ACCOUNT = (
    *("org_id", "digest", "queue", "user", "project", "labels", "flavor", "resource", "held"),
)
_HOUR = ("org_id", "hour", "account_id", "high", "low")

#: Maximum number of hours that one fold writes; at least one of each account that holds quota.
_ROWS: Final = 50_000

#: Amounts in thousandths, by key of the account, and a span: from and until, in milliseconds.
Times = Iterable[tuple[int, int, int, int]]


def change_held(org_id: int, changes: Mapping[AccountKey, int], at: int, until: int) -> None:
    """
    Add *changes*, which happened *at* a time, to accounts that are counted *until* a time.

    Both times are in milliseconds. The time between them is corrected by the changes.
    """
    changes = {key: amount for key, amount in changes.items() if amount}
    if not changes:
        return
    digests = {key.digest: key for key in changes}
    accounts = _accounts(org_id, digests)
    missing = sorted(digests.keys() - accounts.keys())
    if missing:
        insert_rows(Account, _ACCOUNT, (_new(org_id, one, digests[one]) for one in missing)).run()
        accounts |= _accounts(org_id, missing)
    amounts = {digest: changes[key] for digest, key in digests.items()}
    held = ((pk, str(held + amounts[digest])) for digest, (pk, held) in sorted(accounts.items()))
    update_rows(Account, ("id", "held"), held).run()
    add_times(org_id, ((accounts[one][0], amounts[one], at, until) for one in sorted(accounts)))


def fold_towards(clock: AccountClock, until: int) -> bool:
    """
    Add what every account held since the last fold, until a time; return whether it is reached.

    With a time before the last fold, the same is taken back. One call writes a limited number of
    rows, so that the engine waits for a moment only, whatever the clock of a machine says.
    """
    holding = Account.objects.filter(org=clock.org_id).exclude(held=0).order_by("pk")
    held = list(holding.values_list("pk", "held"))
    before = clock.counted_until
    longest = max(1, _ROWS // len(held)) * HOUR if held else abs(until - before)
    after = min(max(until, before - longest), before + longest)
    # Before the start of counting, nothing was added that could be taken back.
    end = max(after, clock.since)
    for some in chunks(held):
        add_times(clock.org_id, ((pk, amount, before, end) for pk, amount in some))
    if after < before:
        _delete_zeros(clock.org_id, after // HOUR, before // HOUR)
    clock.counted_until, clock.since = after, min(clock.since, after)
    clock.save(update_fields=["counted_until", "since"])
    return after == until


def _delete_zeros(org_id: int, first: int, last: int) -> None:
    """Delete the rows of some hours from which all was taken back."""
    hours = AccountedHour.objects.filter(org=org_id, hour__gte=first, hour__lte=last)
    zeros = hours.alias(
        multiple=F("high") + F("low") / RADIX,
        rest=F("low") % RADIX,
    ).filter(multiple=0, rest=0)
    zeros.delete()


def rebuild(clock: AccountClock, version: int) -> None:
    """
    Set what every account holds to what the rows of running workloads hold, from the last fold on.

    For the start of counting, and after batches that were written without accounts, for example by
    a worker of another release. The time before counts as if nothing had changed since the fold
    before.
    """
    org_id = clock.org_id
    changes = held_by(
        row
        for state in HOLDING
        for row in Workload.objects.filter(org=org_id, state=state).values_list(*COLUMNS).iterator()
    )
    rows = Account.objects.filter(org=org_id).exclude(held=0)
    for queue, user, project, labels, flavor, resource, held in rows.values_list(*_ACCOUNT[2:]):
        canonical = json.dumps(labels, sort_keys=True)
        changes[AccountKey(queue, user, project, canonical, flavor, resource)] -= held
    change_held(org_id, changes, clock.counted_until, clock.counted_until)
    clock.engine_version = version
    clock.save(update_fields=["engine_version"])


def add_times(org_id: int, times: Times) -> None:
    """Add amounts that were held for a span of time to the hours of their accounts."""
    used: defaultdict[tuple[int, int], int] = defaultdict(int)
    for account, amount, since, until in times:
        for hour, milliseconds in by_hour(since, until):
            used[hour, account] += amount * milliseconds
    add_to_rows(
        AccountedHour,
        _HOUR,
        (
            (org_id, hour, account, *split(amount))
            for (hour, account), amount in sorted(used.items())
            if amount
        ),
        key=_HOUR[:3],
        counts=("high", "low"),
    ).run()


def _accounts(org_id: int, digests: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return key and held amount of the existing accounts, by digest."""
    found = {}
    for some in chunks(digests):
        rows = Account.objects.filter(org=org_id, digest__in=some)
        for digest, pk, held in rows.values_list("digest", "pk", "held"):
            found[digest] = pk, held or 0
    return found


def _new(org_id: int, digest: str, key: AccountKey) -> tuple[object, ...]:
    queue, user, project, labels, flavor, resource = key
    return org_id, digest, queue, user, project, json.loads(labels), flavor, resource, "0"
