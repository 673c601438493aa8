"""
The contended world: one cohort of many queues, each of which may stop workloads of the others.

200 queues of 8 flavors with every right to preempt that Kueue knows, 8,000 workloads that run and
3,000 that wait: here a question about what would start one of them has the most to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from console.configs.services.apply_config import apply_config
from console.orgs.models import Role
from console.orgs.services.create_org import create_org
from tests.worlds.cast import assemble
from tests.worlds.work import Body, examples, settle, submit
from tests.worlds.world import World

QUEUES: Final = 200
FLAVORS: Final = 8
RUNNING: Final = 8_000
PENDING: Final = 3_000

#: GPUs of each flavor that an odd queue lends out and an even one lacks.
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


def build() -> World:
    """Return the organization with all its workloads."""
    return build_of(QUEUES, RUNNING, PENDING)


def build_of(queues: int, running: int, pending: int) -> World:
    """Return the organization with so many queues and workloads."""
    org = create_org("contended", "Contended", None)
    cast = assemble(org, Role.values)
    owner = cast.owner
    # While it fills up nobody stops anybody.
    apply_config(owner, "kueue", config(queues, running, preempts=False), "Fill up", 0)
    draw = Random(1)
    submit(owner, _running(queues, running, draw))
    submit(owner, _waiting(queues, pending, draw))
    apply_config(owner, "kueue", config(queues, running), "Allow preemption", 1)
    settle(org)
    return World(
        name="contended",
        org=org.slug,
        people=cast.people,
        secrets=cast.secrets,
        other_org=cast.other_org,
        outsider=cast.outsider,
        outsider_secret=cast.outsider_secret,
        queues=tuple(f"q{number}" for number in range(queues)),
        cohorts=("all",),
        **examples(org),
    )


def config(queues: int, running: int, *, preempts: bool = True) -> str:
    """
    Return manifests in which *running* workloads of one GPU fill *queues* queues.

    Even queues use more than they own, which odd ones lend them.
    """
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


def _running(queues: int, count: int, draw: Random) -> Iterator[Body]:
    for number in range(count // (queues * FLAVORS) * queues * FLAVORS):
        yield _body(f"run-{number}", number % queues, 1, draw.randrange(50, 100, 10))


def _waiting(queues: int, count: int, draw: Random) -> Iterator[Body]:
    """Yield those that find no room; in odd queues they ask for more than these own."""
    for number in range(count):
        gpu = 8 if number % queues % 2 else draw.choice((1, 2, 4, 8))
        yield _body(f"wait-{number}", number % queues, gpu, draw.randrange(0, 50, 10))


def _body(name: str, queue: int, gpu: int, priority: int) -> Body:
    return {
        "name": name,
        "namespace": f"n{queue}",
        "tags": {"kueue.x-k8s.io/queue-name": "lq"},
        "priority": priority,
        "requests": {"nvidia.com/gpu": gpu, "cpu": gpu * 8},
    }
