"""
Needs attention: everything that wants somebody, the gravest first.

It is read from rows that workers keep and from bounded looks: as many queries and nearly
the same time however many workloads there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from console.orgs.models import Organization
from console.overview.changes import config_items
from console.overview.items import Item
from console.overview.machinery import token_items, webhook_items, worker_items
from console.overview.work import work_items
from console.workloads.queries.queues import QueueView


def attention(
    org: Organization, queues: Sequence[QueueView], now: datetime, *, manages: bool
) -> tuple[Item, ...]:
    """
    Return what wants somebody in *org*, whose queues are *queues*, at the moment *now*.

    *manages*: for somebody who manages webhooks and tokens, too.
    """
    items = [*worker_items(org, now), *config_items(org), *work_items(org, queues, now)]
    if manages:
        items += [*webhook_items(org, now), *token_items(org, now)]
    return tuple(sorted(items, key=lambda item: item.gravity))
