"""The exact words for every reason and every fact."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from console.engine.amounts import UNLIMITED
from console.engine.decision import Outcome, Reason
from console.engine.explain import (
    Explanation,
    Verdict,
    explain,
    mentioned,
)
from console.engine.origin import Origin
from console.engine.reasons import ReasonClass, event_sentence, reason_class, reason_title
from console.engine.trace import (
    Candidate,
    CandidateVerdict,
    FailedExpression,
    FlavorTried,
    FlavorVerdict,
    GroupStep,
    OrderStep,
    OutcomeStep,
    PreemptedStep,
    PreemptionStep,
    PreemptionVerdict,
    PriorityStep,
    PriorityVerdict,
    QueueStep,
    QuotaCheck,
    RuleTried,
    RuleVerdict,
    Trace,
    trace_from_json,
)

STORED = Path(__file__).parents[1] / "traces" / "version-1.json"
LINE = Origin(3, 1, 3, 9)


def trace(
    reason: Reason = Reason.WAITING_FOR_QUOTA, outcome: Outcome = Outcome.PENDING, **stages: object
) -> Trace:
    ending = OutcomeStep(outcome=outcome, reason=reason, assignment={})
    return Trace(
        workload="w",
        labels={},
        requests={},
        requested_priority=None,
        **({"outcome": ending} | stages),  # type: ignore[arg-type]
    )


def said(explanation: Explanation, stage: str) -> list[str]:
    """Return the sentences of one stage."""
    return [s.text for each in explanation.stages if each.stage == stage for s in each.sentences]


def check(verdict: FlavorVerdict, **numbers: object) -> QuotaCheck:
    values = {
        "resource": "gpu",
        "requested": 3000,
        "nominal": 4000,
        "used": 2500,
        "promised": 0,
        "available": 1500,
        "maximum": 4000,
        "missing": 0 if verdict is FlavorVerdict.FITS else 1500,
    }
    return QuotaCheck(**(values | numbers), verdict=verdict)  # type: ignore[arg-type]


def test_headlines_of_stored_decisions() -> None:
    stored = [trace_from_json(each) for each in json.loads(STORED.read_text("utf-8"))]
    assert {each.outcome.reason.value: explain(each).headline for each in stored} == {
        "behind_others": (
            "Waiting in train: it fits alone, but the free quota is promised to others."
        ),
        "exceeds_max_quota": (
            "Can never run under this config: it asks for 9 gpu, and train can never have more "
            "than 4 on a100."
        ),
        "no_flavor_matched": "Rejected: no flavor of train accepts its labels.",
        "no_rule_matched": (
            "Rejected: none of the 2 scheduling rules takes it. Rule 1 asks for team in "
            "[research], and the label is absent."
        ),
        "no_rules": "Admitted without a queue: the config has no scheduling rules.",
        "passthrough": "Admitted: default takes everything without quota.",
        "preempted_in_queue": (
            "Preempted: high with priority 90 needs its room, and train may preempt "
            "(lower_priority)."
        ),
        "queue_held": "Waiting: train is on hold and admits nothing new.",
        "quota_reserved": "Admitted in train on a100: its request fits the free quota.",
        "waiting_for_preempted": (
            "Starting soon in train: 1 workload is being stopped to make room."
        ),
        "waiting_for_quota": (
            "Waiting for quota in train: needs 2 gpu on a100, 1 free now, 1 short."
        ),
        "withdrawn_while_running": (
            "Withdrawn while it ran: it has given back its quota and has to stop."
        ),
    }


def test_a_whole_explanation_in_words_verdicts_and_lines() -> None:
    stored = {
        each["outcome"]["reason"]: trace_from_json(each)
        for each in json.loads(STORED.read_text("utf-8"))
    }
    explanation = explain(stored["waiting_for_quota"], {"run": "sweep"})
    assert [
        (stage.stage, stage.verdict.value, s.verdict.value, s.text, s.origin and s.origin.line)
        for stage in explanation.stages
        for s in stage.sentences
    ] == [
        (
            "intake",
            "info",
            "info",
            "Labels: accelerator-type=A100, market-type=ON_DEMAND, team=research.",
            None,
        ),
        ("intake", "info", "info", "Asks for 2 gpu, with priority 10 requested.", None),
        ("route", "pass", "pass", "Rule 1 (to train) takes it.", 18),
        ("priority", "pass", "pass", "Priority 10, as requested.", 20),
        ("queue", "pass", "pass", "train admits by quota.", 7),
        (
            "flavors",
            "fail",
            "fail",
            "a100: 2 gpu of 4 nominal - 3 used = 1 available: 1 short.",
            13,
        ),
        (
            "flavors",
            "fail",
            "fail",
            (
                "spot does not match: it asks for market-type not in [ON_DEMAND], and it is "
                "'ON_DEMAND'."
            ),
            5,
        ),
        (
            "preemption",
            "fail",
            "fail",
            "Stopping every workload that may be stopped would not make enough room.",
            8,
        ),
        (
            "preemption",
            "fail",
            "skip",
            (
                "sweep (priority 50) may not be stopped: its priority is not lower; it holds "
                "3 a100/gpu."
            ),
            None,
        ),
        ("order", "info", "info", "Position 2 of 2 in the queue.", None),
        (
            "order",
            "info",
            "info",
            "Priority goes first, then submission; a later one may overtake what does not fit.",
            None,
        ),
        (
            "outcome",
            "info",
            "info",
            "Waiting for quota in train: needs 2 gpu on a100, 1 free now, 1 short.",
            None,
        ),
    ]


TITLES = {
    Reason.NO_RULES: ("Admitted without a queue", ReasonClass.RUNNING),
    Reason.PASSTHROUGH: ("Admitted without quota", ReasonClass.RUNNING),
    Reason.QUOTA_RESERVED: ("Quota reserved", ReasonClass.RUNNING),
    Reason.NO_RULE_MATCHED: ("No rule matched", ReasonClass.REJECTED),
    Reason.NO_FLAVOR_MATCHED: ("No flavor matched", ReasonClass.REJECTED),
    Reason.QUEUE_HELD: ("Queue on hold", ReasonClass.HELD),
    Reason.EXCEEDS_MAX_QUOTA: ("Can never run under this config", ReasonClass.CANNOT_RUN),
    Reason.WAITING_FOR_PREEMPTED: ("Starting soon", ReasonClass.SOON),
    Reason.WAITING_FOR_QUOTA: ("Waiting for quota", ReasonClass.WAITING),
    Reason.BEHIND_OTHERS: ("Behind others", ReasonClass.WAITING),
    Reason.NOT_EVALUATED: ("Not looked at yet", ReasonClass.UNSEEN),
    Reason.PREEMPTED_IN_QUEUE: ("Preempted", ReasonClass.PREEMPTED),
    Reason.WITHDRAWN_WHILE_RUNNING: ("Withdrawn while running", ReasonClass.ENDED),
}


def test_every_reason_has_a_title_and_a_class() -> None:
    assert {r: (reason_title(r.value), reason_class(r.value)) for r in Reason} == TITLES


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_headline_even_without_facts(reason: Reason) -> None:
    headline = explain(trace(reason)).headline
    assert headline.endswith(".")
    assert "None" not in headline


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (
            RuleTried(index=0, queue="train", verdict=RuleVerdict.TOOK, origin=LINE),
            "Rule 1 (to train) takes it.",
        ),
        (
            RuleTried(
                index=1, queue="train", verdict=RuleVerdict.PRIORITY_OUT_OF_RANGE, origin=LINE
            ),
            "Rule 2 (to train) matches, but does not accept its priority.",
        ),
        (
            RuleTried(
                index=2,
                queue="train",
                verdict=RuleVerdict.SELECTOR_FALSE,
                failed=FailedExpression(key="team", operator="does_not_exist", actual="a"),
                origin=LINE,
            ),
            "Rule 3 (to train) does not match: it asks for team does not exist, and it is 'a'.",
        ),
    ],
    ids=lambda value: value.verdict.value if isinstance(value, RuleTried) else "",
)
def test_every_rule_verdict(step: RuleTried, text: str) -> None:
    assert said(explain(trace(rules=(step,))), "route") == [text]


def test_long_value_lists_are_cut() -> None:
    failed = FailedExpression(key="team", operator="in", values=tuple("abcdefg"))
    step = RuleTried(index=0, queue="q", verdict=RuleVerdict.SELECTOR_FALSE, failed=failed)
    (text,) = said(explain(trace(rules=(step,))), "route")
    assert text == (
        "Rule 1 (to q) does not match: it asks for team in [a, b, c, d, e, and 2 more], and the "
        "label is absent."
    )


@pytest.mark.parametrize(
    ("verdict", "requested", "effective", "bounds", "text"),
    [
        (PriorityVerdict.REQUESTED, 7, 7, (None, None), "Priority 7, as requested."),
        (
            PriorityVerdict.DEFAULT,
            None,
            50,
            (0, 100),
            "Priority 50: none was requested, and Rule 1 gives this default.",
        ),
        (
            PriorityVerdict.ZERO,
            None,
            0,
            (None, None),
            "Priority 0: none was requested, and Rule 1 has no default.",
        ),
        (
            PriorityVerdict.FORCED,
            9,
            5,
            (1, 5),
            "Priority 5: 9 was requested, and Rule 1 accepts priorities from 1 to 5.",
        ),
        (
            PriorityVerdict.FORCED,
            None,
            3,
            (3, None),
            "Priority 3: none was requested, and Rule 1 accepts priorities from 3.",
        ),
        (
            None,
            9,
            None,
            (None, 5),
            (
                "Rule 1 accepts priorities up to 5, and priority 9 is outside, so the next rule is "
                "tried."
            ),
        ),
    ],
)
def test_every_priority_verdict(
    verdict: PriorityVerdict | None,
    requested: int | None,
    effective: int | None,
    bounds: tuple[int | None, int | None],
    text: str,
) -> None:
    step = PriorityStep(
        rule=0,
        requested=requested,
        effective=effective,
        verdict=verdict,
        minimum=bounds[0],
        maximum=bounds[1],
    )
    assert said(explain(trace(priorities=(step,))), "priority") == [text]


@pytest.mark.parametrize(
    ("tried", "text"),
    [
        (
            FlavorTried(flavor="a100", verdict=FlavorVerdict.NOT_REACHED),
            "a100 was not looked at.",
        ),
        (
            FlavorTried(
                flavor="a100",
                verdict=FlavorVerdict.SELECTOR_FALSE,
                failed=FailedExpression(key="kind", operator="exists"),
            ),
            "a100 does not match: it asks for kind exists, and the label is absent.",
        ),
        (
            check(FlavorVerdict.EXCEEDS_MAX, requested=5000),
            (
                "a100: 5 gpu of 4 nominal - 2.5 used = 1.5 available: more than the 4 it can ever "
                "have."
            ),
        ),
        (
            check(FlavorVerdict.NO_CANDIDATES, promised=1000, available=500, missing=2500),
            "a100: 3 gpu of 4 nominal - 2.5 used - 1 promised = 0.5 available: 2.5 short.",
        ),
        (
            check(FlavorVerdict.PREEMPT),
            (
                "a100: 3 gpu of 4 nominal - 2.5 used = 1.5 available: 1.5 short, preemption could "
                "free it."
            ),
        ),
        (
            check(FlavorVerdict.WAITS_FOR_PREEMPTED),
            (
                "a100: 3 gpu of 4 nominal - 2.5 used = 1.5 available: 1.5 short until preempted "
                "workloads have stopped."
            ),
        ),
        (
            check(FlavorVerdict.FITS, nominal=UNLIMITED, available=UNLIMITED),
            "a100: 3 gpu of unlimited nominal - 2.5 used = unlimited available: fits.",
        ),
    ],
    ids=lambda value: value.verdict.value if not isinstance(value, str) else "",
)
def test_every_flavor_verdict(tried: FlavorTried | QuotaCheck, text: str) -> None:
    if isinstance(tried, QuotaCheck):
        tried = FlavorTried(flavor="a100", verdict=tried.verdict, checks=(tried,))
    groups = (GroupStep(resources=("gpu",), flavors=(tried,), chosen="a100"),)
    assert said(explain(trace(groups=groups)), "flavors") == [text]


CANDIDATES = {
    CandidateVerdict.TARGET: "has to stop",
    CandidateVerdict.NOT_NEEDED: "need not stop: the others free enough",
    CandidateVerdict.PRIORITY_NOT_LOWER: "may not be stopped: its priority is not lower",
    CandidateVerdict.OTHER_CAPACITY: "would not help: it holds nothing that is short",
    CandidateVerdict.NOT_ENOUGH: "may be stopped, which is not enough",
    CandidateVerdict.DEPARTING: "is already stopping",
}


def test_every_candidate_verdict() -> None:
    candidates = tuple(
        Candidate(workload=f"w{index}", priority=index, verdict=verdict, frees={"a100/gpu": 500})
        for index, verdict in enumerate(CandidateVerdict)
    )
    step = PreemptionStep(
        rule="lower_priority",
        verdict=PreemptionVerdict.FOUND,
        candidates=candidates,
        more_candidates=2,
    )
    ending = OutcomeStep(
        outcome=Outcome.PENDING,
        reason=Reason.WAITING_FOR_PREEMPTED,
        assignment={},
        victims=("w0", "x"),
    )
    found = replace(trace(preemption=step), outcome=ending)
    assert said(explain(found, {"w0": "sweep"}), "preemption") == [
        "Stopping 2 workloads makes enough room.",
        *(
            f"{'sweep' if index == 0 else f'w{index}'} (priority {index}) {CANDIDATES[verdict]}; "
            "it holds 0.5 a100/gpu."
            for index, verdict in enumerate(CandidateVerdict)
        ),
        "2 more running workloads not listed here.",
    ]
    assert mentioned(found) == {"x", *(f"w{index}" for index in range(len(CandidateVerdict)))}


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        (
            PreemptionVerdict.NOT_ALLOWED,
            "Preemption within the queue is never, so nobody is stopped for it.",
        ),
        (
            PreemptionVerdict.NOT_ENOUGH,
            "Stopping every workload that may be stopped would not make enough room.",
        ),
        (PreemptionVerdict.FOUND, "Stopping 0 workloads makes enough room."),
    ],
)
def test_every_preemption_verdict(verdict: PreemptionVerdict, text: str) -> None:
    step = PreemptionStep(rule="never", verdict=verdict)
    assert said(explain(trace(preemption=step)), "preemption") == [text]


@pytest.mark.parametrize(
    ("step", "text", "verdict"),
    [
        (QueueStep(name="q", passthrough=True), "q has no quota: it admits everything.", "pass"),
        (QueueStep(name="q", passthrough=False), "q admits by quota.", "pass"),
        (
            QueueStep(name="q", passthrough=False, held=True),
            "q is on hold: it admits nothing new.",
            "fail",
        ),
    ],
)
def test_every_kind_of_queue(step: QueueStep, text: str, verdict: str) -> None:
    explanation = explain(trace(queue=step))
    assert said(explanation, "queue") == [text]
    assert next(s.verdict for s in explanation.stages if s.stage == "queue") == verdict


def test_resources_that_nobody_covers_are_named_and_fail_nothing() -> None:
    preempted = trace(Reason.PREEMPTED_IN_QUEUE, Outcome.PREEMPTED, uncovered=("tpu",))
    explanation = explain(preempted)
    assert said(explanation, "flavors") == ["tpu is covered by no resource group and not limited."]
    assert next(s.verdict for s in explanation.stages if s.stage == "flavors") == "info"
    both = explain(trace(uncovered=("cpu", "tpu")))
    assert said(both, "flavors") == [
        "cpu and tpu are covered by no resource group and not limited."
    ]


def test_the_order_counts_who_is_alike() -> None:
    texts = said(explain(trace(order=OrderStep(position=3, pending=9, alike=4))), "order")
    assert texts == [
        "Position 3 of 9 in the queue.",
        "Priority goes first, then submission; a later one may overtake what does not fit.",
        "4 pending workloads are alike and wait for the same.",
    ]


def test_names_stand_for_ids_where_they_are_known() -> None:
    step = PreemptedStep(
        preemptor="id-7",
        preemptor_priority=9,
        preemptor_requests={"gpu": 1500, "cpu": 1000},
        rule="lower_priority",
        queue="train",
        origin=LINE,
    )
    stopped = trace(Reason.PREEMPTED_IN_QUEUE, Outcome.PREEMPTED, preempted=step)
    explanation = explain(stopped, {"id-7": "urgent"})
    assert explanation.headline == (
        "Preempted: urgent with priority 9 needs its room, and train may preempt (lower_priority)."
    )
    assert said(explanation, "preemption") == [
        "urgent asks for 1 cpu, 1.5 gpu with priority 9; train may preempt (lower_priority)."
    ]
    assert mentioned(stopped) == {"id-7"}
    (sentence,) = next(s for s in explanation.stages if s.stage == "preemption").sentences
    assert (sentence.origin, sentence.workloads) == (LINE, ("id-7",))


def test_the_numbers_of_a_check_are_there_as_values() -> None:
    tried = FlavorTried(
        flavor="a100", verdict=FlavorVerdict.FITS, checks=(check(FlavorVerdict.FITS),)
    )
    unlimited = replace(tried.checks[0], nominal=UNLIMITED)
    groups = (GroupStep(resources=("gpu",), flavors=(replace(tried, checks=(unlimited,)),)),)
    stage = next(s for s in explain(trace(groups=groups)).stages if s.stage == "flavors")
    assert stage.sentences[0].numbers == {
        "requested": 3000,
        "nominal": "unlimited",
        "used": 2500,
        "promised": 0,
        "available": 1500,
        "maximum": 4000,
        "missing": 0,
    }
    assert stage.sentences[0].verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("REQUEST_SUBMITTED", {}, "sweep was submitted."),
        (
            "REQUEST_QUEUED",
            {"reason": "waiting_for_quota"},
            "sweep is queued: waiting for quota.",
        ),
        ("REQUEST_ADMITTED", {}, "sweep was admitted."),
        (
            "REQUEST_ADMITTED",
            {"flavors": {"gpu": "a100", "cpu": "node"}},
            "sweep was admitted on a100 and node.",
        ),
        (
            "REQUEST_REJECTED",
            {"reason": "no_rule_matched"},
            "sweep was rejected: no rule matched.",
        ),
        ("REQUEST_PREEMPTED", {"preemptor_name": "urgent"}, "sweep was told to stop for urgent."),
        ("REQUEST_REQUEUED", {"reason": "behind_others"}, "sweep is queued again: behind others."),
        ("REQUEST_RELEASED", {}, "sweep has stopped and gave back its quota."),
        ("REQUEST_FULFILLED", {}, "sweep finished."),
        ("REQUEST_ABORTED", {}, "sweep was withdrawn."),
    ],
)
def test_events(kind: str, data: dict[str, object], sentence: str) -> None:
    assert event_sentence(kind, {"name": "sweep"} | data) == sentence


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"version": 2}, "Config version 2 was applied"),
        ({"version": 2, "message": "More gpu"}, "Config version 2 was applied: More gpu"),
        (
            {"version": 3, "kind": "rollback", "from": 2, "message": ""},
            "Config version 3 was applied, rolling back from version 2",
        ),
    ],
)
def test_config_events(data: dict[str, object], sentence: str) -> None:
    assert event_sentence("CONFIG_UPDATED", data) == sentence
