"""Usage of flavor-resources and numbers of running workloads by queue, from worker's rows."""

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
    Return the usage of each queue by flavor-resource; queues without usage are absent.

    With *queues*, only these are read.
    """
    used: dict[str, dict[FlavorResource, int]] = {}
    rows = Usage.objects.filter(org=org).exclude(used=0)
    parts = [rows] if queues is None else [rows.filter(queue__in=some) for some in chunks(queues)]
    for part in parts:
        # Read as the stored text: a converter for thousands of rows takes longer.
        columns = ("queue", "flavor", "resource", as_text("used"))
        for queue, flavor, resource, amount in part.values_list(*columns):
            used.setdefault(queue, {})[flavor, resource] = int(amount)
    return used


def counts_of_running(org: Organization, queues: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield the number of running workloads of each of *queues* that has a row."""
    for some in chunks(queues):
        rows = QueueCount.objects.filter(org=org, queue__in=some)
        yield from rows.values_list("queue", "running")
