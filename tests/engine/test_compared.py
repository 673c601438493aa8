"""Comparison of two traces, question by question in the order of the stages."""

from __future__ import annotations

from console.engine.disciplines.quota.reasons import WAITING_FOR_QUOTA
from console.engine.disciplines.quota.trace import (
    QUOTA,
    FlavorTried,
    GroupStep,
    PreemptionStep,
    PreemptionVerdict,
    QuotaCheck,
    QuotaFacts,
)
from console.engine.explain.compared import Compared, compare
from console.engine.explain.sentences import ExplainContext
from console.engine.model.common_reasons import PASSTHROUGH, WAITING_FOR_PREEMPTED
from console.engine.model.decision import Outcome
from console.engine.model.trace import (
    FlavorVerdict,
    OrderStep,
    OutcomeStep,
    PriorityStep,
    PriorityVerdict,
    QueueStep,
    RuleTried,
    RuleVerdict,
    Trace,
)
from console.engine.routing.reasons import NO_RULE_MATCHED

_TOOK = RuleTried(index=0, queue="research", verdict=RuleVerdict.TOOK)


def _check(requested: int, available: int, verdict: FlavorVerdict) -> QuotaCheck:
    return QuotaCheck(
        resource="gpu",
        requested=requested,
        nominal=8000,
        used=8000 - available,
        available=available,
        maximum=8000,
        missing=max(0, requested - available),
        verdict=verdict,
    )


def _trace(gpu: int, available: int, verdict: FlavorVerdict, outcome: OutcomeStep) -> Trace:
    tried = FlavorTried(flavor="spot", verdict=verdict, checks=(_check(gpu, available, verdict),))
    return Trace(
        workload="w",
        labels={"team": "a"},
        requests={"gpu": gpu},
        requested_priority=None,
        rules=(_TOOK,),
        priorities=(
            PriorityStep(rule=0, requested=None, effective=50, verdict=PriorityVerdict.DEFAULT),
        ),
        queue=QueueStep(name="research", passthrough=False, held=verdict is FlavorVerdict.NO_ROOM),
        sections={
            QUOTA: QuotaFacts(
                groups=(GroupStep(resources=("gpu",), flavors=(tried,), chosen="spot"),)
            )
        },
        outcome=outcome,
    )


def test_differences_are_listed_by_stage_with_numbers() -> None:
    waits = _trace(
        6000,
        2000,
        FlavorVerdict.NO_ROOM,
        OutcomeStep(outcome=Outcome.PENDING, reason=WAITING_FOR_QUOTA),
    )
    runs = _trace(
        2000,
        8000,
        FlavorVerdict.FITS,
        OutcomeStep(outcome=Outcome.ADMITTED, reason=PASSTHROUGH),
    )
    found = compare(ExplainContext(waits, {}), ExplainContext(runs, {}))
    assert [(row.stage, row.what, row.one, row.other) for row in found if not row.is_same] == [
        ("intake", "Requested GPU", "6", "2"),
        ("queue", "Queue", "research, on hold", "research"),
        (
            "flavors",
            "GPU on spot",
            "6 GPUs of 2 available (6 used, 8 nominal), 4 short: not enough quota",
            "2 GPUs of 8 available (0 used, 8 nominal): fits",
        ),
        (
            "outcome",
            "Outcome",
            "Waiting for quota in research: needs 6 GPUs on spot, 2 free now, 4 short.",
            "Admitted: research has no quota and admits every workload.",
        ),
    ]
    assert [row.what for row in found if row.is_same] == [
        "Label team",
        "Routed by",
        "Requested",
        "Effective",
        "Preempted workloads",
    ]


def test_stage_reached_by_one_trace_is_missing_in_the_other() -> None:
    lost = Trace(
        workload="w",
        labels={},
        requests={},
        requested_priority=7,
        outcome=OutcomeStep(outcome=Outcome.REJECTED, reason=NO_RULE_MATCHED),
    )
    waits = Trace(
        workload="v",
        labels={},
        requests={},
        requested_priority=7,
        queue=QueueStep(name="research", passthrough=False),
        sections={
            QUOTA: QuotaFacts(
                preemption=PreemptionStep(rule="never", verdict=PreemptionVerdict.NOT_ALLOWED)
            )
        },
        order=OrderStep(position=3, pending=9, alike=1),
        outcome=OutcomeStep(
            outcome=Outcome.PENDING, reason=WAITING_FOR_PREEMPTED, victims=("x", "y")
        ),
    )
    found = {row.what: row for row in compare(ExplainContext(lost, {}), ExplainContext(waits, {}))}
    assert found["Queue"] == Compared(stage="queue", what="Queue", one="—", other="research")
    assert (found["Position"].one, found["Position"].other) == ("—", "3 of 9")
    assert (found["Preempted workloads"].one, found["Preempted workloads"].other) == (
        "no search",
        "2 workloads",
    )
    assert found["Routed by"].is_same
