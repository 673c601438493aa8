"""Changes that would admit a workload, in small worlds with known smallest changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.engine.counterfactual import Findings, find_changes
from console.engine.counterfactual.change import ChangeKind
from console.engine.explain.changes import change_sentence, in_vain_sentence
from console.engine.live.snapshot import SnapshotBase
from console.engine.model.selectors import EVERYTHING
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting
from tests.engine.builders import FAIR, World, cohort, only, pods, policy, queue, rule, workload

GIB = 2**30


def change_sentences(world: World, name: str = "z") -> list[str]:
    """Return the changes for *name* as sentences, and a sentence about changes that do not help."""
    world.settle()
    found = find_changes(world.state, name)
    lines = [change_sentence(change).text for change in found.changes]
    return lines + ([in_vain_sentence(found.in_vain)] if found.in_vain else [])


def full(world: World) -> World:
    """Return the world after it has settled."""
    world.settle()
    return world


def outranked() -> World:
    world = World(queue("train").owns(gpu=8).preempts())
    return (
        world.submit("a", gpu=4, priority=3)
        .submit("b", gpu=2, priority=5)
        .submit("z", gpu=8, priority=2)
    )


def kept_at_home() -> World:
    world = World(
        queue("eval").owns(gpu=2).borrows_up_to(1).within("left"),
        queue("other").owns(gpu=8).lends_up_to(1).within("right"),
        cohort("left").within("all"),
        cohort("right").within("all"),
    )
    return world.submit("a", gpu=2).submit("z", gpu=3)


def lent_out() -> World:
    world = World(queue("eval").owns(gpu=4).within("all"), queue("other").owns(gpu=4).within("all"))
    return full(world.submit("b1", "b2", gpu=4, to="other")).submit("z", gpu=4)


def shared_fairly() -> World:
    world = World(
        queue("eval").owns(gpu=2).within("all"),
        queue("other").owns(gpu=2).within("all"),
        cohort("all").owns(gpu=4),
        fair=FAIR,
    )
    return full(world.submit("b1", "b2", "b3", "b4", gpu=2, to="other")).submit("z", gpu=3)


def of_two_pod_sets() -> World:
    world = World(queue("train").owns(gpu=8, cpu=4))
    wish = (pods("driver", cpu=2), pods("workers", 8, gpu=1))
    return world.submit("a", gpu=2).submit("z", pod_sets=wish)


def of_bytes() -> World:
    world = World(queue("train").owns(gpu=4, memory=GIB * 10))
    return full(world.submit("a", gpu=1, memory=GIB * 4)).submit("z", gpu=1, memory=GIB * 8)


def in_a_strict_line() -> World:
    world = World(queue("train").owns(gpu=8).strict())
    return world.submit("a", gpu=4).submit("b", gpu=6).submit("z", gpu=1)


def behind_another() -> World:
    world = full(World(queue("train").owns(gpu=4)).submit("a", gpu=4))
    return world.submit("first", gpu=2, priority=9).submit("z", gpu=2)


def behind_a_preemptor() -> World:
    world = World(queue("train").owns(gpu=4).preempts())
    full(world.submit("a", gpu=2, priority=1).submit("b", gpu=2, priority=9))
    return full(world.submit("y", gpu=2, priority=3)).submit("z", gpu=2, priority=2)


def off_a_flavor() -> World:
    world = World(
        queue("train").owns("spot", gpu=4).owns("fixed", gpu=2), flavors={"fixed": only(kind="x")}
    )
    return full(world.submit("a", gpu=4)).submit("z", gpu=2)


def off_a_queue() -> World:
    rules = [rule(0, "fixed", only(team="ml")), rule(1, "spot")]
    world = World(queue("spot").owns(gpu=2), queue("fixed").owns(gpu=4), rules=rules)
    return full(world.submit("a", gpu=2)).submit("z", gpu=2)


def held() -> World:
    world = World(queue("train").owns(gpu=8))
    world.state.hold("train")
    return world.submit("z", gpu=1)


def stopped() -> World:
    return World(queue("train").owns(gpu=8).stopped()).submit("z", gpu=1)


def without_local_queue() -> World:
    routing = LocalQueueRouting(
        local_queues={("ns", "main"): LocalQueue(namespace="ns", name="main", queue="train")}
    )
    train = queue("train").owns(gpu=4).allows_namespaces(EVERYTHING)
    world = World(policy_=policy(train, routing=routing))
    return world.submit("z", gpu=2, namespace="ns")


def with_others_stopping() -> World:
    world = full(World(queue("train").owns(gpu=4).preempts()).submit("a", gpu=4, priority=1))
    return world.submit("z", gpu=4, priority=2)


TOLD = {
    outranked: [
        "Request 2 GPUs instead of 8: it would start now.",
        "Request priority 6 instead of 2: it would start once a and b have been preempted.",
        (
            "Raise the nominal quota of any/gpu in train from 8 to 14: it would start now; "
            "no other workload is affected."
        ),
        "Wait for a and b to end, or finish them: it would then start.",
        "Does not help: one other setting of the queue.",
    ],
    kept_at_home: [
        "Request 1 GPU instead of 3: it would start now.",
        "Set the label queue to other instead of eval: it would be routed to other and start now.",
        (
            "Raise the nominal quota of any/gpu in eval from 2 to 4: it would start now; "
            "no other workload is affected."
        ),
        "Wait for a to end, or finish it: it would then start.",
        "Does not help: a higher priority, one other setting of the queue.",
    ],
    lent_out: [
        (
            "Raise the nominal quota of any/gpu in eval from 4 to 8: it would start now; "
            "no other workload is affected."
        ),
        (
            "Change what eval may reclaim within its cohort from never to any: it would start "
            "once b2 has been preempted."
        ),
        "Wait for b2 to end, or finish it: it would then start.",
        "Does not help: a smaller request for one resource, another label, a higher priority.",
    ],
    shared_fairly: [
        (
            "Raise the nominal quota of any/gpu in eval from 2 to 5: it would start now; "
            "no other workload is affected."
        ),
        (
            "Raise the nominal quota of any/gpu in all from 4 to 7: it would start now; "
            "no other workload is affected."
        ),
        (
            "Change what eval may reclaim within its cohort from never to any: it would start "
            "once b3 and b4 have been preempted."
        ),
        "Wait for b3 and b4 to end, or finish them: it would then start.",
        "Does not help: a smaller request for one resource, another label, a higher priority.",
    ],
    of_two_pod_sets: [
        "Request 6 pods instead of 8 in pod set workers: it would start now.",
        (
            "Raise the nominal quota of any/gpu in train from 8 to 10: it would start now; "
            "no other workload is affected."
        ),
        "Wait for a to end, or finish it: it would then start.",
        "Does not help: a higher priority, one other setting of the queue.",
    ],
    of_bytes: [
        "Request 6Gi memory instead of 8Gi: it would start now.",
        (
            "Raise the nominal quota of any/memory in train from 10Gi to 12Gi: it would "
            "start now; no other workload is affected."
        ),
        "Wait for a to end, or finish it: it would then start.",
        "Does not help: a higher priority, one other setting of the queue.",
    ],
    in_a_strict_line: [
        "Request priority 1: it would start now; no other workload is affected.",
        (
            "Change the queueing strategy of train from strict fifo to best effort fifo: it would "
            "start now; no other workload is affected."
        ),
        "Does not help: a smaller request for one resource.",
    ],
    behind_another: [
        (
            "Raise the nominal quota of any/gpu in train from 4 to 8: it would start now; "
            "no other workload is affected."
        ),
        "Wait for a to end, or finish it: it would then start.",
        (
            "Does not help: a smaller request for one resource, a higher priority, one other "
            "setting of the queue."
        ),
    ],
    behind_a_preemptor: [
        (
            "Request priority 4 instead of 2: it would start once a has been preempted; y "
            "would wait instead."
        ),
        (
            "Raise the nominal quota of any/gpu in train from 4 to 6: it would start once a has "
            "been preempted."
        ),
        "Wait for b to end, or finish it: it would then start.",
        "Does not help: a smaller request for one resource, one other setting of the queue.",
    ],
    off_a_flavor: [
        "Add the label kind=x: it would start now.",
        (
            "Raise the nominal quota of spot/gpu in train from 4 to 6: it would start now; "
            "no other workload is affected."
        ),
        "Wait for a to end, or finish it: it would then start.",
        (
            "Does not help: a smaller request for one resource, a higher priority, one other "
            "setting of the queue."
        ),
    ],
    off_a_queue: [
        "Add the label team=ml: it would be routed to fixed and start now.",
        (
            "Raise the nominal quota of any/gpu in spot from 2 to 4: it would start now; "
            "no other workload is affected."
        ),
        "Wait for a to end, or finish it: it would then start.",
        (
            "Does not help: a smaller request for one resource, a higher priority, one other "
            "setting of the queue."
        ),
    ],
    held: [
        "Resume train: it would start now.",
        "Does not help: one other setting of the queue.",
    ],
    stopped: [
        (
            "Change the stop policy of train from hold to none: it would start now; no other "
            "workload is affected."
        ),
    ],
    without_local_queue: [
        "Add the label kueue.x-k8s.io/queue-name=main: it would be routed to train and start now.",
    ],
    with_others_stopping: [
        "No change is needed: it starts once a has stopped.",
    ],
}


@pytest.mark.parametrize("world", TOLD, ids=lambda world: world.__name__)
def test_smallest_changes_are_found_with_their_cost(world: Callable[[], World]) -> None:
    assert change_sentences(world()) == TOLD[world]


def test_running_workload_has_no_changes() -> None:
    world = full(outranked())
    assert find_changes(world.state, "a") == Findings()
    with pytest.raises(KeyError):
        find_changes(world.state, "nobody")


@pytest.mark.parametrize("budget", [0, 1, 5, 12, 200])
def test_evaluations_are_bounded(budget: int) -> None:
    state = full(outranked()).state
    everything = find_changes(state, "z")
    found = find_changes(state, "z", budget)
    assert found.evaluations <= budget
    assert found.is_cut == (budget < everything.evaluations)
    assert set(found.changes) <= set(everything.changes)


def test_unknown_queues_have_no_changes() -> None:
    state = full(off_a_queue()).state
    found = find_changes(state, "z", known={"spot"})
    assert [each.kind for each in found.changes] == [ChangeKind.QUOTA, ChangeKind.FINISH]


def test_snapshot_is_independent_of_the_state() -> None:
    world = full(outranked())
    snapshot = SnapshotBase(world.state, "train").snapshot()
    assert snapshot.finish("a")
    snapshot.submit(workload("new", 9, priority=9, labels={"queue": "train"}, gpu=8))
    snapshot.settle()
    assert snapshot.evicting == {"b"}
    assert (set(world.state.running), world.state.evicting) == ({"a", "b"}, set())
    assert world.state.usage("train") == {("any", "gpu"): 6000}
    assert world.state.settle() == []


def test_quota_change_includes_the_workloads_ahead() -> None:
    world = full(World(queue("train").owns(gpu=1)).submit("a", gpu=1))
    full(world.submit(*(f"w{number}" for number in range(6)), gpu=1, priority=1)).submit("z", gpu=1)
    world.settle()
    (change,) = (
        each for each in find_changes(world.state, "z").changes if each.kind is ChangeKind.QUOTA
    )
    assert (change.from_, change.to) == (1000, 8000)
