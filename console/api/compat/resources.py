"""Counts and quota in the terms of the protocol: nodes, markets and resource usage."""

from __future__ import annotations

from typing import Any

from console.engine.model.amounts import Amount, amount_to_number
from console.workloads.queries.nodes import Nodes


def nodes_answer(nodes: Nodes) -> dict[str, int]:
    """Return pods as nodes; admitted pods count as running."""
    return {"running": nodes.running, "admitted": nodes.running, "pending": nodes.pending}


def market_answer(nodes: Nodes) -> dict[str, int]:
    """Return the markets of running nodes."""
    return {
        "spot": nodes.spot,
        "on_demand": nodes.on_demand,
        "unspecified": nodes.unspecified,
    }


def counts_answer(running: int, pending: int) -> dict[str, int]:
    """Return the counts of running and pending workloads."""
    return {"running": running, "pending": pending}


def usage_answer(flavor: str, resource: str, used: int, ceiling: Amount) -> dict[str, Any] | None:
    """
    Return the usage of one flavor-resource and its *ceiling*, in the resource's unit.

    Return None for an unlimited ceiling, which the protocol cannot express.
    """
    if not isinstance(ceiling, int):
        return None
    share = used / ceiling if ceiling else float(used > 0)
    return {
        "flavor": flavor,
        "resource": resource,
        "used": amount_to_number(used),
        "ceiling": amount_to_number(ceiling),
        "headroom": amount_to_number(max(0, ceiling - used)),
        "utilization": round(share, 4),
    }
