"""Routing by local queues: label and namespace give a queue, or the reason why there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.spec import Flavor, QueueSpec, quota_policy
from console.engine.model.common_reasons import QUEUE_STOPPED
from console.engine.model.decision import Outcome
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.selectors import EVERYTHING
from console.engine.model.trace import FailedExpression, LocalQueueStep, LocalQueueVerdict
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import (
    LocalQueue,
    LocalQueueRouting,
    PriorityClass,
    namespace_labels,
)
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    PRIORITY_CLASS_MISSING,
)
from console.engine.routing.router import Router
from console.engine.state import State
from tests.engine.builders import only, queue

QUEUE, CLASS = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"
DOOR, HIGH = Origin(3, 1, 5, 2), Origin(9, 1, 11, 2)


def local(
    namespace: str, name: str, leads_to: str, stop: StopPolicy = StopPolicy.NONE
) -> LocalQueue:
    return LocalQueue(namespace=namespace, name=name, queue=leads_to, stop=stop, origin=DOOR)


ROUTING = LocalQueueRouting(
    local_queues={
        (each.namespace, each.name): each
        for each in (
            local("ml", "main", "train"),
            local("ml", "lost", "trian"),
            local("ml", "shut", "train", StopPolicy.HOLD),
            local("ml", "drained", "train", StopPolicy.HOLD_AND_DRAIN),
            local("web", "main", "train"),
            local("web", "sealed", "sealed"),
        )
    },
    namespaces={"ml": {"team": "ml"}},
    priority_classes={"high": PriorityClass(name="high", value=100, origin=HIGH)},
)

QUEUES = (
    replace(queue("train").owns("spot", gpu=4).build(), namespaces=only(team="ml")),
    QueueSpec(name="sealed"),
)


def world(routing: LocalQueueRouting = ROUTING, queues: tuple[QueueSpec, ...] = QUEUES) -> Policy:
    return quota_policy(
        "kueue",
        flavors={"spot": Flavor(name="spot", selector=only(market="spot"))},
        queues={each.name: each for each in queues},
        routing=routing,
    )


def named(
    name: str | None = "main",
    namespace: str = "ml",
    priority_class: str | None = None,
    priority: int | None = None,
) -> Workload:
    labels = {QUEUE: name, CLASS: priority_class}
    return Workload(
        id="a",
        sequence=1,
        labels={key: value for key, value in labels.items() if value is not None},
        namespace=namespace,
        priority=priority,
    )


def test_a_local_queue_leads_to_its_queue() -> None:
    assert Router(world()).route(named()) == Route(
        queue="train",
        priority=0,
        local_queue=LocalQueueStep(
            namespace="ml",
            name="main",
            verdict=LocalQueueVerdict.LEADS,
            queue="train",
            origin=DOOR,
        ),
    )


@pytest.mark.parametrize(
    ("workload", "step"),
    [
        pytest.param(
            named(None),
            LocalQueueStep(
                namespace="ml", name="", verdict=LocalQueueVerdict.NOT_NAMED, label=QUEUE
            ),
            id="no label",
        ),
        pytest.param(
            named("mian"),
            LocalQueueStep(
                namespace="ml", name="mian", verdict=LocalQueueVerdict.MISSING, nearest="main"
            ),
            id="mistyped",
        ),
        pytest.param(
            named("sealed"),
            LocalQueueStep(namespace="ml", name="sealed", verdict=LocalQueueVerdict.MISSING),
            id="of another namespace",
        ),
        pytest.param(
            named("lost"),
            LocalQueueStep(
                namespace="ml",
                name="lost",
                verdict=LocalQueueVerdict.QUEUE_MISSING,
                queue="trian",
                nearest="train",
                origin=DOOR,
            ),
            id="leads to no queue",
        ),
    ],
)
def test_a_local_queue_that_is_missing(workload: Workload, step: LocalQueueStep) -> None:
    assert Router(world()).route(workload) == Route(
        priority=0, local_queue=step, problem=LOCAL_QUEUE_MISSING
    )


@pytest.mark.parametrize(("name", "drains"), [("shut", False), ("drained", True)])
def test_stopped_local_queue_routes_to_no_queue(name: str, drains: bool) -> None:
    assert Router(world()).route(named(name)) == Route(
        priority=0,
        local_queue=LocalQueueStep(
            namespace="ml",
            name=name,
            verdict=LocalQueueVerdict.STOPPED,
            queue="train",
            origin=DOOR,
        ),
        problem=QUEUE_STOPPED,
        drains=drains,
    )


@pytest.mark.parametrize(
    ("name", "leads_to", "failed"),
    [
        ("main", "train", FailedExpression(key="team", operator="in", values=("ml",))),
        # A queue without a namespace selector admits no namespace.
        ("sealed", "sealed", None),
    ],
)
def test_namespace_not_allowed_is_pending_in_the_queue(
    name: str,
    leads_to: str,
    failed: FailedExpression | None,
) -> None:
    assert Router(world()).route(named(name, "web")) == Route(
        queue=leads_to,
        priority=0,
        local_queue=LocalQueueStep(
            namespace="web",
            name=name,
            verdict=LocalQueueVerdict.NAMESPACE_NOT_ALLOWED,
            queue=leads_to,
            failed=failed,
            origin=DOOR,
        ),
        problem=NAMESPACE_NOT_ALLOWED,
    )


def test_every_namespace_is_labeled_with_its_name() -> None:
    name = "kubernetes.io/metadata.name"
    assert namespace_labels(ROUTING, "ml") == {"team": "ml", name: "ml"}
    assert namespace_labels(ROUTING, "unknown") == {name: "unknown"}
    by_name = QueueSpec(name="train", namespaces=only(**{name: "web"}))
    everybody = QueueSpec(name="sealed", namespaces=EVERYTHING)
    router = Router(world(queues=(by_name, everybody)))
    assert [
        router.route(each).problem
        for each in (named("main", "web"), named("main", "ml"), named("sealed", "web"))
    ] == [None, NAMESPACE_NOT_ALLOWED, None]


WITH_DEFAULT = replace(
    ROUTING,
    priority_classes={
        **ROUTING.priority_classes,
        "default": PriorityClass(name="default", value=5),
    },
)


@pytest.mark.parametrize(
    ("routing", "priority_class", "requested", "effective", "told"),
    [
        (ROUTING, None, None, 0, (None, None, None)),
        (ROUTING, None, 7, 7, (None, None, None)),
        # A priority class comes before a requested priority, and both before the default class.
        (ROUTING, "high", 7, 100, ("high", 100, HIGH)),
        (WITH_DEFAULT, "high", None, 100, ("high", 100, HIGH)),
        (WITH_DEFAULT, None, 7, 7, (None, None, None)),
        (WITH_DEFAULT, None, 0, 0, (None, None, None)),
        (WITH_DEFAULT, None, None, 5, ("default", 5, None)),
    ],
)
def test_the_effective_priority(
    routing: LocalQueueRouting,
    priority_class: str | None,
    requested: int | None,
    effective: int,
    told: tuple[str | None, int | None, Origin | None],
) -> None:
    asked = named(priority_class=priority_class, priority=requested)
    route = Router(world(routing)).route(asked)
    assert (route.queue, route.priority, route.problem) == ("train", effective, None)
    step = route.local_queue
    assert step is not None
    assert (step.priority_class, step.priority, step.priority_origin) == told


def test_a_priority_class_that_is_missing_has_no_substitute() -> None:
    asked = named(priority_class="hihg", priority=7)
    assert Router(world(WITH_DEFAULT)).route(asked) == Route(
        local_queue=LocalQueueStep(
            namespace="ml",
            name="main",
            verdict=LocalQueueVerdict.PRIORITY_CLASS_MISSING,
            queue="train",
            priority_class="hihg",
            nearest="high",
            origin=DOOR,
        ),
        problem=PRIORITY_CLASS_MISSING,
    )


@pytest.mark.parametrize(
    ("workload", "problem"),
    [
        (named("lost", priority_class="none"), LOCAL_QUEUE_MISSING),
        (named("shut", priority_class="none"), PRIORITY_CLASS_MISSING),
        (named("sealed", "web", priority_class="none"), PRIORITY_CLASS_MISSING),
    ],
)
def test_of_several_problems_the_most_lasting_one_counts(
    workload: Workload, problem: Reason
) -> None:
    assert Router(world()).route(workload).problem is problem


def test_a_stopped_local_queue_goes_before_the_namespace() -> None:
    shut = local("web", "shut", "train", StopPolicy.HOLD)
    routing = replace(ROUTING, local_queues={("web", "shut"): shut})
    assert Router(world(routing)).route(named("shut", "web")).problem is QUEUE_STOPPED


def test_other_label_keys_may_name_the_local_queue_and_the_class() -> None:
    routing = replace(ROUTING, queue_label="queue", priority_label="class")
    asked = Workload(id="a", sequence=1, labels={"queue": "main", "class": "high"}, namespace="ml")
    route = Router(world(routing)).route(asked)
    assert (route.queue, route.priority) == ("train", 100)


def test_alike_workloads_of_different_namespaces_are_judged_apart() -> None:
    router = Router(world())
    ours, theirs = router.route(named()), router.route(named(namespace="web"))
    assert (ours.problem, theirs.problem) == (None, NAMESPACE_NOT_ALLOWED)
    assert router.route(named()) is ours


DEFAULTS = replace(
    ROUTING,
    default_local_queue="main",
    local_queues={
        **ROUTING.local_queues,
        ("closing", "main"): local("closing", "main", "train", StopPolicy.HOLD_AND_DRAIN),
    },
)


def test_a_workload_that_names_none_takes_the_default_of_its_namespace() -> None:
    led = LocalQueueStep(
        namespace="ml",
        name="main",
        verdict=LocalQueueVerdict.LEADS,
        default="main",
        queue="train",
        label=None,
        origin=DOOR,
    )
    router = Router(world(DEFAULTS))
    expected = Route(queue="train", priority=0, local_queue=led)
    assert router.route(named(None)) == expected
    assert router.route(named("")) == expected
    # A label takes precedence over the default, which the trace then does not mention.
    assert router.route(named("main")) == Router(world()).route(named("main"))


def test_a_namespace_without_the_default_lets_it_wait() -> None:
    route = Router(world(DEFAULTS)).route(named(None, "other"))
    assert route == Route(
        priority=0,
        local_queue=LocalQueueStep(
            namespace="other",
            name="",
            verdict=LocalQueueVerdict.NOT_NAMED,
            default="main",
            label=QUEUE,
        ),
        problem=LOCAL_QUEUE_MISSING,
    )


def test_a_default_does_not_stand_in_for_a_local_queue_that_is_missing() -> None:
    route = Router(world(DEFAULTS)).route(named("mian"))
    assert (route.queue, route.problem) == (None, LOCAL_QUEUE_MISSING)


def test_what_runs_by_default_stops_when_the_default_is_drained() -> None:
    route = Router(world(DEFAULTS)).route(named(None, "closing"))
    assert (route.queue, route.problem, route.drains) == (None, QUEUE_STOPPED, True)


def test_a_workload_that_waits_starts_when_its_namespace_gets_a_default() -> None:
    state = State(world(replace(DEFAULTS, local_queues={}), OPEN))
    state.submit(named(None))
    (waits,) = state.settle()
    assert waits.reason is LOCAL_QUEUE_MISSING
    state.change_policy(world(DEFAULTS, OPEN))
    (starts,) = state.settle()
    assert (starts.outcome, starts.queue) == (Outcome.ADMITTED, "train")


OPEN = (
    QueueSpec(name="train", is_passthrough=True, namespaces=EVERYTHING),
    QueueSpec(name="sealed"),
)
