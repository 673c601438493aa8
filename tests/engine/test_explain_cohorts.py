"""Complete explanations of queues in cohorts: borrowing, reclaim and their limits."""

from __future__ import annotations

from tests.engine.builders import ANY, LOWER, World, cohort, queue
from tests.engine.explanations import in_full, why


def test_a_nested_cohort_lends_and_its_reserve_is_exhausted() -> None:
    world = World(
        queue("train").owns("a100", gpu=4).within("ml").preempts(reclaim=ANY),
        queue("eval").owns("a100", gpu=4).within("ml"),
        queue("batch").owns("a100", gpu=8).lends_up_to(4).within("org"),
        cohort("ml").within("org"),
        cohort("org").owns("a100", gpu=2),
    )
    world.submit("big", gpu=12).settle()
    world.submit("more", gpu=6).settle()
    assert in_full(world.state.explain("more")) == [
        (
            "Waiting for quota in train: needs 6 GPUs on a100, 2 free now, 4 short; no workload "
            "may be preempted for it."
        ),
        "intake: Labels: queue=train.",
        "intake: Requests 6 GPUs, with no priority.",
        "route: Rule 1 (to train) accepts it.",
        "priority: Priority 0: none was requested, and Rule 1 has no default.",
        "queue: train admits within quota and shares unused quota in cohort ml, part of org.",
        (
            "flavors: a100: 6 GPUs; train uses 12, 8 above its 4 nominal, and can get 2 more: 4 "
            "short, and it may not preempt beyond its nominal quota."
        ),
        "flavors: Cohort ml pools 8 GPUs on a100: 12 used, 2 available.",
        "flavors: Cohort org pools 14 GPUs on a100: 12 used, 2 available.",
        (
            "flavors: Unused nominal quota of other queues on a100, lent or not: 4 GPUs "
            "of batch and 4 GPUs of eval."
        ),
        (
            "preemption: No workload may be preempted for it: it would have to borrow, and train "
            "may not preempt beyond its nominal quota."
        ),
        (
            "preemption: What train may preempt: its own workloads of lower priority; in queues "
            "that borrow, any workload, unless it borrows itself."
        ),
        "order: Position 1 of 1 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]
    assert in_full(world.state.explain("big")) == [
        "Admitted in train on a100.",
        "intake: Labels: queue=train.",
        "intake: Requests 12 GPUs, with no priority.",
        "route: Rule 1 (to train) accepts it.",
        "priority: Priority 0: none was requested, and Rule 1 has no default.",
        "queue: train admits within quota and shares unused quota in cohort ml, part of org.",
        "outcome: Flavor a100 provides GPU.",
    ]


def test_admission_states_borrowed_quota() -> None:
    world = World(
        queue("train").owns("a100", gpu=4).within("ml"),
        queue("eval").owns("a100", gpu=4).within("ml"),
        cohort("ml").within("org"),
    )
    world.submit("big", gpu=6).settle()
    assert in_full(world.decisions[0].trace) == [
        "Admitted in train on a100: it borrows 2 GPUs on a100 from cohort ml.",
        "intake: Labels: queue=train.",
        "intake: Requests 6 GPUs, with no priority.",
        "route: Rule 1 (to train) accepts it.",
        "priority: Priority 0: none was requested, and Rule 1 has no default.",
        "queue: train admits within quota and shares unused quota in cohort ml, part of org.",
        (
            "flavors: a100: 6 GPUs; train uses 0 of its 4 nominal and can get 8 more: fits, "
            "borrowing 2 from cohort ml."
        ),
        "outcome: Flavor a100 provides GPU.",
    ]


def test_reclaim_from_borrowers() -> None:
    world = World(
        queue("train").owns("a100", gpu=4).within("ml").preempts(reclaim=ANY),
        queue("batch").owns("a100", gpu=4).within("ml"),
    )
    world.submit("b1", "b2", "b3", "b4", to="batch", gpu=2, priority=5).settle()
    world.submit("urgent", gpu=3, priority=1).settle()
    assert why(world, "urgent") == [
        "Starting soon in train: 2 workloads are being preempted to free quota.",
        (
            "flavors: a100: 3 GPUs; train uses 0 of its 4 nominal and can get no more: 3 short, "
            "reclaiming from other queues could free it."
        ),
        "flavors: Cohort ml pools 8 GPUs on a100: 8 used, none available.",
        "preemption: Preempting 2 workloads frees enough quota.",
        "preemption: Quota to free: 3 GPUs on a100.",
        (
            "preemption: What train may preempt: its own workloads of lower priority; in queues "
            "that borrow, any workload, unless it borrows itself."
        ),
        (
            "preemption: b4 (priority 5, in batch) is preempted: batch uses more than its nominal "
            "quota; it holds 2 GPUs on a100."
        ),
        (
            "preemption: b3 (priority 5, in batch) is preempted: batch uses more than its nominal "
            "quota; it holds 2 GPUs on a100."
        ),
        (
            "preemption: b2 (priority 5, in batch) need not be preempted: the others free enough "
            "quota; it holds 2 GPUs on a100."
        ),
        (
            "preemption: b1 (priority 5, in batch) need not be preempted: the others free enough "
            "quota; it holds 2 GPUs on a100."
        ),
    ]
    assert why(world, "b4") == [
        (
            "Preempted: urgent with priority 1 needs its quota; train reclaims what other queues "
            "borrow, and may preempt any workload there."
        ),
        "preemption: urgent requests 3 GPUs in train with priority 1.",
        "preemption: train reclaims what other queues borrow, and may preempt any workload there.",
        "preemption: train and batch share the quota of cohort ml.",
        "outcome: Flavor a100 provides GPU.",
    ]


def test_policy_that_forbids_reclaim_is_named() -> None:
    world = World(
        queue("train").owns("a100", gpu=4).within("ml").preempts(),
        queue("batch").owns("a100", gpu=4).within("ml"),
    )
    world.submit("b1", "b2", to="batch", gpu=4).settle()
    world.submit("stuck", gpu=3, priority=9).settle()
    world.submit("large", gpu=6, priority=9).settle()
    assert why(world, "stuck") == [
        (
            "Waiting for quota in train: needs 3 GPUs on a100, 0 free now, 3 short; no workload "
            "may be preempted for it."
        ),
        (
            "flavors: a100: 3 GPUs; train uses 0 of its 4 nominal and can get no more: 3 short, "
            "preemption cannot free it."
        ),
        "flavors: Cohort ml pools 8 GPUs on a100: 8 used, none available.",
        (
            "preemption: No workload may be preempted for it: none runs in train; it may not "
            "preempt in other queues."
        ),
        "preemption: Quota to free: 3 GPUs on a100.",
        (
            "preemption: What train may preempt: its own workloads of lower priority; nothing in "
            "other queues, even if they borrow."
        ),
        "order: Position 1 of 2 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]
    assert why(world, "large") == [
        (
            "Waiting for quota in train: needs 6 GPUs on a100, 0 free now, 6 short; no workload "
            "may be preempted for it."
        ),
        (
            "flavors: a100: 6 GPUs; train uses 0 of its 4 nominal and can get no more: 6 short, "
            "and it may not preempt beyond its nominal quota."
        ),
        "flavors: Cohort ml pools 8 GPUs on a100: 8 used, none available.",
        (
            "preemption: No workload may be preempted for it: it would have to borrow, and train "
            "may not preempt beyond its nominal quota."
        ),
        (
            "preemption: What train may preempt: its own workloads of lower priority; nothing in "
            "other queues, even if they borrow."
        ),
        "order: Position 2 of 2 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]


def test_workloads_that_cannot_be_preempted_are_listed() -> None:
    world = World(
        queue("train").owns("a100", gpu=4).owns("h100", gpu=0).within("ml").preempts(reclaim=LOWER),
        queue("batch").owns("a100", gpu=4).owns("h100", gpu=0).within("ml"),
        queue("calm").owns("a100", gpu=4).owns("h100", gpu=0).within("ml"),
    )
    world.submit("b1", "b2", to="batch", gpu=4, priority=5).submit("c1", to="calm", gpu=2)
    world.submit("own", gpu=2, priority=7).settle()
    world.submit("stuck", gpu=2, priority=5).settle()
    assert why(world, "stuck") == [
        (
            "Waiting for quota in train: needs 2 GPUs on a100, 0 free now, 2 short; no workload "
            "may be preempted for it."
        ),
        (
            "flavors: a100: 2 GPUs; train uses 2 of its 4 nominal and can get no more: 2 short, "
            "preemption cannot free it."
        ),
        "flavors: Cohort ml pools 12 GPUs on a100: 12 used, none available.",
        ("flavors: Unused nominal quota of other queues on a100, lent or not: 2 GPUs of calm."),
        "flavors: h100: 2 GPUs is more than the 0 that train can ever have.",
        "flavors: Cohort ml has no quota for GPU on h100.",
        "flavors: a100 comes closest.",
        (
            "preemption: No workload may be preempted for it: of 4 running workloads considered, "
            "3 have the same or a higher priority and 1 is in a queue within its nominal quota."
        ),
        "preemption: Quota to free: 2 GPUs on a100.",
        (
            "preemption: What train may preempt: its own workloads of lower priority; in queues "
            "that borrow, workloads of lower priority, unless it borrows itself."
        ),
        (
            "preemption: own (priority 7) may not be preempted: its priority is not lower; it holds"
            " 2 GPUs on a100."
        ),
        (
            "preemption: b2 (priority 5, in batch) may not be preempted: its priority is not lower;"
            " it holds 4 GPUs on a100."
        ),
        (
            "preemption: c1 (priority 0, in calm) may not be preempted: calm uses no more than "
            "its nominal quota; it holds 2 GPUs on a100."
        ),
        (
            "preemption: b1 (priority 5, in batch) may not be preempted: its priority is not lower;"
            " it holds 4 GPUs on a100."
        ),
        "order: Position 1 of 1 in the queue.",
        (
            "order: Ordered by priority, then submission; a workload may overtake one that does "
            "not fit."
        ),
    ]
