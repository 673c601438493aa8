"""Which requests an engine takes in next."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from console import statements
from console.workloads.models import Intake

#: Requests that give quota back. They speak of workloads that were taken in long before.
_RETURNING: Final = (Intake.Kind.FINISH, Intake.Kind.RELEASE)

#: Requests that are read at once, as they are: mostly there are no more of them.
_FEW: Final = 20

_FIRST: Final = """SELECT id, kind, payload, size, created_at FROM workloads_intake
    WHERE org_id = %s ORDER BY id LIMIT %s
"""


def next_intake(org_id: int, most: int, returned: int) -> tuple[list[Intake], bool]:
    """
    Return the requests to take in next, and whether these are all: in order, where they are few.

    Otherwise what gives quota back goes before everything else: behind a backlog of submissions,
    work that is done would hold its quota until the last of them is decided, and stop others. The
    one part is for up to *returned* workloads, the other for up to *most*, unless its first request
    has more: so neither can keep the other waiting.
    """
    found = statements.rows(_FIRST, [org_id, _FEW], is_replanned=True)
    few = [_intake(org_id, row) for row in found]
    if len(few) < _FEW and sum(row.size for row in few) <= most:
        return few, True
    waiting = Intake.objects.filter(org_id=org_id).order_by("pk")
    # Without payloads, of which a backlog may have megabytes.
    rows = list(waiting.values_list("pk", "kind", "size")[:most])
    returning = [row for row in rows if row[1] in _RETURNING]
    if len(rows) == most:
        back = waiting.filter(kind__in=_RETURNING)
        returning = list(back.values_list("pk", "kind", "size")[:returned])
    # The organization need not be said again: it would lead SQLite away from the keys.
    by_key = Intake.objects.order_by("pk")
    early = list(by_key.filter(pk__in=_up_to(returned, returning)))
    if early:
        # Intake about a withdrawn workload stays behind the withdrawal.
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
