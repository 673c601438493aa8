"""
Generator of a Kueue sample: 40 queues in five nested cohorts, as kubectl prints them.

``python -m tests.dialects.kueue.dump`` writes the sample file of the dialect.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

SAMPLE = Path(__file__).parents[3] / "console/dialects/kueue/samples/forty-queues.yaml"
API = "kueue.x-k8s.io/v1beta2"
RESOURCES = ("cpu", "memory", "nvidia.com/gpu")
#: Cohort -> parent cohort, number of queues, and number of running workloads in each.
COHORTS: dict[str, tuple[str | None, int, tuple[str, ...]]] = {
    "organization": (None, 0, ()),
    "research": ("organization", 6, ("a100", "spot")),
    "vision": ("research", 10, ("a100", "spot")),
    "language": ("research", 12, ("h100", "a100")),
    "production": ("organization", 12, ("h100", "on-demand")),
}
FLAVORS: dict[str, dict[str, str]] = {
    "on-demand": {"node.kubernetes.io/lifecycle": "on-demand"},
    "spot": {"node.kubernetes.io/lifecycle": "spot"},
    "a100": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"},
    "h100": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
}
#: Nominal quota of one queue in a flavor: cpu, GiB and GPUs.
OWNED = {
    "on-demand": (256, 1024, 0),
    "spot": (64, 256, 0),
    "a100": (96, 768, 8),
    "h100": (192, 2048, 16),
}


def dump(every: int = 1) -> str:
    """Return the dump, with only each of *every* queues."""
    queues = list(_queues())[::every]
    names = [queue["metadata"]["name"] for queue in queues]
    items = [*_flavors(), *_cohorts(), *queues, *_priority_classes(), *_entrances(names)]
    for number, item in enumerate(items):
        _fill_in(item, number)
    return yaml.dump(
        {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}},
        Dumper=_Kubectl,
        width=10_000,
    )


class _Kubectl(yaml.SafeDumper):
    """YAML dumper that quotes as kubectl does, and writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    plain = dumper.resolve(yaml.ScalarNode, text, (True, False)) == "tag:yaml.org,2002:str"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_Kubectl.add_representer(str, _text)


def _fill_in(item: dict[str, Any], number: int) -> None:
    """Add the fields that the API server adds to every object."""
    metadata = item["metadata"]
    day, minute = divmod(number, 60)
    metadata |= {
        "creationTimestamp": f"2026-03-{day + 2:02d}T09:{minute:02d}:17Z",
        "resourceVersion": str(7_300_000 + 131 * number),
        "uid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{item['kind']}/{metadata['name']}/{number}")),
    }
    if item["kind"] in ("ClusterQueue", "ResourceFlavor"):
        metadata["finalizers"] = ["kueue.x-k8s.io/resource-in-use"]
    if item["kind"] != "Namespace":
        metadata["generation"] = 1 + number % 4


def _flavors() -> Iterator[dict[str, Any]]:
    for name, labels in FLAVORS.items():
        spec: dict[str, Any] = {"nodeLabels": labels}
        if name == "spot":
            key = "node.kubernetes.io/lifecycle"
            spec["nodeTaints"] = [{"effect": "NoSchedule", "key": key, "value": "spot"}]
            spec["tolerations"] = [{"effect": "NoSchedule", "key": key, "operator": "Exists"}]
        yield {
            "apiVersion": API,
            "kind": "ResourceFlavor",
            "metadata": {"name": name},
            "spec": spec,
        }


def _quotas(flavor: str, factor: int, **limits: str) -> dict[str, Any]:
    """Return a flavor of a resource group; *limits* are those of GPUs."""
    cpu, memory, gpus = (amount * factor for amount in OWNED[flavor])
    amounts = (str(cpu), f"{memory}Gi", str(gpus))
    resources = [
        {"name": name, "nominalQuota": amount}
        for name, amount in zip(RESOURCES, amounts, strict=True)
    ]
    resources[-1] |= limits
    return {"name": flavor, "resources": resources}


def _cohorts() -> Iterator[dict[str, Any]]:
    own = {
        "organization": [_quotas("spot", 20)],
        "research": [_quotas("a100", 2)],
        "production": [_quotas("on-demand", 4)],
    }
    for name, (parent, _, _) in COHORTS.items():
        spec: dict[str, Any] = {"fairSharing": {"weight": "1"}}
        if parent is not None:
            spec["parentName"] = parent
        if name in own:
            spec["resourceGroups"] = [{"coveredResources": list(RESOURCES), "flavors": own[name]}]
        yield {
            "apiVersion": API,
            "kind": "Cohort",
            "metadata": {"name": name},
            "spec": spec,
            "status": {"fairSharing": {"weightedShare": 0}},
        }


def _queue_names() -> Iterator[tuple[str, str, int]]:
    for cohort, (_, count, _) in COHORTS.items():
        for index in range(count):
            yield f"{cohort}-{index + 1:02d}", cohort, index


def _queues() -> Iterator[dict[str, Any]]:
    for name, cohort, index in _queue_names():
        first, second = COHORTS[cohort][2]
        gpus = OWNED[first][2] * (1 + index % 2)
        limits = {"lendingLimit": str(gpus // 2)} if cohort == "production" else {}
        if cohort == "vision":
            limits = {"borrowingLimit": str(2 * gpus)}
        yield {
            "apiVersion": API,
            "kind": "ClusterQueue",
            "metadata": {"labels": {"team": name}, "name": name},
            "spec": {
                "cohortName": cohort,
                "flavorFungibility": {
                    "whenCanBorrow": "MayStopSearch" if index % 3 else "TryNextFlavor",
                    "whenCanPreempt": "TryNextFlavor",
                },
                "namespaceSelector": {"matchLabels": {"team": name}},
                "preemption": {
                    "borrowWithinCohort": {"policy": "Never"},
                    "reclaimWithinCohort": "Any" if cohort == "production" else "LowerPriority",
                    "withinClusterQueue": "LowerPriority",
                },
                "queueingStrategy": "BestEffortFIFO",
                "resourceGroups": [
                    {
                        "coveredResources": list(RESOURCES),
                        "flavors": [
                            _quotas(first, 1 + index % 2, **limits),
                            _quotas(second, 1),
                        ],
                    }
                ],
                "stopPolicy": "None",
            },
            "status": _status(first),
        }


def _status(flavor: str) -> dict[str, Any]:
    usage = [
        {
            "name": flavor,
            "resources": [{"borrowed": "0", "name": name, "total": "0"} for name in RESOURCES],
        }
    ]
    return {
        "admittedWorkloads": 0,
        "conditions": [
            {
                "lastTransitionTime": "2026-03-02T10:00:00Z",
                "message": "Can admit new workloads",
                "observedGeneration": 1,
                "reason": "Ready",
                "status": "True",
                "type": "Active",
            }
        ],
        "flavorsReservation": usage,
        "flavorsUsage": usage,
        "pendingWorkloads": 0,
        "reservingWorkloads": 0,
    }


def _priority_classes() -> Iterator[dict[str, Any]]:
    for name, value in (("production", 10_000), ("default", 1_000), ("best-effort", -100)):
        yield {
            "apiVersion": API,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": name},
            "value": value,
        }


def _entrances(names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a namespace and a LocalQueue for every queue."""
    for name in names:
        yield {
            "apiVersion": API,
            "kind": "LocalQueue",
            "metadata": {"name": "main", "namespace": name},
            "spec": {"clusterQueue": name, "stopPolicy": "None"},
            "status": {"admittedWorkloads": 0, "pendingWorkloads": 0, "reservingWorkloads": 0},
        }
    for name in names:
        labels = {"kubernetes.io/metadata.name": name, "team": name}
        yield {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"labels": labels, "name": name},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        }


if __name__ == "__main__":
    SAMPLE.write_text(dump(), "utf-8")
