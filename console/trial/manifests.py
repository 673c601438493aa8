"""A trace for a product: its queues as Kueue manifests, its workloads as the API reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from console.bench.kueue.traces import FLAVOR, RESOURCE, Arrival, ArrivalTrace

_API = "kueue.x-k8s.io/v1beta2"


def manifests(trace: ArrivalTrace) -> str:
    """Return the config: one flavor, the cohorts' ClusterQueues, and a LocalQueue for each."""
    return yaml.safe_dump_all(_objects(trace), default_flow_style=None, sort_keys=False)


def body(arrival: Arrival) -> dict[str, Any]:
    """Return what to submit; its name is the id that the trace gave it."""
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
                        # A copy, for YAML would make references of one object.
                        "flavors": [{"name": FLAVOR, "resources": [dict(quota)]}],
                    }
                ],
            },
        )
        yield _object("LocalQueue", {"name": queue, "namespace": queue}, {"clusterQueue": queue})


def _object(kind: str, metadata: dict[str, str], spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": _API, "kind": kind, "metadata": metadata, "spec": spec}
