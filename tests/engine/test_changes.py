"""The exact words for every change, with its cost."""

from __future__ import annotations

import pytest

from console.engine.counterfactual.change import Change, ChangeKind, QuotaNumber, Setting
from console.engine.explain.changes import change_sentence
from console.engine.explain.sentences import Sentence, Verdict
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import (
    Preemption,
    PreemptionRule,
    Preference,
    Queue,
    Search,
    StopPolicy,
    Strategy,
)
from tests.engine.telling import LINE

GIB = 2**30 * 1000


def change(kind: str, **facts: object) -> Change:
    return Change(kind=ChangeKind(kind), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tried", "text"),
    [
        (change("wait"), "Waiting is enough: it starts in one of its next turns."),
        (
            change("wait", workloads=("a",)),
            "Waiting is enough: it starts when train-1 has stopped.",
        ),
        (
            change("wait", workloads=("a", "b")),
            "Waiting is enough: it starts when train-1 and b have stopped.",
        ),
        (
            change("finish", workloads=("a",)),
            "Wait for train-1 to end, or finish it: it would start then.",
        ),
        (
            change("finish", workloads=tuple("abcdefg")),
            (
                "Wait for train-1, b, c, d, e and 2 more to end, or finish them: it would start "
                "then."
            ),
        ),
        (
            change("ask_less", subject="gpu", from_=32000, to=24000),
            "Ask for 24 gpu instead of 32: it would start now.",
        ),
        (
            change("ask_less", subject="memory", from_=96 * GIB, to=64 * GIB, pod_set="worker"),
            (
                "Ask for 64Gi memory instead of 96Gi for each pod of pod set worker: it would "
                "start now."
            ),
        ),
        (
            change("ask_less", subject="pods", from_=10, to=6, pod_set="worker", who_loses=("a",)),
            (
                "Ask for 6 pods instead of 10 in pod set worker: it would start once train-1 has "
                "stopped for it."
            ),
        ),
        (
            change("label", subject="market", from_="on-demand", to="spot"),
            "Set the label market to spot instead of on-demand: it would start now.",
        ),
        (
            change("label", subject="team", to="ml", queue="research"),
            "Add the label team=ml: it would go to research and start now.",
        ),
        (
            change("label", subject="market", from_="spot", queue="nowhere", who_loses=("a", "b")),
            (
                "Leave out the label market, which is spot: it would go to nowhere and start once "
                "train-1 and b have stopped for it."
            ),
        ),
        (
            change("priority", from_=50, to=60, queue="urgent"),
            "Ask for priority 60 instead of 50: it would go to urgent and start now; nobody loses.",
        ),
        (change("resume", queue="research"), "Resume research: it would start now."),
        (
            change("priority", from_=50, to=60, who_loses=("a",)),
            ("Ask for priority 60 instead of 50: it would start once train-1 has stopped for it."),
        ),
        (
            change("priority", to=60, who_waits=("a", "b")),
            "Ask for priority 60: it would start now; train-1 and b would wait instead.",
        ),
        (
            change("priority", to=60, who_loses=("b",), who_waits=("a",)),
            (
                "Ask for priority 60: it would start once b has stopped for it; train-1 would wait "
                "instead."
            ),
        ),
        (
            change("quota", subject="spot/gpu", queue="research", from_=64000, to=92000),
            (
                "Raise the nominal quota of spot/gpu in research from 64 to 92: it would start "
                "now; nobody loses."
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
                "nobody loses."
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
                "would start now; nobody loses."
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
                "Lift the borrowing limit of spot/gpu in research, which is 4: it would start now; "
                "nobody loses."
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
        "Change what q may take back within its cohort from never to any",
    ),
    Setting.BORROW_WITHIN_COHORT: (
        PreemptionRule.NEVER,
        PreemptionRule.LOWER_PRIORITY,
        "Change what q may stop within its cohort while it borrows from never to lower priority",
    ),
    Setting.MAX_PRIORITY_THRESHOLD: (
        5,
        None,
        "Change the priority up to which q may stop while it borrows from 5 to no bound",
    ),
    Setting.STRATEGY: (
        Strategy.STRICT_FIFO,
        Strategy.BEST_EFFORT_FIFO,
        "Change the order of q from strict fifo to best effort fifo",
    ),
    Setting.WHEN_CAN_BORROW: (
        Search.TRY_NEXT,
        Search.MAY_STOP,
        (
            "Change what q does with a flavor it could borrow from try next flavor to may stop "
            "search"
        ),
    ),
    Setting.WHEN_CAN_PREEMPT: (
        Search.MAY_STOP,
        Search.TRY_NEXT,
        (
            "Change what q does with a flavor it could preempt for from may stop search to try "
            "next flavor"
        ),
    ),
    Setting.PREFERENCE: (
        Preference.BORROWING_OVER_PREEMPTION,
        Preference.PREEMPTION_OVER_BORROWING,
        (
            "Change what q prefers of borrowing and preemption from borrowing over preemption to "
            "preemption over borrowing"
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
    assert change_sentence(tried).text == f"{text}: it would start now; nobody loses."


def test_settings_are_named_after_the_fields_of_a_queue() -> None:
    queue = Queue(name="q")
    places = (queue, queue.fungibility, Preemption())
    assert all(any(hasattr(place, each) for place in places) for each in Setting)


def test_a_change_points_at_its_lines_and_names_who_pays() -> None:
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
            "sweep has stopped for it; b would wait instead."
        ),
        verdict=Verdict.INFO,
        origin=LINE,
        workloads=("a", "b"),
    )
    assert change_sentence(change("finish", workloads=("c",))).workloads == ("c",)
