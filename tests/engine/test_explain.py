"""Headlines of every kind of decision, and complete explanations."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from console.engine.disciplines.quota.reasons import QUOTA_RESERVED
from console.engine.disciplines.quota.trace import (
    QUOTA,
    Candidate,
    CandidateVerdict,
    PreemptionStep,
    PreemptionVerdict,
    QuotaFacts,
)
from console.engine.explain import explain, mentioned
from console.engine.model.common_reasons import DRAINED, PREEMPTED_IN_QUEUE, WAITING_FOR_PREEMPTED
from console.engine.model.decision import Outcome, PodSetAssignment
from console.engine.model.reasons import Reason, registered_reasons
from console.engine.model.stored_trace import trace_from_json
from console.engine.model.trace import (
    LocalQueueStep,
    LocalQueueVerdict,
    OrderStep,
    OutcomeStep,
    PreemptedStep,
    Trace,
    TurnStep,
    TurnVerdict,
)
from tests.engine.explanation_traces import ALONE, LINE, lines, stage, stage_sentences, trace

STORED = {
    each["workload"]: trace_from_json(each)
    for each in json.loads(
        (Path(__file__).parents[1] / "traces" / "version-1.json").read_text("utf-8")
    )
}

HEADLINES = {
    "small": "Waiting in train: it would fit, but workloads ahead of it go first.",
    "huge": (
        "Can never run under this config: it requests 9 GPUs, but train can never have more than "
        "4 on a100. Request at most 4 GPUs, or have the quota of train raised."
    ),
    "noflavor": "Rejected: no flavor of train accepts its labels.",
    "nobody": (
        "Rejected: none of the 2 scheduling rules accepts it. Rule 1 requires team "
        "in [research], but the label is absent."
    ),
    "free": "Admitted without a queue: the config has no scheduling rules.",
    "plain": "Admitted: default has no quota and admits every workload.",
    "bumped": (
        "Preempted: high with priority 90 needs its quota; train may preempt its own workloads of "
        "lower priority."
    ),
    "held": "Waiting: train is on hold and admits nothing new.",
    "run": "Admitted in train on a100: its request fits the free quota.",
    "high": "Starting soon in train: 1 workload is being preempted to free quota.",
    "wait": (
        "Waiting for quota in train: needs 2 GPUs on a100, 1 free now, 1 short; "
        "no workload may be preempted for it."
    ),
    "gone": "Withdrawn while it ran: it has released its quota and has to stop.",
    "llm": "Waiting for quota in research: needs 32 GPUs on spot, 4 free now, 28 short.",
    "blocked": (
        "Waiting for quota in research: needs 32 GPUs on spot, 4 free now, 28 "
        "short; no workload may be preempted for it."
    ),
    "meek": (
        "Waiting for quota in research: needs 32 GPUs on spot, 4 free now, 28 "
        "short; no workload may be preempted for it."
    ),
    "fair": "Starting soon in research: 1 workload is being preempted to free quota.",
    "owner": "Starting soon in research: 3 workloads are being preempted to free quota.",
    "gang": (
        "Admitted in research on reserved and spot with 6 of 10 pods of worker: "
        "it borrows 4 GPUs on spot from cohort ml."
    ),
    "late": "Waiting in research: when its turn came, fast had taken or claimed the quota.",
    "clash": (
        "Waiting in research: the workloads it would preempt are already being preempted for fast."
    ),
    "third": (
        "Starting soon in research: it fits once the workloads that are being preempted for fast "
        "have stopped."
    ),
    "close": ("Waiting in research: it fits as soon as old has stopped and releases its quota."),
    "victim": (
        "Waiting in research: it was preempted for urgent, which is still pending and goes first."
    ),
    "round": (
        "Waiting in research: its repeated attempts had no result, so it waits until a workload "
        "ends or the config changes."
    ),
    "strict": "Waiting in research: head is at the head of the queue and must start first.",
    "picky": (
        "Can never run under this config: no flavor of research accepts its pods; spot has the "
        "taint gpu=a100:NoSchedule, which its pods do not tolerate; reserved does not match: its "
        "pods require nodes with zone in [b], but it is 'a'."
    ),
    "tpu": (
        "Can never run under this config: it requests TPU, which is in no resource group of "
        "research."
    ),
    "lost": (
        "Waiting: research admits nothing, because the config does not define its flavor spto."
    ),
    "stopped": "Waiting: research is stopped by its config and admits nothing new.",
    "nowhere": "Waiting: it names no local queue: the label kueue.x-k8s.io/queue-name is absent.",
    "promised": "Admitted in research on spot: its request fits the free quota.",
    "defaultless": (
        "Waiting: it names no local queue: the label kueue.x-k8s.io/queue-name is absent, and "
        "namespace ml has no local queue default."
    ),
    "typo": "Waiting: there is no local queue mian in namespace ml; the nearest name is main.",
    "dangling": (
        "Waiting: local queue main of namespace ml routes to reserch, which does not exist; the "
        "nearest name is research."
    ),
    "shut": (
        "Waiting: local queue main of namespace ml is stopped and admits nothing to research."
    ),
    "classless": "Waiting: there is no priority class hihg; the nearest name is high.",
    "foreign": "Waiting: research does not admit workloads of namespace web.",
    "guest": (
        "Preempted: urgent with priority 200 needs its quota; research reclaims what other queues "
        "borrow, and may preempt any workload there."
    ),
    "lodger": (
        "Preempted: urgent with priority 200 needs its quota; research borrows "
        "too, and may preempt workloads of lower priority in other queues that "
        "borrow."
    ),
    "big": (
        "Preempted: urgent with priority 200 needs its quota; research has the "
        "smaller share, and may preempt any workload in queues that borrow."
    ),
    "drained": (
        "Preempted: batch is stopped by its config, and its running workloads are drained."
    ),
    "proud": "Waiting for quota in research: needs 32 GPUs on reserved, 4 free now, 28 short.",
    "left-alone": (
        "Waiting for quota in train: needs 2 GPUs on a100, 0 free now, 2 short; "
        "no workload may be preempted for it."
    ),
    "empty-handed": (
        "Waiting for quota in train: needs 2 GPUs on a100, 0 free now, 2 short; "
        "no workload may be preempted for it."
    ),
    "patient": (
        "Waiting for quota in train: needs 2 GPUs on a100, 0 free now, 2 short; "
        "no workload may be preempted for it."
    ),
    "too-large": (
        "Can never run under this config: it requests 9 GPUs and 64 CPUs, but train can never have "
        "more than 4 GPUs and 10 CPUs on a100. Request at most 4 GPUs and 10 CPUs, or have the "
        "quota of train raised."
    ),
    "behind-none": (
        "Waiting for quota in train: needs 4 GPUs on a100, 0 free now, 4 short; "
        "no workload may be preempted for it."
    ),
    "deactivated": "Deactivated: it gets no turn until it is activated.",
    "deactivated-running": (
        "Deactivated while it ran: it has to stop, and holds its quota until it is released."
    ),
    "out-of-time": ("Stopped after its maximum run time: it holds its quota until it is released."),
    "out-of-time-after": (
        "Deactivated: it has used up its maximum run time. It gets no turn until it is activated."
    ),
}


def test_headlines_of_stored_decisions() -> None:
    assert {name: explain(each).headline for name, each in STORED.items()} == HEADLINES


def test_complete_explanation_has_sentences_verdicts_and_lines() -> None:
    explanation = explain(STORED["wait"], {"run": "sweep"})
    assert [
        (each.stage, each.verdict.value, s.verdict.value, s.text, s.origin and s.origin.line)
        for each in explanation.stages
        for s in each.sentences
    ] == [
        (
            "intake",
            "info",
            "info",
            "Labels: accelerator-type=A100, market-type=ON_DEMAND, team=research.",
            None,
        ),
        ("intake", "info", "info", "Requests 2 GPUs, with priority 10.", None),
        ("route", "pass", "pass", "Rule 1 (to train) accepts it.", 18),
        ("priority", "pass", "pass", "Priority 10, as requested.", 20),
        ("queue", "pass", "pass", "train admits within quota.", 7),
        (
            "flavors",
            "fail",
            "fail",
            (
                "a100: 2 GPUs of 4 nominal - 3 used = 1 available: 1 short, preemption "
                "cannot free it."
            ),
            13,
        ),
        (
            "flavors",
            "fail",
            "fail",
            (
                "spot does not match: it requires market-type not in [ON_DEMAND], but it is "
                "'ON_DEMAND'."
            ),
            5,
        ),
        ("flavors", "fail", "info", "a100 comes closest.", 10),
        (
            "preemption",
            "fail",
            "fail",
            (
                "No workload may be preempted for it: the only running workload considered has "
                "the same or a higher priority."
            ),
            8,
        ),
        (
            "preemption",
            "fail",
            "info",
            "What train may preempt: its own workloads of lower priority.",
            8,
        ),
        (
            "preemption",
            "fail",
            "skip",
            (
                "sweep (priority 50) may not be preempted: its priority is not lower; it "
                "holds 3 GPUs on a100."
            ),
            None,
        ),
        ("order", "info", "info", "Position 2 of 2 in the queue.", None),
        (
            "order",
            "info",
            "info",
            (
                "Ordered by priority, then submission; a workload may overtake one that does not "
                "fit."
            ),
            None,
        ),
        (
            "outcome",
            "info",
            "info",
            (
                "Waiting for quota in train: needs 2 GPUs on a100, 1 free now, 1 short; "
                "no workload may be preempted for it."
            ),
            None,
        ),
    ]


def test_a_whole_explanation_in_a_cohort() -> None:
    told = STORED["llm"]
    assert {each.stage: lines(told, each.stage) for each in explain(told).stages} == {
        "intake": [
            (
                "info",
                "Labels: kueue.x-k8s.io/priority-class=high, kueue.x-k8s.io/queue-name=main.",
                None,
            ),
            ("info", "Namespace: ml.", None),
            ("info", "Requests 32 GPUs, with no priority.", None),
        ],
        "route": [
            ("pass", "Local queue main of namespace ml routes to research.", 80),
        ],
        "priority": [
            ("pass", "Priority 100, from priority class high.", 90),
        ],
        "queue": [
            (
                "pass",
                "research admits within quota and shares unused quota in cohort ml, part of org.",
                30,
            ),
        ],
        "flavors": [
            (
                "fail",
                (
                    "spot: 32 GPUs; research uses 76, 12 above its 64 nominal, and can "
                    "get 4 more: 28 short, preemption cannot free it."
                ),
                41,
            ),
            ("info", "research may borrow 16 GPUs on spot and borrows 12 now.", 41),
            (
                "info",
                (
                    "Cohort ml pools 128 GPUs on spot: 124 used, 4 available; it "
                    "may itself borrow 8 from its parent."
                ),
                10,
            ),
            ("info", "Cohort org pools 160 GPUs on spot: 160 used, none available.", 1),
            (
                "info",
                (
                    "Unused nominal quota of other queues on spot, lent or not: "
                    "4 GPUs of eval and 2 GPUs of batch."
                ),
                None,
            ),
            (
                "fail",
                (
                    "reserved: 32 GPUs of 8 nominal - 7 used = 1 available: 31 short, and it may "
                    "not preempt beyond its nominal quota."
                ),
                46,
            ),
            ("info", "spot comes closest.", 37),
        ],
        "preemption": [
            ("fail", "Preempting every permitted workload would not free enough quota.", 33),
            ("info", "Quota to free: 28 GPUs on spot.", None),
            (
                "info",
                (
                    "What research may preempt: its own workloads of lower priority, or of "
                    "the same priority and submitted later; in queues that borrow, "
                    "workloads of lower priority, and while it borrows itself only "
                    "workloads of lower priority up to priority 20."
                ),
                33,
            ),
            (
                "skip",
                (
                    "sweep-1 (priority 50) may be preempted, which is not enough; it holds "
                    "8 GPUs on spot."
                ),
                None,
            ),
            (
                "skip",
                (
                    "sweep-2 (priority 100, in batch) may not be preempted: its priority "
                    "is not lower; it holds 8 GPUs on spot."
                ),
                None,
            ),
            (
                "skip",
                (
                    "sweep-3 (priority 100) may not be preempted: it has the same priority "
                    "and was submitted earlier; it holds 8 GPUs on spot."
                ),
                None,
            ),
            (
                "skip",
                "etl (priority 50, in batch) would not help: it holds none of the missing quota.",
                None,
            ),
            ("skip", "old (priority 50) is already stopping; it holds 8 GPUs on spot.", None),
            (
                "skip",
                (
                    "own (priority 50, in eval) may not be preempted: eval uses no more than its "
                    "nominal quota; it holds 8 GPUs on spot."
                ),
                None,
            ),
            (
                "skip",
                (
                    "far (priority 50, in web) may not be preempted: a cohort above web "
                    "uses no more than its nominal quota; it holds 8 GPUs on spot."
                ),
                None,
            ),
            (
                "skip",
                (
                    "mid (priority 30, in batch) may not be preempted: its priority is above 20, "
                    "the highest that research may preempt while it borrows; it holds 8 GPUs on "
                    "spot."
                ),
                None,
            ),
            (
                "skip",
                (
                    "lent (priority 50, in batch) may not be preempted: research would "
                    "have to borrow for this, and a borrower may not preempt it; it "
                    "holds 8 GPUs on spot."
                ),
                None,
            ),
            ("info", "7 more running workloads not listed here.", None),
        ],
        "order": [
            ("info", "Position 1 of 14 in the queue.", None),
            (
                "info",
                (
                    "Ordered by priority, then submission; a workload may overtake one that does "
                    "not fit."
                ),
                None,
            ),
            ("info", "3 equivalent pending workloads wait for the same quota.", None),
        ],
        "outcome": [
            (
                "info",
                "Waiting for quota in research: needs 32 GPUs on spot, 4 free now, 28 short.",
                None,
            ),
        ],
    }


@pytest.mark.parametrize("reason", registered_reasons())
def test_every_reason_has_a_headline_even_without_facts(reason: Reason) -> None:
    headline = explain(trace(reason)).headline
    assert headline.endswith(".")
    assert "None" not in headline


def test_draining_queue_is_named() -> None:
    local = LocalQueueStep(namespace="ml", name="main", verdict=LocalQueueVerdict.STOPPED)
    drained = trace(DRAINED, Outcome.PREEMPTED, queue=ALONE)
    assert explain(drained).headline == (
        "Preempted: train is stopped by its config, and its running workloads are drained."
    )
    assert explain(replace(drained, local_queue=local)).headline == (
        "Preempted: its local queue main is stopped, and its running workloads are drained."
    )


STEP = PreemptedStep(
    preemptor="id-7",
    preemptor_priority=9,
    preemptor_requests={"gpu": 1500, "cpu": 1000},
    rule="lower_priority",
    queue="train",
    origin=LINE,
)


def test_workloads_are_named_where_names_are_known() -> None:
    stopped = trace(PREEMPTED_IN_QUEUE, Outcome.PREEMPTED, preempted=STEP)
    explanation = explain(stopped, {"id-7": "urgent"})
    assert explanation.headline == (
        "Preempted: urgent with priority 9 needs its quota; train may preempt its own workloads of "
        "lower priority."
    )
    assert stage_sentences(stopped, "preemption", {"id-7": "urgent"}) == [
        "urgent requests 1 CPU, 1.5 GPUs in train with priority 9.",
        "train may preempt its own workloads of lower priority.",
    ]
    thousandths, may = stage(explanation, "preemption").sentences
    assert (thousandths.workloads, may.origin) == (("id-7",), LINE)
    # A workload named in the headline is linked in the outcome.
    assert stage(explanation, "outcome").sentences[0].workloads == ("id-7",)


def test_all_workloads_in_a_trace_are_mentioned() -> None:
    told = Trace(
        workload="w",
        labels={},
        requests={},
        requested_priority=None,
        sections={
            QUOTA: QuotaFacts(
                preemption=PreemptionStep(
                    rule="any",
                    verdict=PreemptionVerdict.FOUND,
                    candidates=(
                        Candidate(
                            workload="candidate",
                            priority=1,
                            verdict=CandidateVerdict.TARGET,
                            frees={},
                        ),
                    ),
                )
            )
        },
        turn=TurnStep(verdict=TurnVerdict.OVERTAKEN, others=("one", "two")),
        preempted=STEP,
        order=OrderStep(position=2, pending=2, alike=1, blocked_by="first"),
        outcome=OutcomeStep(
            outcome=Outcome.PENDING,
            reason=WAITING_FOR_PREEMPTED,
            victims=("victim",),
        ),
    )
    assert mentioned(told) == {"candidate", "one", "two", "id-7", "first", "victim"}


def admitted(*assignment: PodSetAssignment) -> Trace:
    ending = OutcomeStep(outcome=Outcome.ADMITTED, reason=QUOTA_RESERVED, assignment=assignment)
    return replace(trace(queue=ALONE), outcome=ending)


def test_flavor_of_each_resource_is_stated() -> None:
    main = PodSetAssignment(name="main", count=4, flavors={"gpu": "spot", "cpu": "fixed"})
    assert lines(admitted(main), "outcome") == [
        ("pass", "Admitted in train on fixed and spot.", None),
        ("info", "Flavor fixed provides CPU.", None),
        ("info", "Flavor spot provides GPU.", None),
    ]


def test_assignment_of_each_pod_set_is_stated() -> None:
    driver = PodSetAssignment(name="driver", count=1, flavors={"cpu": "fixed"})
    worker = PodSetAssignment(name="worker", count=6, flavors={"gpu": "spot", "cpu": "fixed"})
    watch = PodSetAssignment(name="watch", count=2, flavors={})
    assert lines(admitted(driver, worker, watch), "outcome")[1:] == [
        ("info", "Pod set driver starts 1 pod: CPU from fixed.", None),
        ("info", "Pod set worker starts 6 pods: CPU from fixed and GPU from spot.", None),
        ("info", "Pod set watch starts 2 pods without quota.", None),
    ]


def test_workload_without_requests_is_admitted() -> None:
    assert lines(admitted(), "outcome") == [
        ("pass", "Admitted in train: it requests no resource that the queue limits.", None)
    ]
