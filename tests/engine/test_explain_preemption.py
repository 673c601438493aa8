"""Sentences about preemption and order: candidates, policies, and the next nomination."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.reasons import (
    PREEMPTED_FOR_FAIR_SHARE,
    RECLAIMED_IN_COHORT,
    RECLAIMED_WHILE_BORROWING,
)
from console.engine.disciplines.quota.trace import (
    Candidate,
    CandidateVerdict,
    PreemptionStep,
    PreemptionVerdict,
)
from console.engine.explain import explain
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    PREEMPTED_IN_QUEUE,
    WAITING_FOR_PREEMPTED,
)
from console.engine.model.decision import Outcome
from console.engine.model.reasons import Reason
from console.engine.model.trace import OrderStep, OutcomeStep, PreemptedStep, TurnStep, TurnVerdict
from tests.engine.explanation_traces import (
    ALONE,
    LINE,
    SHARING,
    lines,
    stage,
    stage_sentences,
    trace,
)

JUDGMENTS = {
    CandidateVerdict.TARGET: "is preempted",
    CandidateVerdict.NOT_NEEDED: "need not be preempted: the others free enough quota",
    CandidateVerdict.PRIORITY_NOT_LOWER: "may not be preempted: its priority is not lower",
    CandidateVerdict.OTHER_CAPACITY: "would not help: it holds none of the missing quota",
    CandidateVerdict.NOT_ENOUGH: "may be preempted, which is not enough",
    CandidateVerdict.DEPARTING: "is already stopping",
    CandidateVerdict.QUEUE_WITHIN_NOMINAL: (
        "may not be preempted: batch uses no more than its nominal quota"
    ),
    CandidateVerdict.COHORT_WITHIN_NOMINAL: (
        "may not be preempted: a cohort above batch uses no more than its nominal quota"
    ),
    CandidateVerdict.NOT_WHILE_BORROWING: (
        "may not be preempted: train would have to borrow for this, and a borrower may not "
        "preempt it"
    ),
    CandidateVerdict.ABOVE_THRESHOLD: (
        "may not be preempted: its priority is above 5, the highest that train may preempt while "
        "it borrows"
    ),
    CandidateVerdict.SHARE_NOT_LARGER: (
        "may not be preempted: the share of its branch is 33.3%, 16.6% without it, and that of "
        "train would be unbounded"
    ),
    CandidateVerdict.NOT_NEWER: (
        "may not be preempted: it has the same priority and was submitted earlier"
    ),
    CandidateVerdict.QUEUE_INACTIVE: "is not considered: batch is stopped or misconfigured",
    CandidateVerdict.STOPPED_BEFORE: "is not considered: it was already preempted twice for it",
}


def candidate(verdict: CandidateVerdict, name: str = "w", **facts: object) -> Candidate:
    values = {"priority": 4, "frees": {}}
    return Candidate(**(values | facts), workload=name, verdict=verdict)  # type: ignore[arg-type]


@pytest.mark.parametrize("verdict", CandidateVerdict)
def test_every_candidate_verdict(verdict: CandidateVerdict) -> None:
    looked_at = candidate(
        verdict,
        queue="batch",
        frees={"a100/nvidia.com/gpu": 500, "a100/memory": 2**31 * 1000},
        share=None,
        share_before=333,
        share_after=166,
    )
    step = PreemptionStep(
        rule="never",
        reclaim="never",
        threshold=5,
        verdict=PreemptionVerdict.FOUND,
        candidates=(looked_at,),
    )
    told = stage(explain(trace(queue=SHARING, preemption=step), {"w": "sweep"}), "preemption")
    assert [(each.text, each.workloads) for each in told.sentences[1:]] == [
        (
            (
                f"sweep (priority 4, in batch) {JUDGMENTS[verdict]}; it holds 0.5 nvidia.com/gpu "
                "and 2Gi memory on a100."
            ),
            ("w",),
        )
    ]


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (None, "is preempted"),
        ("preempted_in_queue", "is preempted"),
        ("reclaimed_in_cohort", "is preempted: batch uses more than its nominal quota"),
        ("reclaimed_while_borrowing", "is preempted: its priority is lower, and batch borrows"),
        (
            "preempted_for_fair_share",
            (
                "is preempted: the share of its branch is 33.3%, 16.6% without it, and that of "
                "train would be 10%"
            ),
        ),
    ],
)
def test_policy_that_allows_a_target_is_stated(right: str | None, words: str) -> None:
    target = candidate(
        CandidateVerdict.TARGET,
        queue="batch",
        right=right,
        share=100,
        share_before=333,
        share_after=166,
    )
    step = PreemptionStep(rule="never", verdict=PreemptionVerdict.FOUND, candidates=(target,))
    assert lines(trace(queue=SHARING, preemption=step), "preemption") == [
        ("pass", "Preempting 1 workload frees enough quota.", None),
        ("pass", f"w (priority 4, in batch) {words}.", None),
    ]


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (
            CandidateVerdict.TARGET,
            "is preempted: the share of its branch is larger than that of train",
        ),
        (
            CandidateVerdict.SHARE_NOT_LARGER,
            "may not be preempted: the share of its branch is not larger than that of train",
        ),
    ],
)
def test_shares_without_numbers(verdict: CandidateVerdict, words: str) -> None:
    looked_at = candidate(verdict, right="preempted_for_fair_share")
    step = PreemptionStep(rule="never", verdict=PreemptionVerdict.FOUND, candidates=(looked_at,))
    told = stage_sentences(trace(queue=SHARING, preemption=step), "preemption")
    assert told[1:] == [f"w (priority 4) {words}."]


def test_a_target_that_has_stopped_is_still_counted() -> None:
    ending = OutcomeStep(
        outcome=Outcome.PENDING,
        reason=WAITING_FOR_PREEMPTED,
        victims=("w0", "x"),
    )
    step = PreemptionStep(
        rule="never",
        verdict=PreemptionVerdict.FOUND,
        candidates=(candidate(CandidateVerdict.TARGET, "w0"),),
        more_candidates=2,
    )
    told = replace(trace(queue=ALONE, preemption=step), outcome=ending)
    assert stage_sentences(told, "preemption") == [
        "Preempting 2 workloads frees enough quota.",
        "w0 (priority 4) is preempted.",
        "2 more running workloads not listed here.",
    ]


def search(*verdicts: CandidateVerdict, **facts: object) -> PreemptionStep:
    values = {"rule": "never", "verdict": PreemptionVerdict.NOT_ENOUGH, "origin": LINE}
    return PreemptionStep(
        **(values | facts),  # type: ignore[arg-type]
        candidates=tuple(candidate(each, f"w{n}") for n, each in enumerate(verdicts)),
    )


LOWER, WITHIN = CandidateVerdict.PRIORITY_NOT_LOWER, CandidateVerdict.QUEUE_WITHIN_NOMINAL


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (
            search(verdict=PreemptionVerdict.NOT_ALLOWED),
            "No workload may be preempted for it: train allows no preemption.",
        ),
        # A search may have considered workloads without listing any.
        (search(), "Preempting every permitted workload would not free enough quota."),
        (
            search(LOWER),
            (
                "No workload may be preempted for it: the only running workload considered has "
                "the same or a higher priority."
            ),
        ),
        (
            search(WITHIN, WITHIN),
            (
                "No workload may be preempted for it: all 2 running workloads considered are in "
                "queues within their nominal quota."
            ),
        ),
        (
            search(LOWER, WITHIN, LOWER, CandidateVerdict.DEPARTING),
            (
                "No workload may be preempted for it: of 4 running workloads considered, 2 have "
                "the same or a higher priority, 1 is in a queue within its nominal quota and 1 is "
                "already stopping."
            ),
        ),
        (
            search(LOWER, CandidateVerdict.NOT_ENOUGH),
            "Preempting every permitted workload would not free enough quota.",
        ),
        (search(verdict=PreemptionVerdict.FOUND), "Preempting 0 workloads frees enough quota."),
    ],
)
def test_result_of_a_target_search(step: PreemptionStep, text: str) -> None:
    verdict = "pass" if step.verdict is PreemptionVerdict.FOUND else "fail"
    assert lines(trace(queue=ALONE, preemption=step), "preemption")[0] == (verdict, text, 3)


@pytest.mark.parametrize("verdict", [*JUDGMENTS][1:])
def test_every_verdict_is_summed_up(verdict: CandidateVerdict) -> None:
    text = stage_sentences(trace(queue=ALONE, preemption=search(verdict)), "preemption")[0]
    assert text.startswith(
        ("No workload may be preempted for it: the only", "Preempting every permitted workload")
    )


NEWER = "of lower priority, or of the same priority and submitted later"


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"rule": "lower_priority"}, "its own workloads of lower priority"),
        ({"rule": "lower_or_newer_equal_priority"}, f"its own workloads {NEWER}"),
        ({"rule": "any"}, "any of its own workloads"),
        (
            {"rule": "lower_priority", "reclaim": "never", "borrow": "never"},
            "its own workloads of lower priority; nothing in other queues, even if they borrow",
        ),
        (
            {"rule": "lower_priority", "reclaim": "any", "borrow": "never"},
            (
                "its own workloads of lower priority; in queues that borrow, any workload, unless "
                "it borrows itself"
            ),
        ),
        (
            {"reclaim": "lower_priority", "borrow": "lower_priority"},
            (
                "in queues that borrow, workloads of lower priority, and while it borrows itself "
                "only workloads of lower priority"
            ),
        ),
        (
            {"reclaim": "any", "borrow": "lower_priority", "threshold": 5},
            (
                "in queues that borrow, any workload, and while it borrows itself only workloads "
                "of lower priority up to priority 5"
            ),
        ),
        ({"reclaim": "any"}, "in queues that borrow, any workload"),
    ],
)
def test_workloads_that_a_queue_may_preempt(facts: dict[str, object], text: str) -> None:
    told = trace(queue=SHARING, preemption=search(**facts))
    assert lines(told, "preemption")[1:] == [("info", f"What train may preempt: {text}.", 3)]


def test_quota_to_free_is_stated() -> None:
    told = trace(
        queue=SHARING, preemption=search(needs={"spot/gpu": 4000, "spot/cpu": 500, "fixed/gpu": 1})
    )
    assert lines(told, "preemption")[1:] == [
        (
            "info",
            "Quota to free: 4 GPUs and 0.5 CPU on spot and 0.001 GPU on fixed.",
            None,
        )
    ]


A_SHARE = (
    "Fair sharing compares the two branches below the first cohort that both queues have in "
    "common; the share of a branch is what it borrows in percent of what could be lent, divided "
    "by its weight."
)


FAIR = [
    (
        ("less_than_or_equal_to_final_share",),
        (
            "A workload may be preempted if its branch keeps, without it, at least the share "
            "that train would have."
        ),
    ),
    (
        ("less_than_initial_share",),
        "A workload may be preempted if its branch has a larger share than train would have.",
    ),
    (
        ("less_than_or_equal_to_final_share", "less_than_initial_share"),
        (
            "A workload may be preempted if its branch keeps, without it, at least the share that "
            "train would have; if that is not enough, a workload may be preempted if its branch "
            "has a larger share than train would have."
        ),
    ),
]


@pytest.mark.parametrize(("strategies", "text"), FAIR)
def test_borrow_within_cohort_is_ignored_with_fair_sharing(
    strategies: tuple[str, ...], text: str
) -> None:
    step = search(strategies=strategies, reclaim="any", borrow="lower_priority", threshold=5)
    assert stage_sentences(trace(queue=SHARING, preemption=step), "preemption")[1:] == [
        "What train may preempt: in queues that borrow, any workload.",
        A_SHARE,
        text,
    ]


@pytest.mark.parametrize(("strategies", "text"), FAIR)
def test_fair_sharing_is_stated(strategies: tuple[str, ...], text: str) -> None:
    told = trace(queue=SHARING, preemption=search(strategies=strategies))
    assert stage_sentences(told, "preemption")[1:] == [A_SHARE, text]


STEP = PreemptedStep(
    preemptor="p",
    preemptor_priority=9,
    preemptor_requests={"gpu": 1000},
    rule="lower_priority",
    queue="train",
    path=("ml", "org"),
    own_path=("web", "org"),
    origin=LINE,
)
BATCH = replace(ALONE, name="batch")


@pytest.mark.parametrize(
    ("reason", "rule", "right"),
    [
        (
            RECLAIMED_IN_COHORT,
            "any",
            "train reclaims what other queues borrow, and may preempt any workload there",
        ),
        (
            RECLAIMED_IN_COHORT,
            "lower_priority",
            (
                "train reclaims what other queues borrow, and may preempt workloads of lower "
                "priority there"
            ),
        ),
        (
            RECLAIMED_WHILE_BORROWING,
            "lower_priority",
            (
                "train borrows too, and may preempt workloads of lower priority in other queues "
                "that borrow"
            ),
        ),
        (
            PREEMPTED_FOR_FAIR_SHARE,
            "any",
            "train has the smaller share, and may preempt any workload in queues that borrow",
        ),
    ],
)
def test_reason_of_preemption_by_another_queue(reason: Reason, rule: str, right: str) -> None:
    step = replace(STEP, rule=rule)
    told = trace(reason, Outcome.PREEMPTED, queue=BATCH, preempted=step)
    assert explain(told).headline == f"Preempted: p with priority 9 needs its quota; {right}."
    assert lines(told, "preemption") == [
        ("fail", "p requests 1 GPU in train with priority 9.", None),
        ("fail", f"{right}.", 3),
        ("info", "train and batch share the quota of cohort org.", None),
    ]


@pytest.mark.parametrize(
    ("rule", "right"),
    [
        ("lower_priority", "train may preempt its own workloads of lower priority"),
        ("lower_or_newer_equal_priority", f"train may preempt its own workloads {NEWER}"),
    ],
)
def test_reason_of_preemption_within_the_queue(rule: str, right: str) -> None:
    step = replace(STEP, rule=rule, own_path=STEP.path)
    told = trace(PREEMPTED_IN_QUEUE, Outcome.PREEMPTED, queue=SHARING, preempted=step)
    assert stage_sentences(told, "preemption") == [
        "p requests 1 GPU in train with priority 9.",
        f"{right}.",
    ]


@pytest.mark.parametrize(
    ("verdict", "others", "text"),
    [
        (TurnVerdict.OVERTAKEN, ("a",), "when its turn came, fast had taken or claimed the quota"),
        (
            TurnVerdict.OVERTAKEN,
            (),
            "when its turn came, other workloads had taken or claimed the quota",
        ),
        (
            TurnVerdict.VICTIMS_TAKEN,
            ("a", "b"),
            "the workloads it would preempt are already being preempted for fast and b",
        ),
        (
            TurnVerdict.VICTIMS_TAKEN,
            (),
            "the workloads it would preempt are already being preempted for other workloads",
        ),
        (
            TurnVerdict.AFTER_OTHERS,
            ("a",),
            "it fits once the workloads that are being preempted for fast have stopped",
        ),
        (
            TurnVerdict.AFTER_OTHERS,
            (),
            "it fits once the workloads that are being preempted for other workloads have stopped",
        ),
        (
            TurnVerdict.STILL_HELD,
            ("a",),
            "it fits as soon as fast has stopped and releases its quota",
        ),
        (
            TurnVerdict.STILL_HELD,
            ("a", "b", "c", "d", "e", "f", "g"),
            ("it fits as soon as fast, b, c, d, e and 2 more have stopped and release their quota"),
        ),
        (
            TurnVerdict.STILL_HELD,
            (),
            ("it fits as soon as workloads that are stopping have stopped and release their quota"),
        ),
        (
            TurnVerdict.YIELDS,
            ("a",),
            "it was preempted for fast, which is still pending and goes first",
        ),
        (
            TurnVerdict.YIELDS,
            (),
            "it was preempted for another workload, which is still pending and goes first",
        ),
        (
            TurnVerdict.CROWDED,
            ("a", "b"),
            (
                "enough workloads ahead of it (fast and b) already wait for preempted workloads "
                "to stop, so it does not preempt yet"
            ),
        ),
        (
            TurnVerdict.CIRCLE,
            (),
            (
                "its repeated attempts had no result, so it waits until a workload ends or the "
                "config changes"
            ),
        ),
    ],
)
def test_every_turn_verdict(verdict: TurnVerdict, others: tuple[str, ...], text: str) -> None:
    step = TurnStep(verdict=verdict, others=others)
    told = trace(BEHIND_OTHERS, queue=ALONE, turn=step)
    explanation = explain(told, {"a": "fast"})
    assert explanation.headline == f"Waiting in train: {text}."
    (sentence,) = stage(explanation, "order").sentences
    assert sentence.text == f"{text[0].upper()}{text[1:]}."
    # The workloads that the sentence names are linked.
    assert sentence.workloads == others[:5]
    soon = explain(replace(told, outcome=trace(WAITING_FOR_PREEMPTED).outcome), {"a": "fast"})
    assert soon.headline == f"Starting soon in train: {text}."


FIFO = "Ordered by priority, then submission; a workload may overtake one that does not fit."
STRICT = "Ordered by priority, then submission; no workload overtakes the head of the queue."


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (
            OrderStep(position=3, pending=9, alike=4),
            [
                ("info", "Position 3 of 9 in the queue.", None),
                ("info", FIFO, None),
                ("info", "4 equivalent pending workloads wait for the same quota.", None),
            ],
        ),
        (
            OrderStep(position=1, pending=9, alike=1, strict=True),
            [("info", "Position 1 of 9 in the queue.", None), ("info", STRICT, None)],
        ),
        (
            OrderStep(position=3, pending=9, alike=1, strict=True, blocked_by="head"),
            [
                ("info", "Position 3 of 9 in the queue.", None),
                ("info", STRICT, None),
                ("fail", "head is at the head of the queue and must start before it.", None),
            ],
        ),
    ],
)
def test_every_queue_position(step: OrderStep, told: list[tuple[str, str, int | None]]) -> None:
    assert lines(trace(order=step), "order") == told


def test_workload_that_blocks_a_strict_queue_is_in_the_headline() -> None:
    step = OrderStep(position=2, pending=2, alike=1, strict=True, blocked_by="id")
    explanation = explain(trace(BEHIND_OTHERS, queue=ALONE, order=step), {"id": "head"})
    assert explanation.headline == (
        "Waiting in train: head is at the head of the queue and must start first."
    )
    assert stage(explanation, "outcome").sentences[0].workloads == ("id",)
