"""Labels lead workloads to queues, and give them their priority."""

from __future__ import annotations

import pytest

from console.dialects.kai import DIALECT
from console.dialects.kai.routing import QueueLabelRouting
from console.engine.disciplines.fairshare.reasons import QUEUE_MISSING
from console.engine.model.policy import Policy
from console.engine.model.route import Route
from console.engine.model.trace import LocalQueueVerdict
from console.engine.model.workload import Workload
from tests.dialects.kai.texts import PRIORITY_CLASS, QUEUE, policy_of


def route(policy: Policy, labels: dict[str, str], priority: int | None = None) -> Route:
    """Return the route of a workload."""
    workload = Workload(id="1", sequence=1, labels=labels, priority=priority, pod_sets=())
    return policy.routing.finder(policy.queues).route(workload)


@pytest.mark.parametrize(
    ("labels", "queue"),
    [
        ({"kai.scheduler/queue": "team"}, "team"),
        ({"runai/queue": "team"}, "team"),
        ({"kai.scheduler/queue": "team", "runai/queue": "other"}, "team"),
        ({"kai.scheduler/queue": "", "runai/queue": "other"}, "other"),
        ({}, "default-queue"),
    ],
)
def test_labels_name_the_queue(labels: dict[str, str], queue: str):
    text = "---\n".join(QUEUE.format(name=name) for name in ("team", "other", "default-queue"))
    assert route(policy_of(text), labels) == Route(queue=queue, priority=50)


def test_a_queue_that_does_not_exist_is_reported_with_the_nearest_name():
    found = route(policy_of(QUEUE.format(name="research")), {"kai.scheduler/queue": "reserch"})
    assert (found.queue, found.problem) == (None, QUEUE_MISSING)
    step = found.local_queue
    assert step is not None
    assert (step.name, step.verdict, step.nearest) == (
        "reserch",
        LocalQueueVerdict.NO_QUEUE,
        "research",
    )
    assert (step.priority_class, step.priority) == ("train", 50)


@pytest.mark.parametrize(
    ("label", "stated", "priority"),
    [
        (None, None, 50),
        ("train", None, 50),
        ("build-preemptible", None, 75),
        ("build", None, 100),
        ("inference", None, 125),
        ("unknown", None, 50),
        ("urgent", None, 90),
        ("urgent", 7, 7),
        (None, -5, -5),
    ],
)
def test_priorities(label: str | None, stated: int | None, priority: int):
    policy = policy_of(
        QUEUE.format(name="default-queue")
        + PRIORITY_CLASS.format(name="urgent", value=90, default="false")
    )
    labels = {} if label is None else {"priorityClassName": label}
    assert route(policy, labels, stated).priority == priority


def test_classes_of_the_config_replace_those_of_kai_and_the_default():
    policy = policy_of(
        QUEUE.format(name="default-queue")
        + PRIORITY_CLASS.format(name="train", value=10, default="false")
        + PRIORITY_CLASS.format(name="normal", value=60, default="true")
    )
    assert route(policy, {"priorityClassName": "train"}).priority == 10
    assert route(policy, {"priorityClassName": "unknown"}).priority == 60
    assert route(policy, {}).priority == 60


def test_advice_offers_queues_that_run_workloads():
    text = QUEUE.format(name="team") + "---\n" + QUEUE.format(name="lab")
    policy = policy_of(text.replace("spec:\n", "spec:\n  parentQueue: lab\n", 1))
    assert isinstance(policy.routing, QueueLabelRouting)
    assert policy.routing.queues == ("team",)
    assert policy.routing.entrances() == {"team": "team"}


def test_an_empty_config_routes_to_no_queue():
    assert DIALECT.empty_policy.routing.is_without_quota
