"""Response bodies of queues."""

from __future__ import annotations

from typing import Any

from console.api.answers.configs import range_answer
from console.api.answers.times import time_answer
from console.engine.model.amounts import amount_to_number
from console.engine.model.capacity_node import CapacityNode
from console.series.waits import WaitQuantiles
from console.workloads.queries import QueueView


def queue_answer(queue: QueueView, waits: WaitQuantiles) -> dict[str, Any]:
    """Return a queue with its counts and usage, and *waits*, the quantiles of the last day."""
    pressure = queue.pressure
    return {
        "name": queue.name,
        "cohort": queue.cohort,
        "passthrough": queue.passthrough,
        "draining": queue.draining,
        "successor": queue.successor,
        "held": {
            "reason": queue.held.reason,
            "actor": queue.held.actor,
            "since": time_answer(queue.held.since),
            "until": time_answer(queue.held.until),
        }
        if queue.held
        else None,
        "stop": queue.stop.value,
        "strategy": queue.strategy.value,
        "counts": {
            "running": queue.running,
            "pending": queue.pending,
            "cannot_run": queue.cannot_run,
        },
        "oldest_pending": time_answer(queue.oldest_pending),
        "reasons": dict(queue.reasons),
        "waits": {"p50": waits.p50, "p95": waits.p95, "count": waits.n},
        "pressure": {
            "resource": pressure.resource,
            "wanted": amount_to_number(pressure.wanted),
            "free": amount_to_number(pressure.free),
        }
        if pressure.wanted
        else None,
        "rules": list(queue.rules),
        "range": range_answer(queue.origin),
        "usage": [usage_answer(usage) for usage in queue.usages],
    }


def usage_answer(usage: CapacityNode) -> dict[str, Any]:
    """Return one flavor-resource with its used, borrowed and lent quota."""
    return {
        "flavor": usage.flavor,
        "resource": usage.resource,
        "nominal": amount_to_number(usage.guaranteed),
        "used": amount_to_number(usage.used),
        "borrowed": amount_to_number(usage.borrowed),
        "over": amount_to_number(usage.over),
        "lent": amount_to_number(usage.lent),
        "available": amount_to_number(usage.available),
        "limit": amount_to_number(usage.limit),
        "demand": amount_to_number(usage.demand),
        "cannot_run_demand": amount_to_number(usage.cannot_run_demand),
    }
