"""Sentences about flavors: obstacles, quota arithmetic, and possible lenders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.reasons import QUOTA_RESERVED
from console.engine.disciplines.quota.trace import FlavorTried, GroupStep, NodeFact, QuotaCheck
from console.engine.explain import Verdict, explain
from console.engine.model.amounts import UNLIMITED
from console.engine.model.common_reasons import NO_FLAVOR_MATCHED, PREEMPTED_IN_QUEUE, QUEUE_HELD
from console.engine.model.decision import Outcome
from console.engine.model.trace import FailedExpression, FlavorVerdict, PodSetStep
from tests.engine.explanation_traces import (
    ALONE,
    LINE,
    OTHER_LINE,
    SHARING,
    check,
    lines,
    stage,
    stage_sentences,
    trace,
    walk,
)


@pytest.mark.parametrize(
    ("tried", "chosen", "told"),
    [
        (
            FlavorTried(flavor="a100", verdict=FlavorVerdict.NOT_REACHED, origin=LINE),
            None,
            ("skip", "a100 was not tried.", 3),
        ),
        (
            FlavorTried(flavor="a100", verdict=FlavorVerdict.NOT_REACHED, origin=LINE),
            "spot",
            ("skip", "a100 was not tried: spot, which comes before it, was sufficient.", 3),
        ),
        (
            FlavorTried(flavor="a100", verdict=FlavorVerdict.PASSED_BEFORE, origin=LINE),
            "spot",
            ("skip", "a100 was tried in an earlier turn; this turn began after it.", 3),
        ),
        (
            FlavorTried(flavor="a100", verdict=FlavorVerdict.NOT_NOMINATED, origin=LINE),
            "spot",
            (
                "skip",
                (
                    "a100 was skipped: other workloads had claimed the preemption candidates, so "
                    "only the flavor found first was tried again."
                ),
                3,
            ),
        ),
        (
            FlavorTried(flavor="a100", verdict=FlavorVerdict.FLAVOR_MISSING, origin=LINE),
            None,
            ("fail", "train names a100, which the config does not define.", 3),
        ),
        (
            FlavorTried(
                flavor="a100",
                verdict=FlavorVerdict.SELECTOR_FALSE,
                failed=FailedExpression(key="kind", operator="exists", origin=OTHER_LINE),
                origin=LINE,
            ),
            None,
            ("fail", "a100 does not match: it requires kind exists, but the label is absent.", 7),
        ),
        (
            FlavorTried(
                flavor="a100",
                verdict=FlavorVerdict.TAINT_NOT_TOLERATED,
                taint="gpu=a100:NoSchedule",
                origin=LINE,
            ),
            None,
            (
                "fail",
                "a100 has the taint gpu=a100:NoSchedule, which its pods do not tolerate.",
                3,
            ),
        ),
        (
            FlavorTried(
                flavor="a100",
                verdict=FlavorVerdict.LABELS_DO_NOT_MATCH,
                failed=FailedExpression(key="zone", operator="NotIn", values=("a",), actual="a"),
                origin=LINE,
            ),
            None,
            (
                "fail",
                (
                    "a100 does not match: its pods require nodes with zone not in [a], but it is "
                    "'a'."
                ),
                3,
            ),
        ),
        (
            FlavorTried(flavor="a100", verdict=FlavorVerdict.LABELS_DO_NOT_MATCH, origin=LINE),
            None,
            ("fail", "a100 does not match the node requirements of its pods.", 3),
        ),
    ],
)
def test_every_flavor_that_is_not_counted(
    tried: FlavorTried, chosen: str | None, told: tuple[str, str, int | None]
) -> None:
    groups = (GroupStep(resources=("gpu",), flavors=(tried,), chosen=chosen),)
    assert lines(trace(queue=ALONE, groups=groups), "flavors") == [told]


SUM = "a100: 3 GPUs of 4 nominal - 2.5 used = 1.5 available"


@pytest.mark.parametrize(
    ("judged", "text"),
    [
        (
            check(FlavorVerdict.EXCEEDS_MAX, requested=5000),
            "a100: 5 GPUs is more than the 4 that train can ever have.",
        ),
        (
            check(FlavorVerdict.EXCEEDS_MAX, assumed=2000),
            (
                "a100: 3 GPUs (after 2 for earlier pod sets) is more than the 4 that train can "
                "ever have."
            ),
        ),
        (check(FlavorVerdict.NO_CANDIDATES), f"{SUM}: 1.5 short, preemption cannot free it."),
        (
            check(FlavorVerdict.NO_ROOM),
            f"{SUM}: 1.5 short, and it may not preempt beyond its nominal quota.",
        ),
        (check(FlavorVerdict.PREEMPT), f"{SUM}: 1.5 short, preemption could free it."),
        (
            check(FlavorVerdict.RECLAIM),
            f"{SUM}: 1.5 short, reclaiming from other queues could free it.",
        ),
        (
            check(FlavorVerdict.NO_CANDIDATES, used=6000, available=0, missing=3000),
            (
                "a100: 3 GPUs; train uses 6, 2 above its 4 nominal, and can get no more: 3 short, "
                "preemption cannot free it."
            ),
        ),
        # Another resource determined the verdict of the flavor.
        (check(FlavorVerdict.NOT_NOMINATED), f"{SUM}: 1.5 short."),
        (
            check(FlavorVerdict.FITS, nominal=UNLIMITED, available=UNLIMITED),
            "a100: 3 GPUs of unlimited nominal - 2.5 used = unlimited available: fits.",
        ),
        (
            check(FlavorVerdict.PREEMPT, assumed=1000, missing=2500),
            (
                "a100: 3 GPUs (after 1 for earlier pod sets) of 4 nominal - 2.5 used = 1.5 "
                "available: 2.5 short, preemption could free it."
            ),
        ),
    ],
)
def test_quota_sentence_of_a_queue_without_cohort(judged: QuotaCheck, text: str) -> None:
    assert stage_sentences(trace(queue=ALONE, groups=walk(judged)), "flavors") == [text]


@pytest.mark.parametrize(
    ("judged", "text"),
    [
        (
            check(FlavorVerdict.FITS, requested=1000, available=9500),
            "a100: 1 GPU; train uses 2.5 of its 4 nominal and can get 9.5 more: fits.",
        ),
        (
            check(FlavorVerdict.FITS, available=8000, borrow_level=1, borrows_from="ml"),
            (
                "a100: 3 GPUs; train uses 2.5 of its 4 nominal and can get 8 more: fits, borrowing "
                "1.5 from cohort ml."
            ),
        ),
        # The queue neither borrows nor lacks nominal quota, so the sentence has the full sum.
        (
            check(FlavorVerdict.RECLAIM),
            f"{SUM}: 1.5 short, reclaiming from other queues could free it.",
        ),
        # The cohort to borrow from lies within the root cohort.
        (
            check(FlavorVerdict.FITS, available=8000, borrow_level=2),
            (
                "a100: 3 GPUs; train uses 2.5 of its 4 nominal and can get 8 more: fits, borrowing "
                "1.5 from cohort org."
            ),
        ),
        # The queue already borrows, so the whole request is borrowed.
        (
            check(FlavorVerdict.FITS, used=6000, available=8000, borrow_level=1, borrows_from="ml"),
            (
                "a100: 3 GPUs; train uses 6, 2 above its 4 nominal, and can get 8 more: fits, "
                "borrowing 3 from cohort ml."
            ),
        ),
        (
            check(
                FlavorVerdict.FITS,
                assumed=1000,
                used=2000,
                available=8000,
                borrow_level=1,
                borrows_from="ml",
            ),
            (
                "a100: 3 GPUs (after 1 for earlier pod sets); train uses 2 of its 4 nominal and "
                "can get 8 more: fits, borrowing 2 from cohort ml."
            ),
        ),
        (
            check(FlavorVerdict.RECLAIM, available=0, borrow_level=1, borrows_from="ml"),
            (
                "a100: 3 GPUs; train uses 2.5 of its 4 nominal and can get no more: 1.5 short, "
                "reclaiming from other queues could free it, borrowing from cohort ml."
            ),
        ),
        # Other queues of the cohort exceed their quota.
        (
            check(FlavorVerdict.NO_CANDIDATES, available=-2000, missing=3000),
            (
                "a100: 3 GPUs; train uses 2.5 of its 4 nominal and can get no more: 3 short, "
                "preemption cannot free it."
            ),
        ),
    ],
)
def test_quota_sentence_of_a_queue_in_a_cohort(judged: QuotaCheck, text: str) -> None:
    assert stage_sentences(trace(queue=SHARING, groups=walk(judged)), "flavors") == [text]


def test_limiting_cohort_is_named() -> None:
    judged = check(
        FlavorVerdict.NO_CANDIDATES,
        used=6000,
        borrowing_limit=3000,
        path=(
            NodeFact(
                name="ml",
                quota=12000,
                used=10000,
                available=1500,
                borrowing_limit=2000,
                origin=OTHER_LINE,
            ),
            NodeFact(name="eu", quota=8000, used=0, available=0, borrowing_limit=0),
            NodeFact(
                name="org", quota=20000, used=21000, available=-1000, borrowing_limit=UNLIMITED
            ),
        ),
        lenders={"eval": 1000, "batch": 500},
        origin=LINE,
    )
    assert lines(trace(queue=SHARING, groups=walk(judged)), "flavors") == [
        (
            "fail",
            (
                "a100: 3 GPUs; train uses 6, 2 above its 4 nominal, and can get 1.5 more: 1.5 "
                "short, preemption cannot free it."
            ),
            3,
        ),
        ("info", "train may borrow 3 GPUs on a100 and borrows 2 now.", 3),
        (
            "info",
            (
                "Cohort ml pools 12 GPUs on a100: 10 used, 1.5 available; it may itself borrow 2 "
                "from its parent."
            ),
            7,
        ),
        (
            "info",
            (
                "Cohort eu pools 8 GPUs on a100: none used, none available; it may itself borrow "
                "0 from its parent."
            ),
            None,
        ),
        (
            "info",
            "Cohort org pools 20 GPUs on a100: 21 used, 1 over, none available.",
            None,
        ),
        (
            "info",
            (
                "Unused nominal quota of other queues on a100, lent or not: "
                "1 GPU of eval and 0.5 GPU of batch."
            ),
            None,
        ),
    ]


@pytest.mark.parametrize(
    ("nominal", "text"),
    [
        (4000, "train may borrow 3 GPUs on a100 and borrows nothing now."),
        (UNLIMITED, "train may borrow 3 GPUs on a100."),
    ],
)
def test_borrowing_limit_is_stated_with_borrowed_quota(nominal: object, text: str) -> None:
    judged = check(FlavorVerdict.NO_CANDIDATES, nominal=nominal, borrowing_limit=3000)
    assert stage_sentences(trace(queue=SHARING, groups=walk(judged)), "flavors")[1:] == [text]


def test_request_within_nominal_quota_names_no_cohort() -> None:
    ml = NodeFact(name="ml", quota=12000, used=0, available=12000, borrowing_limit=UNLIMITED)
    at_home = check(FlavorVerdict.FITS, requested=1000, path=(ml,), lenders={"eval": 1000})
    assert len(stage_sentences(trace(queue=SHARING, groups=walk(at_home)), "flavors")) == 1


def test_memory_is_written_in_binary_units() -> None:
    gib = 2**30 * 1000
    judged = check(
        FlavorVerdict.NO_CANDIDATES,
        resource="memory",
        requested=64 * gib,
        nominal=128 * gib,
        used=96 * gib,
        available=32 * gib,
        missing=32 * gib,
    )
    waiting = trace(queue=ALONE, groups=walk(judged))
    assert stage_sentences(waiting, "flavors") == [
        (
            "a100: 64Gi memory of 128Gi nominal - 96Gi used = 32Gi available: 32Gi short, "
            "preemption cannot free it."
        )
    ]
    assert explain(waiting).headline == (
        "Waiting for quota in train: needs 64Gi memory on a100, 32Gi free now, 32Gi short."
    )


def test_free_quota_is_never_negative() -> None:
    judged = check(FlavorVerdict.NO_CANDIDATES, available=-2000, missing=3000)
    assert explain(trace(queue=SHARING, groups=walk(judged))).headline == (
        "Waiting for quota in train: needs 3 GPUs on a100, 0 free now, 3 short."
    )


def test_closest_flavor_is_named_if_none_fits() -> None:
    def full(flavor: str, missing: int) -> FlavorTried:
        judged = check(FlavorVerdict.NO_ROOM, missing=missing, available=0)
        return FlavorTried(flavor=flavor, verdict=FlavorVerdict.NO_ROOM, checks=(judged,))

    never = FlavorTried(flavor="never", verdict=FlavorVerdict.EXCEEDS_MAX)
    groups = walk(never, full("one", 3000), full("two", 1000), full("three", 1000), chosen=None)
    assert explain(trace(queue=SHARING, groups=groups)).headline == (
        "Waiting for quota in train: needs 3 GPUs on two, 0 free now, 1 short."
    )


def test_lenders_are_omitted_if_the_request_exceeds_the_limit() -> None:
    ml = NodeFact(name="ml", quota=4000, used=0, available=4000, borrowing_limit=UNLIMITED)
    judged = check(FlavorVerdict.EXCEEDS_MAX, requested=5000, path=(ml,), lenders={"eval": 1000})
    assert stage_sentences(trace(queue=SHARING, groups=walk(judged)), "flavors") == [
        "a100: 5 GPUs is more than the 4 that train can ever have.",
        "Cohort ml pools 4 GPUs on a100: none used, 4 available.",
    ]


def test_pod_sets_name_the_flavors_they_need() -> None:
    fits = check(FlavorVerdict.FITS, requested=1000)
    (group,) = walk(fits)
    told = trace(
        QUOTA_RESERVED,
        Outcome.ADMITTED,
        queue=ALONE,
        pod_sets=(
            PodSetStep(name="driver", count=1, requests={"gpu": 1000}),
            PodSetStep(name="worker", count=9, min_count=1, reduced_to=4, requests={"gpu": 1000}),
        ),
        groups=(
            replace(group, pod_sets=("driver",), resources=("gpu", "cpu"), origin=OTHER_LINE),
            replace(group, pod_sets=("worker", "watch")),
        ),
    )
    fact = ("pass", "a100: 1 GPU of 4 nominal - 2.5 used = 1.5 available: fits.", None)
    assert lines(told, "flavors") == [
        ("info", "Pod set worker is tried with 4 of its 9 pods: not all of them fit.", None),
        ("info", "Pod set driver needs one flavor for gpu and cpu.", 7),
        fact,
        ("info", "Pod sets worker and watch need one flavor for gpu.", None),
        fact,
    ]


def test_best_flavor_is_named_while_pending() -> None:
    (group,) = walk(
        FlavorTried(flavor="spot", verdict=FlavorVerdict.NO_ROOM),
        FlavorTried(flavor="a100", verdict=FlavorVerdict.NO_ROOM),
    )
    waiting = trace(groups=(replace(group, origin=LINE),))
    assert lines(waiting, "flavors") == [("info", "a100 comes closest.", 3)]
    assert stage_sentences(trace(QUEUE_HELD, groups=(group,)), "flavors") == []


def test_uncovered_resources_are_named_without_failing() -> None:
    preempted = trace(PREEMPTED_IN_QUEUE, Outcome.PREEMPTED, uncovered=("tpu",))
    assert lines(preempted, "flavors") == [
        ("info", "TPU is in no resource group and not limited.", None)
    ]
    assert stage(explain(preempted), "flavors").verdict is Verdict.INFO
    assert stage_sentences(trace(uncovered=("cpu", "tpu")), "flavors") == [
        "CPU and TPU are in no resource group and not limited."
    ]


def test_uncovered_required_resource_fails() -> None:
    told = trace(NO_FLAVOR_MATCHED, queue=replace(ALONE, origin=LINE), undeclared="nvidia.com/gpu")
    assert lines(told, "flavors") == [
        (
            "fail",
            "nvidia.com/gpu is in no resource group of train, so the queue cannot admit it.",
            3,
        )
    ]
    assert stage(explain(told), "flavors").verdict is Verdict.FAIL
    assert explain(told).headline == (
        "Can never run under this config: it requests nvidia.com/gpu, which is in no resource "
        "group of train."
    )


def test_quota_check_numbers_are_facts() -> None:
    judged = check(FlavorVerdict.FITS, nominal=UNLIMITED, assumed=500)
    told = stage(explain(trace(queue=ALONE, groups=walk(judged))), "flavors")
    assert told.sentences[0].numbers == {
        "requested": 3000,
        "assumed": 500,
        "nominal": "unlimited",
        "used": 2500,
        "available": 1500,
        "maximum": 4000,
        "missing": 0,
    }
