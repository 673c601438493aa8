"""Response bodies of users and groups with what they use in each queue."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from console.engine.disciplines.hierarchy.user_report import HolderUse, LevelLine
from console.engine.model.amounts import amount_to_number


def holder_answer(holder: HolderUse) -> dict[str, Any]:
    """Return one user or group."""
    tightest = holder.tightest
    return {
        "name": holder.name,
        "kind": "group" if holder.is_group else "user",
        "tightest": None if tightest is None else {"queue": tightest.queue, **_line(tightest)},
        "queues": [
            {"queue": queue, "lines": [_line(each) for each in lines]}
            for queue, lines in groupby(holder.lines, key=lambda each: each.queue)
        ],
    }


def _line(line: LevelLine) -> dict[str, Any]:
    if not line.resource:
        return {"resource": None, "used": line.used, "limit": line.limit}
    limit = None if line.limit is None else amount_to_number(line.limit)
    return {"resource": line.resource, "used": amount_to_number(line.used), "limit": limit}
