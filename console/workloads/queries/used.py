"""What runs in queues, as the worker counted it, and what that uses of each flavor-resource."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from console.chunks import chunks
from console.engine.model.amounts import FlavorResource
from console.orgs.models import Organization
from console.workloads.models import QueueCount, Usage
from console.workloads.stored_texts import as_text


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
        # As text, which it is stored as: a converter for each of thousands of rows costs more.
        columns = ("queue", "flavor", "resource", as_text("used"))
        for queue, flavor, resource, amount in part.values_list(*columns):
            used.setdefault(queue, {})[flavor, resource] = int(amount)
    return used


def counts_of_running(org: Organization, queues: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield how many workloads run in each of *queues*."""
    for some in chunks(queues):
        rows = QueueCount.objects.filter(org=org, queue__in=some)
        yield from rows.values_list("queue", "running")
