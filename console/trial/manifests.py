"""A trace as input of the product: queues as Kueue manifests, workloads as request bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from console.bench.kueue.traces import FLAVOR, RESOURCE, Arrival, ArrivalTrace

_API = "kueue.x-k8s.io/v1beta2"


def manifests(trace: ArrivalTrace) -> str:
    """Return the config: one flavor, and a ClusterQueue and LocalQueue for each queue."""
    return yaml.safe_dump_all(_objects(trace), default_flow_style=None, sort_keys=False)


def body(arrival: Arrival) -> dict[str, Any]:
    """Return the request body of a workload; its name is its id in the trace."""
    return {
        "name": arrival.workload.id,
        "namespace": arrival.workload.namespace,
        "tags": dict(arrival.workload.labels),
        "priority": arrival.kind.priority,
        "requests": {RESOURCE: arrival.kind.cpu},
    }


def _objects(trace: ArrivalTrace) -> Iterator[dict[str, Any]]:
    yield _object("ResourceFlavor", {"name": FLAVOR}, {})
    quota = {
        "name": RESOURCE,
        "nominalQuota": trace.nominal,
        "borrowingLimit": trace.borrowing_limit,
    }
    for queue, cohort in trace.queues().items():
        yield _object(
            "ClusterQueue",
            {"name": queue},
            {
                "cohortName": cohort,
                "namespaceSelector": {},
                "preemption": {
                    "reclaimWithinCohort": "Any",
                    "withinClusterQueue": "LowerPriority",
                },
                "resourceGroups": [
                    {
                        "coveredResources": [RESOURCE],
                        # A copy, because YAML would write a shared object as references.
                        "flavors": [{"name": FLAVOR, "resources": [dict(quota)]}],
                    }
                ],
            },
        )
        yield _object("LocalQueue", {"name": queue, "namespace": queue}, {"clusterQueue": queue})


def _object(kind: str, metadata: dict[str, str], spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": _API, "kind": kind, "metadata": metadata, "spec": spec}
