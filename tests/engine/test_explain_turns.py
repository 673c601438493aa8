"""Complete explanations of the order of nominations: by share, by queue, behind preemptors."""

from __future__ import annotations

from tests.engine.builders import ANY, FAIR, World, queue
from tests.engine.explanations import why


def test_fair_sharing_shows_the_shares() -> None:
    world = World(
        queue("train").owns("a100", gpu=4).within("ml").preempts(reclaim=ANY),
        queue("batch").owns("a100", gpu=4).within("ml"),
        queue("calm").owns("a100", gpu=4).within("ml"),
        fair=FAIR,
    )
    world.submit("b1", "b2", to="batch", gpu=3, priority=5).submit("b3", to="batch", gpu=2)
    world.submit("c1", to="calm", gpu=4).settle()
    world.submit("large", gpu=8, priority=5).settle()
    world.submit("modest", gpu=2, priority=5).settle()
    assert why(world, "large") == [
        (
            "Waiting for quota in train: needs 8 GPUs on a100, 0 free now, 8 short; no workload "
            "may be preempted for it."
        ),
        (
            "flavors: a100: 8 GPUs; train uses 0 of its 4 nominal and can get no more: 8 short, "
            "preemption cannot free it."
        ),
        "flavors: Cohort ml pools 12 GPUs on a100: 12 used, none available.",
        (
            "preemption: No workload may be preempted for it: of 4 running workloads considered, "
            "1 is already stopping, 2 are in branches whose share is not large enough and 1 is "
            "in a queue within its nominal quota."
        ),
        "preemption: Quota to free: 8 GPUs on a100.",
        (
            "preemption: What train may preempt: its own workloads of lower priority; in queues "
            "that borrow, any workload."
        ),
        (
            "preemption: Fair sharing compares the two branches below the first cohort that both "
            "queues have in common; the share of a branch is what it borrows in percent of what "
            "could be lent, divided by its weight."
        ),
        (
            "preemption: A workload may be preempted if its branch keeps, without it, at least "
            "the share that train would have; if that is not enough, a workload may be preempted "
            "if its branch has a larger share than train would have."
        ),
        "preemption: b3 (priority 0, in batch) is already stopping; it holds 2 GPUs on a100.",
        (
            "preemption: b2 (priority 5, in batch) may not be preempted: the share of its branch "
            "is 33.4%, 8.4% without it, and that of train would be 33.4%; it holds 3 GPUs on a100."
        ),
        (
            "preemption: b1 (priority 5, in batch) may not be preempted: the share of its branch "
            "is 33.4%, 8.4% without it, and that of train would be 33.4%; it holds 3 GPUs on a100."
        ),
        (
            "preemption: c1 (priority 0, in calm) may not be preempted: calm uses no more than "
            "its nominal quota; it holds 4 GPUs on a100."
        ),
        "order: Position 2 of 2 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]
    assert why(world, "modest") == [
        "Starting soon in train: 1 workload is being preempted to free quota.",
        (
            "flavors: a100: 2 GPUs; train uses 0 of its 4 nominal and can get no more: 2 short, "
            "reclaiming from other queues could free it."
        ),
        "flavors: Cohort ml pools 12 GPUs on a100: 12 used, none available.",
        "preemption: Preempting 1 workload frees enough quota.",
        "preemption: Quota to free: 2 GPUs on a100.",
        (
            "preemption: What train may preempt: its own workloads of lower priority; in queues "
            "that borrow, any workload."
        ),
        (
            "preemption: Fair sharing compares the two branches below the first cohort that both "
            "queues have in common; the share of a branch is what it borrows in percent of what "
            "could be lent, divided by its weight."
        ),
        (
            "preemption: A workload may be preempted if its branch keeps, without it, at least "
            "the share that train would have; if that is not enough, a workload may be preempted "
            "if its branch has a larger share than train would have."
        ),
        (
            "preemption: b3 (priority 0, in batch) is preempted: batch uses more than its nominal "
            "quota; it holds 2 GPUs on a100."
        ),
        (
            "preemption: b2 (priority 5, in batch) need not be preempted: the others free enough "
            "quota; it holds 3 GPUs on a100."
        ),
        (
            "preemption: b1 (priority 5, in batch) need not be preempted: the others free enough "
            "quota; it holds 3 GPUs on a100."
        ),
        (
            "preemption: c1 (priority 0, in calm) may not be preempted: calm uses no more than "
            "its nominal quota; it holds 4 GPUs on a100."
        ),
    ]


def test_head_of_a_strict_queue_is_not_overtaken() -> None:
    world = World(queue("train").owns("a100", gpu=4).strict())
    world.submit("runs", gpu=2).submit("first", gpu=4).submit("second", gpu=1).settle()
    assert why(world, "second") == [
        "Waiting in train: first is at the head of the queue and must start first.",
        "flavors: a100: 1 GPU of 4 nominal - 2 used = 2 available: fits.",
        "order: Position 2 of 2 in the queue.",
        "order: Ordered by priority, then submission; no workload overtakes the head of the queue.",
        "order: first is at the head of the queue and must start before it.",
    ]


def test_preemption_also_frees_the_excess_of_reduced_quota() -> None:
    world = World(queue("train").owns("a100", gpu=8).preempts())
    world.submit("a", "b", gpu=4).settle()
    world.apply(queue("train").owns("a100", gpu=4).preempts())
    world.submit("c", gpu=2, priority=3).settle()
    assert why(world, "c") == [
        "Starting soon in train: 2 workloads are being preempted to free quota.",
        (
            "flavors: a100: 2 GPUs; train uses 8, 4 above its 4 nominal, and can get no more: 2 "
            "short, preemption could free it."
        ),
        "preemption: Preempting 2 workloads frees enough quota.",
        "preemption: Quota to free: 6 GPUs on a100.",
        "preemption: What train may preempt: its own workloads of lower priority.",
        "preemption: b (priority 0) is preempted; it holds 4 GPUs on a100.",
        "preemption: a (priority 0) is preempted; it holds 4 GPUs on a100.",
    ]
    assert why(world, "a") == [
        (
            "Preempted: c with priority 3 needs its quota; train may preempt its own workloads of "
            "lower priority."
        ),
        "preemption: c requests 2 GPUs in train with priority 3.",
        "preemption: train may preempt its own workloads of lower priority.",
        "outcome: Flavor a100 provides GPU.",
    ]


def test_quota_claimed_by_a_preemptor_is_not_available() -> None:
    world = World(queue("train").owns("a100", gpu=4).preempts())
    world.submit("low", gpu=3).settle()
    world.submit("high", gpu=4, priority=9).settle()
    world.submit("small", gpu=1, priority=5).settle()
    assert why(world, "small") == [
        "Waiting in train: when its turn came, high had taken or claimed the quota.",
        "flavors: a100: 1 GPU of 4 nominal - 3 used = 1 available: fits.",
        "order: Position 2 of 2 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
        "order: When its turn came, high had taken or claimed the quota.",
    ]
    assert why(world, "high") == [
        "Starting soon in train: 1 workload is being preempted to free quota.",
        (
            "flavors: a100: 4 GPUs of 4 nominal - 3 used = 1 available: 3 short, preemption could "
            "free it."
        ),
        "preemption: Preempting 1 workload frees enough quota.",
        "preemption: Quota to free: 3 GPUs on a100.",
        "preemption: What train may preempt: its own workloads of lower priority.",
        "preemption: low (priority 0) is preempted; it holds 3 GPUs on a100.",
    ]
    assert why(world, "low") == [
        (
            "Preempted: high with priority 9 needs its quota; train may preempt its own "
            "workloads of lower priority."
        ),
        "preemption: high requests 4 GPUs in train with priority 9.",
        "preemption: train may preempt its own workloads of lower priority.",
        "outcome: Flavor a100 provides GPU.",
    ]
