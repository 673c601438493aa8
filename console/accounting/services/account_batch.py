"""
Count a batch of the engine in the accounts, in the transaction that writes the batch.

An account has what its running workloads hold, `held`, and all accounts of an organization are
counted until one time, C. The sum of the hours of an account is exactly its resource-time until C:

* a change by d at the time t adds d * (C - t), negative if t is later than C, and adds d to `held`;
* a fold from C to C' adds `held` * (C' - C).

So a workload that holds d from s to e has added d * (C1 - s), then d * (C2 - C1) by folds, and in
the end -d * (C2 - e): together d * (e - s), whatever the folds and the clocks were. The same holds
for each hour, because spans have a sign.

The change of a workload is the difference of its row before and after the batch, so `held` is what
the rows of running workloads hold. Batches and folds have the engine's row locked. The clock has
the version of the engine: after a batch that was written without accounts, the next ones do not
change the accounts either, until `console.accounting.services.fold_accounts` has rebuilt them. A
batch never does, because it would read all running workloads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from console import statements
from console.accounting.amounts import DAY, HOUR
from console.accounting.held import COLUMNS, AccountKey, add_held, changed_row, uid_of
from console.accounting.models import AccountClock
from console.accounting.services.write_accounts import change_held
from console.bulk import Prepared
from console.chunks import chunks
from console.time_formats import milliseconds
from console.workloads.models import State, Workload
from console.workloads.services.batch import Batch
from console.workloads.services.batch_observers import DecidedBatch, Writes

#: The longest time in milliseconds between a batch and the last fold for which the batch corrects
#: hours. With more, no worker ran for a day or the clock of a machine is wrong, and the accounts
#: are rebuilt.
_APART: Final = DAY * HOUR

_ADVANCE: Final = (
    "UPDATE accounting_accountclock SET engine_version = %s WHERE org_id = %s "
    "AND engine_version = %s"
)
_ADVANCE_AND_READ: Final = f"{_ADVANCE} AND counted_until BETWEEN %s AND %s RETURNING counted_until"


def account_batch(decided: DecidedBatch) -> Writes:
    """Return the change of the accounts by a batch, to be written in its transaction."""
    org_id, version = decided.org.pk, decided.version
    # The times of rows of workloads. The engine's own clock never goes back: after one batch of a
    # machine whose clock is ahead, it stands still.
    at = milliseconds(decided.batch.now)
    changes = _changes(decided.batch)
    advance = (version, org_id, version - 1)
    if not changes and version > 1:
        return Writes(statements=(Prepared(_ADVANCE, (advance,)),))

    def finish() -> None:
        if version == 1:
            _begin(org_id, at)
        for (until,) in statements.rows(_ADVANCE_AND_READ, (*advance, at - _APART, at + _APART)):
            change_held(org_id, changes, at, until)

    return Writes(finish=finish)


def _begin(org_id: int, at: int) -> None:
    """Begin to count, unless a fold has; nothing was held before the first batch."""
    clock = AccountClock(org_id=org_id, engine_version=0, since=at, counted_until=at)
    AccountClock.objects.bulk_create([clock], ignore_conflicts=True)


def _changes(batch: Batch) -> Counter[AccountKey]:
    """Return the change of what each account holds by *batch*, whose rows are not written yet."""
    changes: Counter[AccountKey] = Counter()
    for some in chunks(_changed(batch)):
        rows = Workload.objects.filter(uid__in=some).values_list(*COLUMNS)
        for row in rows:
            add_held(changes, row, -1)
            add_held(changes, changed_row(row, batch.updates[uid_of(row)]))
    return Counter({key: amount for key, amount in changes.items() if amount})


def _changed(batch: Batch) -> Iterator[str]:
    """Yield the ids of the workloads that held quota before or after *batch*, and maybe others."""
    for uid, update in batch.updates.items():
        # A workload that is submitted in this batch held nothing before; others that are pending or
        # rejected held nothing either, unless they are released in this batch.
        if uid in batch.submitted:
            is_changed = bool(update.get("assignment"))
        else:
            is_waiting = update.get("state") in (State.PENDING, State.REJECTED)
            is_changed = uid in batch.requeued or not is_waiting
        if is_changed:
            yield uid
