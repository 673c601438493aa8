"""Stop policies that drain: workloads of the queue stop, become pending and start again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import explain_workload
from console.workloads.models import Decision, Engine, Event, QueueCount, Usage, Workload
from console.workloads.queries import get_workload
from console.workloads.queries.workloads import workload_rows
from console.workloads.services.end_workloads import finish_workloads, release_workloads
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

CONFIG = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: shared}
spec:
  stopPolicy: {queue}
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
    - coveredResources: [gpu]
      flavors:
        - {name: any, resources: [{name: gpu, nominalQuota: 4}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: vision}
spec: {clusterQueue: shared, stopPolicy: {local}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: speech}
spec: {clusterQueue: shared}
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


def config(queue: str = "None", local: str = "None") -> str:
    """Return the config with stop policies for the queue and for vision's local queue."""
    return CONFIG.replace("{queue}", queue).replace("{local}", local)


def submit(owner: Actor, name: str, namespace: str = "vision", priority: int = 0) -> str:
    wanted = Submission(
        name=name,
        namespace=namespace,
        priority=priority,
        tags={"kueue.x-k8s.io/queue-name": "main"},
        requests={"gpu": 2000},
    )
    return submit_workloads(owner, [wanted])[0].uid


def states(org: Organization) -> dict[str, tuple[str, str]]:
    rows = workload_rows(org).values_list("name", "state", "present_reason")
    return {name: (state, reason) for name, state, reason in rows}


@pytest.mark.parametrize("cold", [False, True])
def test_a_drained_queue_empties_and_fills_again(
    org: Organization, owner: Actor, settle: Settle, *, cold: bool
) -> None:
    def apply(text: str, version: int) -> None:
        apply_config(owner, "kueue", text, "", version)
        run()

    def run() -> None:
        if cold:
            forget_states()
        settle(org)

    apply(config(), 0)
    one, two = submit(owner, "one"), submit(owner, "two", "speech")
    run()
    waits = submit(owner, "waits")
    run()
    before = Decision.objects.count()

    apply(config("HoldAndDrain"), 1)
    assert states(org) == {
        "one": ("preempting", "drained"),
        "two": ("preempting", "drained"),
        "waits": ("pending", "queue_stopped"),
    }
    assert list(
        Decision.objects.order_by("pk").values_list("workload__name", "outcome", "reason")[before:]
    ) == [("one", "preempted", "drained"), ("two", "preempted", "drained")]
    # They hold their quota until they have stopped.
    assert list(Usage.objects.values_list("queue", "used")) == [("shared", 4000)]
    explained = explain_workload(org, get_workload(org, one))
    assert explained.explanation.headline == (
        "Preempted: shared is stopped by its config, and its running workloads are drained."
    )

    release_workloads(owner, [one])
    # A workload that ends by itself while it is stopped does not become pending.
    finish_workloads(owner, [two])
    run()
    assert states(org) == {
        "one": ("pending", "queue_stopped"),
        "two": ("finished", "drained"),
        "waits": ("pending", "queue_stopped"),
    }
    assert not Usage.objects.exists()
    assert list(QueueCount.objects.values_list("queue", "running", "pending")) == [("shared", 0, 2)]
    submit(owner, "late", priority=9)
    run()
    assert states(org)["late"] == ("pending", "queue_stopped")
    assert explain_workload(org, get_workload(org, waits)).explanation.headline == (
        "Waiting: shared is stopped by its config and admits nothing new."
    )

    apply(config(), 2)
    assert states(org) == {
        "one": ("admitted", "quota_reserved"),
        "two": ("finished", "drained"),
        "waits": ("pending", "waiting_for_quota"),
        "late": ("admitted", "quota_reserved"),
    }
    assert Workload.objects.get(uid=one).preemptions == 1
    assert Engine.objects.get(org=org).is_settled
    told = Event.objects.filter(workload__uid=one).order_by("pk").values_list("type", flat=True)
    assert list(told) == [
        "REQUEST_SUBMITTED",
        "REQUEST_ADMITTED",
        "REQUEST_PREEMPTED",
        "REQUEST_RELEASED",
        "REQUEST_REQUEUED",
        "REQUEST_ADMITTED",
    ]


def test_a_drained_local_queue_leaves_the_others_alone(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "kueue", config(), "", 0)
    one, two = submit(owner, "one"), submit(owner, "two", "speech")
    submit(owner, "waits", "speech")
    settle(org)
    apply_config(owner, "kueue", config(local="HoldAndDrain"), "", 1)
    settle(org)
    assert states(org) == {
        "one": ("preempting", "drained"),
        "two": ("admitted", "quota_reserved"),
        "waits": ("pending", "waiting_for_quota"),
    }
    explained = explain_workload(org, get_workload(org, one))
    assert explained.explanation.headline == (
        "Preempted: its local queue main is stopped, and its running workloads are drained."
    )
    release_workloads(owner, [one])
    settle(org)
    assert states(org) == {
        "one": ("pending", "queue_stopped"),
        "two": ("admitted", "quota_reserved"),
        "waits": ("admitted", "quota_reserved"),
    }
    finish_workloads(owner, [two])
    apply_config(owner, "kueue", config(), "", 2)
    settle(org)
    assert states(org)["one"] == ("admitted", "quota_reserved")


def test_a_workload_being_preempted_also_stops_for_the_drain(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "kueue", config(), "", 0)
    one, two = submit(owner, "one"), submit(owner, "two")
    settle(org)
    submit(owner, "high", priority=5)
    settle(org)
    assert states(org)["two"] == ("preempting", "preempted_in_queue")
    apply_config(owner, "kueue", config("HoldAndDrain"), "", 1)
    settle(org)
    # It gets no second preemption, and the other one is pending like all others in the queue.
    assert states(org) == {
        "one": ("preempting", "drained"),
        "two": ("preempting", "preempted_in_queue"),
        "high": ("pending", "queue_stopped"),
    }
    release_workloads(owner, [one, two])
    settle(org)
    assert states(org) == dict.fromkeys(("one", "two", "high"), ("pending", "queue_stopped"))
    apply_config(owner, "kueue", config(), "", 2)
    settle(org)
    assert states(org) == {
        "one": ("admitted", "quota_reserved"),
        "two": ("pending", "waiting_for_quota"),
        "high": ("admitted", "quota_reserved"),
    }
