"""Live explanations of pending workloads: without a queue, in a strict queue, and yielding."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import Explained, explain_workload
from console.workloads.models import Decision, Engine, State, Workload
from console.workloads.queries import get_workload
from console.workloads.services.load_state import load_state
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from tests.preemption_circle import preempt_and_yield

Settle = Callable[[Organization], int]

LABEL = "kueue.x-k8s.io/queue-name"
CLASS = "kueue.x-k8s.io/priority-class"

KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: shared}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [gpu]
      flavors:
        - {name: any, resources: [{name: gpu, nominalQuota: 4}]}
"""
LOCAL_QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: vision}
spec: {clusterQueue: shared, stopPolicy: %s}
"""
PRIORITY_CLASS = """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: WorkloadPriorityClass
metadata: {name: high}
value: 100
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


def explanation_of(org: Organization, uid: str) -> Explained:
    """Return the live explanation of a workload."""
    explained = explain_workload(org, get_workload(org, uid))
    assert explained.live
    return explained


@pytest.mark.parametrize("cold", [False, True])
def test_without_a_queue_it_follows_every_edit_of_the_config(
    org: Organization, owner: Actor, settle: Settle, *, cold: bool
) -> None:
    tags = {LABEL: "main", CLASS: "high"}
    wanted = Submission(name="w", tags=tags, namespace="vision", requests={"gpu": 1000})
    said = []
    texts = (
        KUEUE,
        KUEUE + LOCAL_QUEUE % "None",
        KUEUE + LOCAL_QUEUE % "Hold" + PRIORITY_CLASS,
        KUEUE + PRIORITY_CLASS,
    )
    for version, text in enumerate(texts):
        apply_config(owner, "kueue", text, "", version)
        if not version:
            (row,) = submit_workloads(owner, [wanted])
        settle(org)
        if cold:
            forget_states()
        explained = explanation_of(org, row.uid)
        workload = get_workload(org, row.uid)
        assert workload.present_reason == explained.explanation.reason
        assert (workload.queue, explained.config_version) == (None, version + 1)
        said.append((workload.present_reason, explained.explanation.headline))
    assert said == [
        (
            "local_queue_missing",
            "Waiting: there is no local queue main in namespace vision.",
        ),
        ("priority_class_missing", "Waiting: there is no priority class high."),
        (
            "queue_stopped",
            (
                "Waiting: local queue main of namespace vision is stopped and admits nothing to "
                "shared."
            ),
        ),
        ("local_queue_missing", "Waiting: there is no local queue main in namespace vision."),
    ]
    reasons = Decision.objects.order_by("pk").values_list("reason", flat=True)
    assert list(reasons) == [reason for reason, _ in said]


def test_in_a_strict_queue_the_explanation_names_the_first_workload(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    strict = KUEUE.replace("spec:", "spec:\n  queueingStrategy: StrictFIFO")
    apply_config(owner, "kueue", strict + LOCAL_QUEUE % "None", "", 0)
    rows = []
    for name, priority, gpu in (("runs", 0, 2), ("first", 9, 3), ("second", 5, 2)):
        wanted = Submission(
            name=name,
            priority=priority,
            namespace="vision",
            tags={LABEL: "main"},
            requests={"gpu": gpu * 1000},
        )
        rows += submit_workloads(owner, [wanted])
        settle(org)
    _, first, second = rows
    whole = load_state(org, Engine.objects.get(org=org).config_version)
    whole.settle()
    headlines = {}
    for row in (first, second):
        explained = explanation_of(org, row.uid)
        assert explained.trace == whole.explain(row.uid)
        headlines[row.name] = explained.explanation.headline
    assert headlines == {
        "first": "Waiting for quota in shared: needs 3 GPUs on any, 2 free now, "
        "1 short; no workload may be preempted for it.",
        "second": "Waiting in shared: first is at the head of the queue and must start first.",
    }


@pytest.mark.parametrize("cold", [False, True])
def test_the_explanation_of_a_yielding_workload_names_the_other_one(
    org: Organization, owner: Actor, settle: Settle, *, cold: bool
) -> None:
    drop = forget_states if cold else lambda: None
    yielding, stopping, first = preempt_and_yield(owner, settle, drop)
    states = Workload.objects.values_list("uid", "state", "reason", "preemptor")
    assert set(states) == {
        (yielding, State.PENDING, "behind_others", first),
        (stopping, State.PREEMPTING, "reclaimed_in_cohort", first),
        (first, State.PENDING, "waiting_for_preempted", None),
    }
    explained = explanation_of(org, yielding)
    whole = load_state(org, Engine.objects.get(org=org).config_version)
    whole.settle()
    assert explained.trace == whole.explain(yielding)
    assert explained.explanation.headline == (
        "Waiting in rest: it was preempted for first, which is still pending and goes first."
    )
    assert explained.names[first] == "first"
