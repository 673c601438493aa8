"""A world in which a workload is preempted twice for the same preemptor and then yields to it."""

from __future__ import annotations

from collections.abc import Callable

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.services.end_workloads import release_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

#: *own* reclaims cpu that is nominally its own, so it may preempt for it; but it has weight 0, so
#: other queues come first when quota is freed.
CIRCLE = """\
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
fairSharing: {enable: true, preemptionStrategies: [LessThanOrEqualToFinalShare]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: gpus}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: own}
spec:
  namespaceSelector: {}
  cohort: ml
  fairSharing: {weight: "0"}
  preemption: {reclaimWithinCohort: Any}
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - {name: any, resources: [{name: cpu, nominalQuota: 4}]}
    - coveredResources: [gpu]
      flavors:
        - {name: gpus, resources: [{name: gpu, nominalQuota: 1}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: rest}
spec:
  namespaceSelector: {}
  cohort: ml
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - {name: any, resources: [{name: cpu, nominalQuota: 0}]}
    - coveredResources: [gpu]
      flavors:
        - {name: gpus, resources: [{name: gpu, nominalQuota: 2}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: own}
spec: {clusterQueue: own}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: rest}
spec: {clusterQueue: rest}
"""


def preempt_and_yield(
    owner: Actor,
    settle: Callable[[Organization], int],
    before_settling: Callable[[], None] = lambda: None,
) -> tuple[str, str, str]:
    """
    Return the ids of the yielding, the stopping and the first workload.

    Both are preempted for the first one; the yielding one has stopped and started again in between.
    """
    apply_config(owner, "kueue", CIRCLE, "", 0)

    def submit(name: str, namespace: str, **requests: int) -> str:
        wanted = Submission(
            name=name,
            namespace=namespace,
            tags={"kueue.x-k8s.io/queue-name": "main"},
            requests={resource: amount * 1000 for resource, amount in requests.items()},
        )
        (row,) = submit_workloads(owner, [wanted])
        settle(owner.org)
        return row.uid

    yielding, stopping = submit("yielding", "rest", cpu=3), submit("stopping", "rest", cpu=1)
    first = submit("first", "own", cpu=4, gpu=2)
    for _ in range(2):
        release_workloads(owner, [yielding])
        before_settling()
        settle(owner.org)
    return yielding, stopping, first
