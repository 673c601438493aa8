"""
Attention items of an organization, the most severe first.

They are read from rows of workers and with limited queries, so number and duration of the queries
do not depend on the number of workloads.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from console.orgs.models import Organization
from console.overview.capacity_items import capacity_items
from console.overview.config_items import config_items
from console.overview.items import Item
from console.overview.system_items import token_items, webhook_items, worker_items
from console.overview.workload_items import work_items
from console.workloads.queries.queues import QueueView


def attention(
    org: Organization, queues: Sequence[QueueView], now: datetime, *, manages: bool
) -> tuple[Item, ...]:
    """
    Return the attention items of *org* with the queues *queues* at the time *now*.

    With *manages*, items about webhooks and tokens are included.
    """
    items = [
        *worker_items(org, now),
        *config_items(org),
        *work_items(org, queues, now),
        *capacity_items(org),
    ]
    if manages:
        items += [*webhook_items(org, now), *token_items(org, now)]
    return tuple(sorted(items, key=lambda item: item.gravity))
