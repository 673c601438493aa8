"""Sample config in which two teams share a cohort, and workloads for it."""

from __future__ import annotations

from typing import Any

from console.dialects import dialects

#: vision owns 16 reserved GPUs and speech 8; the cohort research owns 8 on spot.
TWO_TEAMS = dialects()["kueue"].samples()["Two teams share one cohort"]


def gpus(team: str, name: str, count: int, priority: str = "experiment") -> dict[str, Any]:
    """Return a workload of a team that requests GPUs of the reserved nodes only."""
    return {
        "name": name,
        "namespace": team,
        "tags": {
            "kueue.x-k8s.io/queue-name": "training",
            "kueue.x-k8s.io/priority-class": priority,
        },
        "pod_sets": [
            {
                "name": "main",
                "count": 1,
                "requests": {"nvidia.com/gpu": count},
                "node_selector": {"capacity": "reserved"},
            }
        ],
    }
