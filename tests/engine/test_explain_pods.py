"""Complete explanations of pod sets, of pods that match no node, and of unknown names."""

from __future__ import annotations

from console.engine.disciplines.quota.spec import Flavor
from console.engine.model.nodes import Taint
from console.engine.routing.local_queues import LocalQueueRouting
from tests.engine.builders import World, pods, queue
from tests.engine.explanations import in_full, why


def test_pod_sets_are_explained_in_order() -> None:
    world = World(
        queue("train").owns("cpus", cpu=8).new_group().owns("a100", gpu=4).owns("h100", gpu=2)
    )
    sets = (pods("driver", cpu=1), pods("worker", 4, cpu=1, gpu=1))
    world.submit("first", pod_sets=sets).settle()
    world.submit("second", pod_sets=sets).settle()
    assert in_full(world.state.explain("second")) == [
        (
            "Waiting for quota in train: needs 4 GPUs on a100, 0 free now, 4 short; needs 5 CPUs on"
            " cpus, 3 free now, 2 short; no workload may be preempted for it."
        ),
        "intake: Labels: queue=train.",
        "intake: Requests 5 CPUs, 4 GPUs in total, with no priority.",
        "intake: Pod set driver: 1 pod of 1 CPU.",
        "intake: Pod set worker: 4 pods of 1 CPU, 1 GPU each.",
        "route: Rule 1 (to train) accepts it.",
        "priority: Priority 0: none was requested, and Rule 1 has no default.",
        "queue: train admits within quota.",
        "flavors: Pod set driver needs one flavor for cpu.",
        "flavors: cpus: 1 CPU of 8 nominal - 5 used = 3 available: fits.",
        "flavors: Pod set worker needs one flavor for gpu.",
        (
            "flavors: a100: 4 GPUs of 4 nominal - 4 used = 0 available: 4 short, preemption cannot"
            " free it."
        ),
        "flavors: h100: 4 GPUs is more than the 2 that train can ever have.",
        "flavors: a100 comes closest.",
        "flavors: Pod set worker needs one flavor for cpu.",
        (
            "flavors: cpus: 4 CPUs (after 1 for earlier pod sets) of 8 nominal - 5 used = 3 "
            "available: 2 short, preemption cannot free it."
        ),
        "preemption: No workload may be preempted for it: train allows no preemption.",
        "preemption: Quota to free: 4 GPUs on a100 and 2 CPUs on cpus.",
        "order: Position 1 of 1 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]


def test_partial_admission_with_preemption() -> None:
    world = World(queue("train").owns("a100", gpu=4).preempts())
    world.submit("low", gpu=2).settle()
    world.submit("three", pod_sets=(pods("worker", 4, at_least=3, gpu=1),)).settle()
    world.submit("four", priority=4, pod_sets=(pods("worker", 8, at_least=3, gpu=1),)).settle()
    assert why(world, "three") == [
        (
            "Waiting for quota in train: to start with 3 of 4 pods of worker it needs 3 GPUs on "
            "a100, 2 free now, 1 short; no workload may be preempted for it."
        ),
        "flavors: Pod set worker would start with 3 of its 4 pods, and even these do not fit.",
        "flavors: Pod set worker needs one flavor for gpu.",
        (
            "flavors: a100: 3 GPUs of 4 nominal - 2 used = 2 available: 1 short, preemption cannot"
            " free it."
        ),
        (
            "preemption: No workload may be preempted for it: the only running workload "
            "considered is already stopping."
        ),
        "preemption: Quota to free: 1 GPU on a100.",
        "preemption: What train may preempt: its own workloads of lower priority.",
        "preemption: low (priority 0) is already stopping; it holds 2 GPUs on a100.",
        "order: Position 2 of 2 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]
    assert why(world, "four") == [
        "Starting soon in train: 1 workload is being preempted to free quota.",
        "flavors: Pod set worker is tried with 4 of its 8 pods: not all of them fit.",
        "flavors: Pod set worker needs one flavor for gpu.",
        (
            "flavors: a100: 4 GPUs of 4 nominal - 2 used = 2 available: 2 short, preemption could "
            "free it."
        ),
        "preemption: Preempting 1 workload frees enough quota.",
        "preemption: Quota to free: 2 GPUs on a100.",
        "preemption: What train may preempt: its own workloads of lower priority.",
        "preemption: low (priority 0) is preempted; it holds 2 GPUs on a100.",
    ]


def test_taints_and_node_labels_exclude_pods() -> None:
    world = World(
        queue("train").owns("spot", gpu=4).owns("fixed", gpu=2),
        flavors={"spot": Flavor(name="spot", taints=(Taint("spot", "yes"),))},
    )
    world.submit("runs", gpu=2).settle()
    world.submit("waits", gpu=1).settle()
    assert why(world, "waits") == [
        (
            "Waiting for quota in train: needs 1 GPU on fixed, 0 free now, 1 short; no workload "
            "may be preempted for it."
        ),
        "flavors: spot has the taint spot=yes:NoSchedule, which its pods do not tolerate.",
        (
            "flavors: fixed: 1 GPU of 2 nominal - 2 used = 0 available: 1 short, preemption "
            "cannot free it."
        ),
        "flavors: fixed comes closest.",
        "preemption: No workload may be preempted for it: train allows no preemption.",
        "preemption: Quota to free: 1 GPU on fixed.",
        "order: Position 1 of 1 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]


def test_a_local_queue_that_is_missing_is_named() -> None:
    routing = LocalQueueRouting(queue_label="queue", priority_label="class")
    world = World(queue("train").owns("a100", gpu=4), routing=routing)
    world.submit("lost", to="main", namespace="vision", gpu=1).settle()
    assert in_full(world.state.explain("lost")) == [
        "Waiting: there is no local queue main in namespace vision.",
        "intake: Labels: queue=main.",
        "intake: Namespace: vision.",
        "intake: Requests 1 GPU, with no priority.",
        "route: There is no local queue main in namespace vision.",
        "priority: Priority 0: none was requested, and there is no priority class named default.",
    ]
