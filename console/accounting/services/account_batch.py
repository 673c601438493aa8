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
the version of the engine: if a batch was written without accounts, the accounts are rebuilt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from console.accounting.held import COLUMNS, AccountKey, add_held, changed_row, uid_of
from console.accounting.models import AccountClock
from console.accounting.services.write_accounts import change_held, rebuild
from console.chunks import chunks
from console.workloads.models import State, Workload
from console.workloads.services.batch import Batch
from console.workloads.services.batch_observers import DecidedBatch, Writes


def account_batch(decided: DecidedBatch) -> Writes:
    """Return the change of the accounts by a batch, to be written in its transaction."""
    org_id, version, at = decided.org.pk, decided.version, decided.state.now
    changes = _changes(decided.batch)

    def finish() -> None:
        clocks = AccountClock.objects.filter(pk=org_id, engine_version=version - 1)
        if not clocks.update(engine_version=version):
            rebuild(org_id, at, version)
        elif changes:
            until = AccountClock.objects.values_list("counted_until", flat=True).get(pk=org_id)
            change_held(org_id, changes, at, until)

    return Writes(finish=finish)


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
