"""
Config and workloads of the contended world; this module needs no Django.

One cohort of many queues that may preempt each other's workloads. Even queues borrow the unused
quota of odd queues.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

QUEUES: Final = 200
FLAVORS: Final = 8
RUNNING: Final = 8_000
PENDING: Final = 3_000

#: GPUs of each flavor that an odd queue lends and an even queue borrows.
_LENT: Final = 2

_FLAVOR = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: f{flavor}}}
---
"""
_QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: q{number}}}
spec:
  cohortName: all
  namespaceSelector: {{}}
"""
_PREEMPTION = """\
  preemption:
    withinClusterQueue: LowerPriority
    reclaimWithinCohort: Any
    borrowWithinCohort: {policy: LowerPriority}
"""
_QUOTA = """\
    - name: f{flavor}
      resources: [{{name: cpu, nominalQuota: {cpu}}}, {{name: nvidia.com/gpu, nominalQuota: {gpu}}}]
"""
_LOCAL_QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: lq, namespace: n{number}}}
spec: {{clusterQueue: q{number}}}
---
apiVersion: v1
kind: Namespace
metadata: {{name: n{number}}}
---
"""


def config(queues: int, running: int, *, preempts: bool = True) -> str:
    """Return manifests of *queues* queues that *running* workloads of one GPU each fill."""
    each = running // queues // FLAVORS
    parts = [_FLAVOR.format(flavor=flavor) for flavor in range(FLAVORS)]
    for number in range(queues):
        gpu = each + (_LENT if number % 2 else -_LENT)
        parts.append(_QUEUE.format(number=number))
        if preempts:
            parts.append(_PREEMPTION)
        parts.append("  resourceGroups:\n  - coveredResources: [cpu, nvidia.com/gpu]\n")
        parts.append("    flavors:\n")
        parts += [_QUOTA.format(flavor=n, cpu=gpu * 8, gpu=gpu) for n in range(FLAVORS)]
        parts.append(_LOCAL_QUEUE.format(number=number))
    return "".join(parts)


def running(queues: int, count: int, draw: Random) -> Iterator[dict[str, Any]]:
    """Yield at most *count* workloads that fill every flavor of every queue."""
    for number in range(count // (queues * FLAVORS) * queues * FLAVORS):
        yield _body(f"run-{number}", number % queues, 1, draw.randrange(50, 100, 10))


def waiting(queues: int, count: int, draw: Random) -> Iterator[dict[str, Any]]:
    """Yield pending workloads; those in odd queues request 8 GPUs."""
    for number in range(count):
        gpu = 8 if number % queues % 2 else draw.choice((1, 2, 4, 8))
        yield _body(f"wait-{number}", number % queues, gpu, draw.randrange(0, 50, 10))


def _body(name: str, queue: int, gpu: int, priority: int) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": f"n{queue}",
        "tags": {"kueue.x-k8s.io/queue-name": "lq"},
        "priority": priority,
        "requests": {"nvidia.com/gpu": gpu, "cpu": gpu * 8},
    }
