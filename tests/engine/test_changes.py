"""Sentences for every kind of change, with its cost."""

from __future__ import annotations

import pytest

from console.engine.counterfactual.change import Change, ChangeKind, QuotaNumber, Setting
from console.engine.disciplines.quota.spec import (
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
)
from console.engine.explain.changes import change_sentence
from console.engine.explain.sentences import Sentence, Verdict
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import StopPolicy, Strategy
from tests.engine.explanation_traces import LINE

GIB = 2**30 * 1000


def change(kind: str, **facts: object) -> Change:
    return Change(kind=ChangeKind(kind), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tried", "text"),
    [
        (change("wait"), "No change is needed: it starts at one of its next evaluations."),
        (
            change("wait", workloads=("a",)),
            "No change is needed: it starts once train-1 has stopped.",
        ),
        (
            change("wait", workloads=("a", "b")),
            "No change is needed: it starts once train-1 and b have stopped.",
        ),
        (
            change("finish", workloads=("a",)),
            "Wait for train-1 to end, or finish it: it would then start.",
        ),
        (
            change("finish", workloads=tuple("abcdefg")),
            (
                "Wait for train-1, b, c, d, e and 2 more to end, or finish them: it would then "
                "start."
            ),
        ),
        (
            change("filter", subject="f", from_="zone in [x]"),
            "Remove the condition zone in [x] from the filter f: it would start now.",
        ),
        (change("filter", subject="f"), "Remove the filter f: it would start now."),
        (change("filter"), "Remove all filters: it would start now."),
        (
            change("filter", subject="f", template="dev"),
            "Remove the filter f of the template dev: it would start now.",
        ),
        (change("preference", subject="p"), "Remove the preference p: it would start now."),
        (
            change("cluster_label", cluster="east", subject="zone", from_="x", to="y"),
            "Set the label zone of cluster east to y instead of x: it would start now.",
        ),
        (
            change("cluster_label", cluster="east", subject="zone", to="y"),
            "Add the label zone=y to cluster east: it would start now.",
        ),
        (
            change("cluster_label", cluster="east", subject="zone", from_="x"),
            "Remove the label zone=x of cluster east: it would start now.",
        ),
        (
            change("ask_less", subject="gpu", from_=32000, to=24000),
            "Request 24 GPUs instead of 32: it would start now.",
        ),
        (
            change("ask_less", subject="memory", from_=96 * GIB, to=64 * GIB, pod_set="worker"),
            (
                "Request 64Gi memory instead of 96Gi for each pod of pod set worker: it would "
                "start now."
            ),
        ),
        (
            change("ask_less", subject="pods", from_=10, to=6, pod_set="worker", who_loses=("a",)),
            (
                "Request 6 pods instead of 10 in pod set worker: it would start once train-1 has "
                "been preempted."
            ),
        ),
        (
            change("label", subject="market", from_="on-demand", to="spot"),
            "Set the label market to spot instead of on-demand: it would start now.",
        ),
        (
            change("label", subject="team", to="ml", queue="research"),
            "Add the label team=ml: it would be routed to research and start now.",
        ),
        (
            change("label", subject="market", from_="spot", queue="nowhere", who_loses=("a", "b")),
            (
                "Remove the label market=spot: it would be routed to nowhere and start once "
                "train-1 and b have been preempted."
            ),
        ),
        (
            change("priority", from_=50, to=60, queue="urgent"),
            (
                "Request priority 60 instead of 50: it would be routed to urgent and start now; "
                "no other workload is affected."
            ),
        ),
        (change("resume", queue="research"), "Resume research: it would start now."),
        (
            change("priority", from_=50, to=60, who_loses=("a",)),
            ("Request priority 60 instead of 50: it would start once train-1 has been preempted."),
        ),
        (
            change("priority", to=60, who_waits=("a", "b")),
            "Request priority 60: it would start now; train-1 and b would wait instead.",
        ),
        (
            change("priority", to=60, who_loses=("b",), who_waits=("a",)),
            (
                "Request priority 60: it would start once b has been preempted; train-1 would wait "
                "instead."
            ),
        ),
        (
            change("quota", subject="spot/gpu", queue="research", from_=64000, to=92000),
            (
                "Raise the nominal quota of spot/gpu in research from 64 to 92: it would start "
                "now; no other workload is affected."
            ),
        ),
        (
            change(
                "quota",
                subject="spot/memory",
                queue="eval",
                number=QuotaNumber.LENDING_LIMIT,
                from_=0,
                to=8 * GIB,
            ),
            (
                "Raise the lending limit of spot/memory in eval from 0 to 8Gi: it would start now; "
                "no other workload is affected."
            ),
        ),
        (
            change(
                "quota",
                subject="spot/nvidia.com/gpu",
                queue="ml",
                number=QuotaNumber.BORROWING_LIMIT,
                from_=UNLIMITED,
                to=4000,
            ),
            (
                "Lower the borrowing limit of spot/nvidia.com/gpu in ml from unlimited to 4: it "
                "would start now; no other workload is affected."
            ),
        ),
        (
            change(
                "quota",
                subject="spot/gpu",
                queue="research",
                number=QuotaNumber.BORROWING_LIMIT,
                from_=4000,
                to=UNLIMITED,
            ),
            (
                "Remove the borrowing limit of spot/gpu in research, now 4: it would start now; "
                "no other workload is affected."
            ),
        ),
    ],
)
def test_every_change(tried: Change, text: str) -> None:
    assert change_sentence(tried, {"a": "train-1"}).text == text


SETTINGS = {
    Setting.WITHIN_QUEUE: (
        PreemptionRule.NEVER,
        PreemptionRule.LOWER_PRIORITY,
        "Change preemption within q from never to lower priority",
    ),
    Setting.RECLAIM_WITHIN_COHORT: (
        PreemptionRule.NEVER,
        PreemptionRule.ANY,
        "Change what q may reclaim within its cohort from never to any",
    ),
    Setting.BORROW_WITHIN_COHORT: (
        PreemptionRule.NEVER,
        PreemptionRule.LOWER_PRIORITY,
        "Change what q may preempt within its cohort while it borrows from never to lower priority",
    ),
    Setting.MAX_PRIORITY_THRESHOLD: (
        5,
        None,
        "Change the priority up to which q may preempt while it borrows from 5 to no bound",
    ),
    Setting.STRATEGY: (
        Strategy.STRICT_FIFO,
        Strategy.BEST_EFFORT_FIFO,
        "Change the queueing strategy of q from strict fifo to best effort fifo",
    ),
    Setting.WHEN_CAN_BORROW: (
        FungibilityPolicy.TRY_NEXT,
        FungibilityPolicy.MAY_STOP,
        (
            "Change how q treats a flavor in which it could borrow from try next flavor to may "
            "stop search"
        ),
    ),
    Setting.WHEN_CAN_PREEMPT: (
        FungibilityPolicy.MAY_STOP,
        FungibilityPolicy.TRY_NEXT,
        (
            "Change how q treats a flavor in which it could preempt from may stop search to try "
            "next flavor"
        ),
    ),
    Setting.PREFERENCE: (
        Preference.BORROWING_OVER_PREEMPTION,
        Preference.PREEMPTION_OVER_BORROWING,
        (
            "Change the flavor preference of q from borrowing over preemption to preemption over "
            "borrowing"
        ),
    ),
    Setting.STOP: (
        StopPolicy.HOLD,
        StopPolicy.NONE,
        "Change the stop policy of q from hold to none",
    ),
}


@pytest.mark.parametrize("setting", Setting)
def test_every_setting(setting: Setting) -> None:
    before, after, text = SETTINGS[setting]
    tried = change("policy", subject=setting, queue="q", from_=before, to=after)
    assert (
        change_sentence(tried).text == f"{text}: it would start now; no other workload is affected."
    )


def test_settings_are_named_after_the_fields_of_a_queue() -> None:
    queue = QueueSpec(name="q")
    places = (queue, queue.fungibility, Preemption())
    assert all(any(hasattr(place, each) for place in places) for each in Setting)


def test_change_links_its_lines_and_names_the_losers() -> None:
    tried = change(
        "policy",
        subject=Setting.WITHIN_QUEUE,
        queue="research",
        from_="never",
        to="lower_priority",
        who_loses=("a",),
        who_waits=("b",),
        origin=LINE,
    )
    assert change_sentence(tried, {"a": "sweep"}) == Sentence(
        text=(
            "Change preemption within research from never to lower priority: it would start once "
            "sweep has been preempted; b would wait instead."
        ),
        verdict=Verdict.INFO,
        origin=LINE,
        workloads=("a", "b"),
    )
    assert change_sentence(change("finish", workloads=("c",))).workloads == ("c",)
