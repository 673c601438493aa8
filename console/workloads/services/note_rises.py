"""Rises: since when queues use more than they own, kept as rows so that no page has to ask."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from console.chunks import chunks
from console.engine.state import State
from console.workloads.models import AboveNominal


def note_rises(
    org_id: int, state: State, queues: Collection[str], config_version: int, now: datetime
) -> None:
    """
    Write which of *queues* rose above nominal quota *now*, and which came down again.

    Call inside the transaction that writes the decisions, with the queues that they touched.
    """
    names = sorted(queues)
    above = {
        (name, *key)
        for name in names
        for key, used in state.usage(name).items()
        if used > state.ledger.queue(name).quota(key).nominal
    }
    known, down = set(), []
    for some in chunks(names):
        rows = AboveNominal.objects.filter(org_id=org_id, queue__in=some)
        for pk, *place in rows.values_list("pk", "queue", "flavor", "resource"):
            known.add(tuple(place))
            if tuple(place) not in above:
                down.append(pk)
    for keys in chunks(down):
        AboveNominal.objects.filter(pk__in=keys).delete()
    AboveNominal.objects.bulk_create(
        AboveNominal(
            org_id=org_id,
            queue=queue,
            flavor=flavor,
            resource=resource,
            since=now,
            config_version=config_version,
        )
        for queue, flavor, resource in sorted(above - known)
    )
