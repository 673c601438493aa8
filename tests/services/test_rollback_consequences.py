"""Rolling back to less quota than is used has a consequence in every language with quota."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from console.capacity.services.report_cluster import report_cluster
from console.configs.errors import ConsequencesNotAccepted
from console.configs.services.apply_config import apply_config
from console.configs.services.roll_back import roll_back
from console.orgs.permissions import Actor
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import settled

pytestmark = pytest.mark.django_db

NATIVE = """\
resource_flavors: [{name: spot}]
resource_queues:
  - name: NAME
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: spot, resources: [{name: gpu, nominal_quota: QUOTA}]}]
scheduling_rules: [{resource_queue: NAME}]
"""
KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: NAME}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [gpu]
      flavors: [{name: spot, resources: [{name: gpu, nominalQuota: QUOTA}]}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: team}
spec: {clusterQueue: NAME}
"""
KAI = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: NAME}
spec:
  resources:
    gpu: {quota: 0, limit: QUOTA, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
"""
YUNIKORN = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: NAME
            resources: {max: {GPU: QUOTA}}
"""


@dataclass(frozen=True, slots=True)
class Language:
    """A config with one queue, and the workloads that fill it."""

    text: str
    queue: str = "ml"
    workload: dict[str, Any] = field(default_factory=dict)

    def of(self, quota: int, name: str = "ml") -> str:
        return self.text.replace("NAME", name).replace("QUOTA", str(quota))


LANGUAGES = {
    "native": Language(NATIVE, workload={"requests": {"gpu": 2}}),
    "kueue": Language(
        KUEUE,
        workload={
            "namespace": "team",
            "tags": {"kueue.x-k8s.io/queue-name": "main"},
            "requests": {"gpu": 2},
        },
    ),
    "kai": Language(
        KAI,
        workload={"tags": {"kai.scheduler/queue": "ml"}, "requests": {"nvidia.com/gpu": 2}},
    ),
    "yunikorn": Language(
        YUNIKORN.replace("GPU", "vcore"),
        queue="root.ml",
        workload={"tags": {"queue": "root.ml"}, "requests": {"cpu": 2}},
    ),
}


def fill(owner: Actor, language: Language) -> None:
    nodes = [{"name": "n0", "allocatable": {"cpu": 16, "memory": 64_000_000, "gpu": 8}}]
    report_cluster(owner, "east", {"nodes": nodes})
    values = [{"name": f"w{n}", **language.workload} for n in range(4)]
    submit_workloads(owner, read_submissions(values))
    settled(owner.org)


def refused(owner: Actor, version: int, expected: int) -> list[tuple[str, str]]:
    """Return the consequences of a rollback that accepts none."""
    with pytest.raises(ConsequencesNotAccepted) as caught:
        roll_back(owner, version, expected, accept=[])
    return [(each.code, each.message) for each in caught.value.consequences]


#: The consequence of a rollback to 4 while 8 are used; native queues have another name by then.
LOWERED = {
    "native": (
        "queue_drains",
        (
            "Combined peak usage: ml:v2 and ml up to 12 GPUs on spot, 8 GPUs above the quota of "
            "ml, until at least 4 running workloads of ml:v2 have ended."
        ),
    ),
    "kueue": (
        "over_nominal",
        (
            "ml uses 8 GPUs on spot and will have a nominal quota of 4 GPUs: 4 GPUs over, until at "
            "least 2 running workloads have ended."
        ),
    ),
    "kai": (
        "over_nominal",
        (
            "ml uses 8 GPUs on pool and may use at most 4 GPUs: 4 GPUs over, until at least 2 "
            "running workloads have ended."
        ),
    ),
    "yunikorn": (
        "over_nominal",
        (
            "root.ml uses 8 vcore on pool and may use at most 4 vcore: 4 vcore over, until at "
            "least 2 running workloads have ended."
        ),
    ),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_rollback_to_less_than_is_used_names_the_peak_and_its_end(
    name: str, owner: Actor
) -> None:
    language = LANGUAGES[name]
    code, sentence = LOWERED[name]
    apply_config(owner, name, language.of(4), "", 0)
    apply_config(owner, name, language.of(8, "ml:v2" if name == "native" else "ml"), "", 1)
    fill(owner, language)
    ((found, message),) = refused(owner, 1, 2)
    assert (found, sentence in message) == (code, True), message
    made = roll_back(owner, 1, 2, accept=[code])
    assert made.consequences == [{"code": code, "message": message, "accepted": True}]


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_queue_that_drains_and_comes_back_with_less_is_named(name: str, owner: Actor) -> None:
    language = LANGUAGES[name]
    apply_config(owner, name, language.of(4), "", 0)
    apply_config(owner, name, language.of(8, "ml:v2" if name == "native" else "ml"), "", 1)
    fill(owner, language)
    apply_config(owner, name, language.of(8, "other"), "", 2)
    settled(owner.org)
    ((found, message),) = refused(owner, 1, 3)
    assert found == LOWERED[name][0]
    assert "until at least" in message


def test_a_queue_of_another_language_with_less_quota_is_named(owner: Actor) -> None:
    language = LANGUAGES["kueue"]
    apply_config(owner, "kai", KAI.replace("NAME", "ml").replace("QUOTA", "4"), "", 0)
    apply_config(owner, "kueue", language.of(8), "", 1)
    fill(owner, language)
    found = dict(refused(owner, 1, 2))
    assert found["over_nominal"] == (
        "ml uses 8 GPUs on pool and may use at most 4 GPUs: 4 GPUs over. A config change does not "
        "stop running workloads; no further workload starts above the limit."
    )
    assert "dialect_changed" in found
