"""Whole explanations of pod sets, of pods that no node takes, and of names that lead nowhere."""

from __future__ import annotations

from console.engine.model.nodes import Taint
from console.engine.model.policy import Flavor, LocalQueueRouting
from tests.engine.asking import in_full, why
from tests.engine.builders import World, pods, queue


def test_pod_sets_are_told_one_after_the_other() -> None:
    world = World(
        queue("train").owns("cpus", cpu=8).and_apart().owns("a100", gpu=4).owns("h100", gpu=2)
    )
    sets = (pods("driver", cpu=1), pods("worker", 4, cpu=1, gpu=1))
    world.submit("first", pod_sets=sets).settle()
    world.submit("second", pod_sets=sets).settle()
    assert in_full(world.state.explain("second")) == [
        (
            "Waiting for quota in train: needs 4 gpu on a100, 0 free now, 4 short; needs 5 cpu on"
            " cpus, 3 free now, 2 short; nobody may be stopped for it."
        ),
        "intake: Labels: queue=train.",
        "intake: Asks for 5 cpu, 4 gpu in all, with no priority requested.",
        "intake: Pod set driver: 1 pod of 1 cpu.",
        "intake: Pod set worker: 4 pods of 1 cpu, 1 gpu each.",
        "route: Rule 1 (to train) takes it.",
        "priority: Priority 0: none was requested, and Rule 1 has no default.",
        "queue: train admits by quota.",
        "flavors: Pod set driver needs one flavor for cpu.",
        "flavors: cpus: 1 cpu of 8 nominal - 5 used = 3 available: fits.",
        "flavors: Pod set worker needs one flavor for gpu.",
        (
            "flavors: a100: 4 gpu of 4 nominal - 4 used = 0 available: 4 short, preemption cannot"
            " free it."
        ),
        "flavors: h100: 4 gpu is more than the 2 that train can ever have.",
        "flavors: a100 comes closest.",
        "flavors: Pod set worker needs one flavor for cpu.",
        (
            "flavors: cpus: 4 cpu (after 1 for earlier pod sets) of 8 nominal - 5 used = 3 "
            "available: 2 short, preemption cannot free it."
        ),
        "preemption: Nobody may be stopped for it: train allows no preemption.",
        "preemption: What has to become free: 4 gpu on a100 and 2 cpu on cpus.",
        "order: Position 1 of 1 in the queue.",
        "order: Priority goes first, then submission; a later one may overtake what does not fit.",
    ]


def test_fewer_pods_were_tried_and_start_when_others_stop() -> None:
    world = World(queue("train").owns("a100", gpu=4).preempts())
    world.submit("low", gpu=2).settle()
    world.submit("three", pod_sets=(pods("worker", 4, at_least=3, gpu=1),)).settle()
    world.submit("four", priority=4, pod_sets=(pods("worker", 8, at_least=3, gpu=1),)).settle()
    assert why(world, "three") == [
        (
            "Waiting for quota in train: to start with 3 of 4 pods of worker it needs 3 gpu on "
            "a100, 2 free now, 1 short; nobody may be stopped for it."
        ),
        "flavors: Pod set worker would start with 3 of its 4 pods, and not even these fit.",
        "flavors: Pod set worker needs one flavor for gpu.",
        (
            "flavors: a100: 3 gpu of 4 nominal - 2 used = 2 available: 1 short, preemption cannot"
            " free it."
        ),
        (
            "preemption: Nobody may be stopped for it: the only running workload looked at is "
            "already stopping."
        ),
        "preemption: What has to become free: 1 gpu on a100.",
        "preemption: What train may stop: its own workloads of lower priority.",
        "preemption: low (priority 0) is already stopping; it holds 2 gpu on a100.",
        "order: Position 2 of 2 in the queue.",
        "order: Priority goes first, then submission; a later one may overtake what does not fit.",
    ]
    assert why(world, "four") == [
        "Starting soon in train: 1 workload is being stopped to make room.",
        "flavors: Pod set worker is tried with 4 of its 8 pods: not all of them fit.",
        "flavors: Pod set worker needs one flavor for gpu.",
        (
            "flavors: a100: 4 gpu of 4 nominal - 2 used = 2 available: 2 short, preemption could "
            "free it."
        ),
        "preemption: Stopping 1 workload makes enough room.",
        "preemption: What has to become free: 2 gpu on a100.",
        "preemption: What train may stop: its own workloads of lower priority.",
        "preemption: low (priority 0) has to stop; it holds 2 gpu on a100.",
    ]


def test_taints_and_labels_keep_pods_off() -> None:
    world = World(
        queue("train").owns("spot", gpu=4).owns("fixed", gpu=2),
        flavors={"spot": Flavor(name="spot", taints=(Taint("spot", "yes"),))},
    )
    world.submit("runs", gpu=2).settle()
    world.submit("waits", gpu=1).settle()
    assert why(world, "waits") == [
        (
            "Waiting for quota in train: needs 1 gpu on fixed, 0 free now, 1 short; nobody may be"
            " stopped for it."
        ),
        "flavors: spot has the taint spot=yes:NoSchedule, which its pods do not tolerate.",
        (
            "flavors: fixed: 1 gpu of 2 nominal - 2 used = 0 available: 1 short, preemption "
            "cannot free it."
        ),
        "flavors: fixed comes closest.",
        "preemption: Nobody may be stopped for it: train allows no preemption.",
        "preemption: What has to become free: 1 gpu on fixed.",
        "order: Position 1 of 1 in the queue.",
        "order: Priority goes first, then submission; a later one may overtake what does not fit.",
    ]


def test_a_local_queue_that_is_missing_is_named() -> None:
    routing = LocalQueueRouting(queue_label="queue", priority_label="class")
    world = World(queue("train").owns("a100", gpu=4), local_routing=routing)
    world.submit("lost", to="main", namespace="vision", gpu=1).settle()
    assert in_full(world.state.explain("lost")) == [
        "Waiting: there is no local queue main in namespace vision.",
        "intake: Labels: queue=main.",
        "intake: Namespace: vision.",
        "intake: Asks for 1 gpu, with no priority requested.",
        "route: There is no local queue main in namespace vision.",
        "priority: Priority 0: none was requested, and there is no priority class named default.",
    ]
