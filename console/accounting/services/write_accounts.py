"""Write changes of accounts; call with the engine's row locked, which serializes all writers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping

from console.accounting.amounts import by_hour, split
from console.accounting.held import COLUMNS, HOLDING, AccountKey, held_by
from console.accounting.models import Account, AccountClock, AccountedHour
from console.bulk import add_to_rows, insert_rows, update_rows
from console.chunks import chunks
from console.workloads.models import Workload

_ACCOUNT = (
    *("org_id", "digest", "queue", "user", "project", "labels", "flavor", "resource", "held"),
)
_HOUR = ("org_id", "hour", "account_id", "high", "low")

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


def fold_until(clock: AccountClock, now: int) -> None:
    """Add what every account held since the last fold until *now*; an earlier time does nothing."""
    if now <= clock.counted_until:
        return
    holding = Account.objects.filter(org=clock.org_id).exclude(held=0).order_by("pk")
    for some in chunks(list(holding.values_list("pk", "held"))):
        add_times(clock.org_id, ((pk, held, clock.counted_until, now) for pk, held in some))
    clock.counted_until = now
    clock.save(update_fields=["counted_until"])


def rebuild(org_id: int, at: int, version: int) -> None:
    """
    Set what every account holds to what the rows of running workloads hold, from *at* on.

    For the start of counting, and after batches that were written without accounts, by a worker
    of another release. The time before counts as if nothing had changed since the last fold.
    """
    clock = AccountClock.objects.filter(pk=org_id).first()
    if clock is None:
        clock = AccountClock(org_id=org_id, engine_version=version, since=at, counted_until=at)
        clock.save(force_insert=True)
    fold_until(clock, at)
    changes = held_by(
        row
        for state in HOLDING
        for row in Workload.objects.filter(org=org_id, state=state).values_list(*COLUMNS)
    )
    rows = Account.objects.filter(org=org_id).exclude(held=0)
    for queue, user, project, labels, flavor, resource, held in rows.values_list(*_ACCOUNT[2:]):
        canonical = json.dumps(labels, sort_keys=True)
        changes[AccountKey(queue, user, project, canonical, flavor, resource)] -= held
    change_held(org_id, changes, clock.counted_until, clock.counted_until)
    AccountClock.objects.filter(pk=org_id).update(engine_version=version)


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
