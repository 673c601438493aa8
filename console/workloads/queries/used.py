"""What queues use, as the worker counted it: one row for each flavor-resource of a queue."""

from __future__ import annotations

from collections.abc import Collection

from console.chunks import chunks
from console.engine.ledger import FlavorResource
from console.orgs.models import Organization
from console.workloads.models import Usage


def used_of(
    org: Organization, queues: Collection[str] | None = None
) -> dict[str, dict[FlavorResource, int]]:
    """
    Return what each queue uses, by flavor-resource; queues that use nothing are absent.

    With *queues* only those are read.
    """
    used: dict[str, dict[FlavorResource, int]] = {}
    rows = Usage.objects.filter(org=org).exclude(used=0)
    parts = [rows] if queues is None else [rows.filter(queue__in=some) for some in chunks(queues)]
    for part in parts:
        for queue, flavor, resource, amount in part.values_list(
            "queue", "flavor", "resource", "used"
        ):
            used.setdefault(queue, {})[flavor, resource] = amount
    return used
