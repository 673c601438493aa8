"""Select the requests that an engine applies next."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from console import statements
from console.workloads.models import Intake

#: Requests that release quota. Their workloads were applied long before.
_RETURNING: Final = (Intake.Kind.FINISH, Intake.Kind.RELEASE)

#: Number of requests that are read at once with payloads; mostly there are fewer.
_FEW: Final = 20

_FIRST: Final = """SELECT id, kind, payload, size, created_at FROM workloads_intake
    WHERE org_id = %s ORDER BY id LIMIT %s
"""


def next_intake(org_id: int, most: int, returned: int) -> tuple[list[Intake], bool]:
    """
    Return the requests to apply next, and whether these are all; in order if there are few.

    Otherwise, requests that release quota come first: behind a backlog of submissions, finished
    workloads would use their quota until the last submission is decided, and cause preemptions.
    The first part is for at most *returned* workloads, the second for at most *most*, or for the
    first request if that has more. So neither part delays the other.
    """
    found = statements.rows(_FIRST, [org_id, _FEW], is_replanned=True)
    few = [_intake(org_id, row) for row in found]
    if len(few) < _FEW and sum(row.size for row in few) <= most:
        return few, True
    waiting = Intake.objects.filter(org_id=org_id).order_by("pk")
    # Without payloads, which may have megabytes in a backlog.
    rows = list(waiting.values_list("pk", "kind", "size")[:most])
    returning = [row for row in rows if row[1] in _RETURNING]
    if len(rows) == most:
        back = waiting.filter(kind__in=_RETURNING)
        returning = list(back.values_list("pk", "kind", "size")[:returned])
    # No filter on the organization: SQLite would not use the keys.
    by_key = Intake.objects.order_by("pk")
    early = list(by_key.filter(pk__in=_up_to(returned, returning)))
    if early:
        # Requests about a workload that is withdrawn stay after its withdrawal.
        withdrawals = waiting.filter(kind=Intake.Kind.WITHDRAW)
        named = {key for row in withdrawals for key in row.payload["ids"]}
        early = [row for row in early if named.isdisjoint(row.payload["ids"])]
    taken = {row.pk for row in early}
    others = _up_to(most, (row for row in rows if row[0] not in taken))
    return [*early, *by_key.filter(pk__in=others)], False


def _up_to(most: int, rows: Iterable[tuple[int, str, int]]) -> list[int]:
    taken: list[int] = []
    total = 0
    for key, _, size in rows:
        if taken and total + size > most:
            break
        taken.append(key)
        total += size
    return taken


def _intake(org_id: int, row: tuple[Any, ...]) -> Intake:
    key, kind, payload, size, created_at = row
    return Intake(
        pk=key,
        org_id=org_id,
        kind=kind,
        payload=json.loads(payload),
        size=size,
        created_at=statements.as_utc(created_at),
    )
