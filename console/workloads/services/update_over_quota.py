"""Update the rows of queues that use more than their nominal quota, with the time since when."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from console.chunks import chunks
from console.engine.state import State
from console.workloads.models import OverQuota


@dataclass(slots=True)
class OverQuotaRows:
    """Cached rows of one organization; only its engine writes them, and it reads them once."""

    org_id: int
    #: Keys of the rows by flavor and resource, by queue; None until they are read.
    _rows: dict[str, dict[tuple[str, str], int]] | None = field(default=None, init=False)

    def update(
        self, state: State, queues: Collection[str], config_version: int, now: datetime
    ) -> None:
        """
        Write which of *queues* exceed their nominal quota since *now*, and which no longer do.

        Call this in the transaction that writes the decisions, with the changed queues. If the
        transaction fails, this object is invalid.
        """
        rows = self._rows = self._read() if self._rows is None else self._rows
        risen, down = [], []
        for name in sorted(queues):
            known = rows.get(name, {})
            above = _above(state, name)
            down += [known.pop(place) for place in known.keys() - above]
            risen += [
                OverQuota(
                    org_id=self.org_id,
                    queue=name,
                    flavor=flavor,
                    resource=resource,
                    since=now,
                    config_version=config_version,
                )
                for flavor, resource in sorted(above - known.keys())
            ]
        for keys in chunks(down):
            OverQuota.objects.filter(pk__in=keys).delete()
        for row in OverQuota.objects.bulk_create(risen) if risen else ():
            rows.setdefault(row.queue, {})[row.flavor, row.resource] = row.pk

    def _read(self) -> dict[str, dict[tuple[str, str], int]]:
        rows: dict[str, dict[tuple[str, str], int]] = {}
        found = OverQuota.objects.filter(org_id=self.org_id)
        for pk, queue, flavor, resource in found.values_list("pk", "queue", "flavor", "resource"):
            rows.setdefault(queue, {})[flavor, resource] = pk
        return rows


def _above(state: State, queue: str) -> set[tuple[str, str]]:
    """Return the flavor-resources of which *queue* uses more than its guaranteed amount."""
    return {
        key
        for key, used in state.usage(queue).items()
        if used > state.ledger.queue(queue).guaranteed(key)
    }
