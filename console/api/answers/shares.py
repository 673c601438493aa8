"""Response bodies of shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.engine.disciplines.share_report import QueueShares, ShareLine
from console.engine.model.amounts import amount_to_number
from console.workloads.queries.shares import Shares


def shares_answer(shares: Shares | None) -> dict[str, Any]:
    """Return the shares of all queues; nothing without shares."""
    if shares is None:
        return {"total": [], "remaining": [], "queues": []}
    changed = {each.name: each for each in shares.changed.queues} if shares.changed else {}
    return {
        "total": _amounts(shares.report.total),
        "remaining": _amounts(shares.report.remaining),
        "queues": [_queue(each, changed.get(each.name)) for each in shares.report.queues],
    }


def _amounts(amounts: Mapping[str, int]) -> list[dict[str, Any]]:
    return [
        {"resource": name, "amount": amount_to_number(amount)} for name, amount in amounts.items()
    ]


def _queue(queue: QueueShares, changed: QueueShares | None) -> dict[str, Any]:
    lines = changed.by_resource if changed is not None else {}
    return {
        "queue": queue.name,
        "parent": queue.parent,
        "depth": queue.depth,
        "has_children": queue.has_children,
        "priority": queue.priority,
        "dominant_share": amount_to_number(queue.dominant_share),
        "dominant_resource": queue.dominant_resource,
        "place": queue.place,
        "siblings": queue.siblings,
        "behind": queue.behind_queue or None,
        "behind_because": queue.behind,
        "resources": [_line(each, lines.get(each.resource)) for each in queue.lines],
        "reclaimable": [
            {
                "queue": each.queue,
                "resource": each.resource,
                "amount": amount_to_number(each.amount),
            }
            for each in queue.reclaimable
        ],
    }


def _line(line: ShareLine, changed: ShareLine | None) -> dict[str, Any]:
    return {
        "resource": line.resource,
        "quota": amount_to_number(line.quota),
        "limit": amount_to_number(line.limit),
        "weight": amount_to_number(line.weight),
        "requested": amount_to_number(line.requested),
        "used": amount_to_number(line.used),
        "non_preemptible": amount_to_number(line.non_preemptible),
        "fair_share": amount_to_number(line.fair_share),
        "guaranteed": amount_to_number(line.guaranteed),
        "surplus": amount_to_number(line.surplus),
        "rounding": amount_to_number(line.rounding),
        "changed_fair_share": amount_to_number(changed.fair_share) if changed else None,
    }
