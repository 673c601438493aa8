"""Response bodies of workload groups."""

from __future__ import annotations

from typing import Any

from console.workloads.queries.groups import Grouped


def groups_answer(by: str, found: Grouped) -> dict[str, Any]:
    """Return the counts of workloads by group."""
    return {
        "group_by": by,
        "groups": [{"value": group.value, "count": group.count} for group in found.groups],
        "is_exact": found.is_exact,
        "is_cut": found.is_cut,
    }
