"""Sentences about the stages before quota: intake, rules, local queues, priority, queue."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.reasons import QUOTA_RESERVED
from console.engine.model.common_reasons import (
    DRAINED,
    PASSTHROUGH,
    QUEUE_HELD,
    QUEUE_MISCONFIGURED,
    QUEUE_STOPPED,
)
from console.engine.model.decision import Outcome
from console.engine.model.reasons import Reason
from console.engine.model.trace import (
    FailedExpression,
    LocalQueueStep,
    LocalQueueVerdict,
    PodSetStep,
    PriorityStep,
    PriorityVerdict,
    QueueStep,
    RuleTried,
    RuleVerdict,
)
from console.engine.routing.reasons import NO_RULES
from tests.engine.explanation_traces import LINE, OTHER_LINE, lines, stage_sentences, trace


def test_intake_states_pod_sets_and_namespace() -> None:
    gib = 2**30 * 1000
    told = replace(
        trace(
            namespace="ml",
            pod_sets=(
                PodSetStep(name="driver", count=1, requests={"cpu": 2000, "gpu": 0}),
                PodSetStep(
                    name="worker", count=8, min_count=2, requests={"cpu": 500, "memory": gib}
                ),
                PodSetStep(name="watch", count=2, requests={}),
            ),
        ),
        labels={"team": "ml", "app": "train"},
        requests={"cpu": 6000, "memory": 8 * gib},
        requested_priority=7,
    )
    assert stage_sentences(told, "intake") == [
        "Labels: app=train, team=ml.",
        "Namespace: ml.",
        "Requests 6 CPUs, 8Gi memory in total, with priority 7.",
        "Pod set driver: 1 pod of 2 CPUs.",
        "Pod set worker: 8 pods of 0.5 CPU, 1Gi memory each; may start with 2.",
        "Pod set watch: 2 pods of nothing each.",
    ]
    assert stage_sentences(trace(), "intake") == [
        "Labels: none.",
        "Requests nothing, with no priority.",
    ]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (
            RuleTried(index=0, queue="train", verdict=RuleVerdict.TOOK, origin=LINE),
            "Rule 1 (to train) accepts it.",
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
            "Rule 3 (to train) does not match: it requires team does not exist, but it is 'a'.",
        ),
    ],
    ids=lambda value: value.verdict.value if isinstance(value, RuleTried) else "",
)
def test_every_rule_verdict(step: RuleTried, text: str) -> None:
    verdict = "pass" if step.verdict is RuleVerdict.TOOK else "fail"
    assert lines(trace(rules=(step,)), "route") == [(verdict, text, 3)]


def test_without_rules_everything_is_admitted() -> None:
    assert lines(trace(NO_RULES, Outcome.ADMITTED), "route") == [
        ("pass", "The config has no scheduling rules, so every workload is admitted.", None)
    ]
    assert stage_sentences(trace(), "route") == []


def test_long_value_lists_are_cut() -> None:
    failed = FailedExpression(key="team", operator="in", values=tuple("abcdefg"))
    step = RuleTried(index=0, queue="q", verdict=RuleVerdict.SELECTOR_FALSE, failed=failed)
    (text,) = stage_sentences(trace(rules=(step,)), "route")
    assert text == (
        "Rule 1 (to q) does not match: it requires team in [a, b, c, d, e, and 2 more], but the "
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
            ("Rule 1 accepts priorities up to 5, not 9, so the next rule is tried."),
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
    assert stage_sentences(trace(priorities=(step,)), "priority") == [text]


def local(verdict: LocalQueueVerdict, **facts: object) -> LocalQueueStep:
    values = {"namespace": "ml", "name": "main", "queue": "train", "origin": LINE}
    return LocalQueueStep(**(values | facts), verdict=verdict)  # type: ignore[arg-type]


LEADS = ("pass", "Local queue main of namespace ml routes to train.", 3)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (local(LocalQueueVerdict.LEADS), [LEADS]),
        (
            local(
                LocalQueueVerdict.NOT_NAMED, name="", queue=None, origin=None, label="queue-name"
            ),
            [("fail", "It names no local queue: the label queue-name is absent.", None)],
        ),
        (
            local(LocalQueueVerdict.NOT_NAMED, name="", queue=None, origin=None),
            [("fail", "It names no local queue.", None)],
        ),
        (
            local(LocalQueueVerdict.MISSING, queue=None, origin=None),
            [("fail", "There is no local queue main in namespace ml.", None)],
        ),
        (
            local(LocalQueueVerdict.MISSING, queue=None, origin=None, nearest="maine"),
            [
                (
                    "fail",
                    "There is no local queue main in namespace ml; the nearest name is maine.",
                    None,
                )
            ],
        ),
        (
            local(LocalQueueVerdict.MISSING, namespace="", queue=None, origin=None),
            [("fail", "It has no namespace in which to find local queue main.", None)],
        ),
        (
            local(LocalQueueVerdict.QUEUE_MISSING, nearest="trains"),
            [
                (
                    "fail",
                    (
                        "Local queue main of namespace ml routes to train, which does not exist; "
                        "the nearest name is trains."
                    ),
                    3,
                )
            ],
        ),
        (
            local(LocalQueueVerdict.STOPPED),
            [("fail", "Local queue main of namespace ml is stopped.", 3)],
        ),
        (
            local(
                LocalQueueVerdict.NAMESPACE_NOT_ALLOWED,
                failed=FailedExpression(
                    key="team", operator="in", values=("ai",), origin=OTHER_LINE
                ),
            ),
            [
                LEADS,
                (
                    "fail",
                    (
                        "train does not admit workloads of namespace ml: it requires team in "
                        "[ai], but the label is absent."
                    ),
                    7,
                ),
            ],
        ),
        (
            local(LocalQueueVerdict.NAMESPACE_NOT_ALLOWED),
            [
                LEADS,
                ("fail", "train admits workloads of no namespace: it selects none.", None),
            ],
        ),
        (local(LocalQueueVerdict.PRIORITY_CLASS_MISSING, priority_class="high"), [LEADS]),
    ],
)
def test_every_local_queue_verdict(
    step: LocalQueueStep, told: list[tuple[str, str, int | None]]
) -> None:
    assert lines(trace(local_queue=step), "route") == told


@pytest.mark.parametrize(
    ("step", "requested", "told"),
    [
        (
            local(LocalQueueVerdict.LEADS, priority_class="high", priority=9, priority_origin=LINE),
            None,
            ("pass", "Priority 9, from priority class high.", 3),
        ),
        (local(LocalQueueVerdict.LEADS), 7, ("pass", "Priority 7, as requested.", None)),
        (
            local(LocalQueueVerdict.LEADS),
            None,
            (
                "pass",
                "Priority 0: none was requested, and there is no priority class named default.",
                None,
            ),
        ),
        (
            local(LocalQueueVerdict.PRIORITY_CLASS_MISSING, priority_class="hihg", nearest="high"),
            7,
            ("fail", "There is no priority class hihg; the nearest name is high.", None),
        ),
        # The nearest name belongs to the missing local queue, not to the priority class.
        (
            local(LocalQueueVerdict.MISSING, priority_class="hihg", nearest="maine"),
            None,
            ("fail", "There is no priority class hihg.", None),
        ),
    ],
)
def test_priorities_of_local_queues(
    step: LocalQueueStep, requested: int | None, told: tuple[str, str, int | None]
) -> None:
    asked = replace(trace(local_queue=step), requested_priority=requested)
    assert lines(asked, "priority") == [told]


@pytest.mark.parametrize(
    ("step", "reason", "told"),
    [
        (
            QueueStep(name="q", passthrough=True),
            PASSTHROUGH,
            [("pass", "q has no quota: it admits every workload.", 3)],
        ),
        (
            QueueStep(name="q", passthrough=False),
            QUOTA_RESERVED,
            [("pass", "q admits within quota.", 3)],
        ),
        (
            QueueStep(name="q", passthrough=False, path=("ml",)),
            QUOTA_RESERVED,
            [("pass", "q admits within quota and shares unused quota in cohort ml.", 3)],
        ),
        (
            QueueStep(name="q", passthrough=False, path=("ml", "eu", "org")),
            QUOTA_RESERVED,
            [
                (
                    "pass",
                    (
                        "q admits within quota and shares unused quota in cohort ml, part of eu, "
                        "part of org."
                    ),
                    3,
                )
            ],
        ),
        (
            QueueStep(name="q", passthrough=False, held=True),
            QUEUE_HELD,
            [("fail", "q is on hold: it admits nothing new.", 3)],
        ),
        (
            QueueStep(name="q", passthrough=False, stopped=True),
            QUEUE_STOPPED,
            [("fail", "q is stopped by its config: it admits nothing new.", 3)],
        ),
        (
            QueueStep(name="q", passthrough=False, stopped=True),
            DRAINED,
            [
                (
                    "fail",
                    (
                        "q is stopped by its config: it admits nothing new, and its running "
                        "workloads are drained."
                    ),
                    3,
                )
            ],
        ),
        (
            QueueStep(name="q", passthrough=False, held=True, missing_flavor="spto"),
            QUEUE_MISCONFIGURED,
            [
                ("fail", "q is on hold: it admits nothing new.", 3),
                (
                    "fail",
                    (
                        "q admits nothing: it names the flavor spto, which the config does not "
                        "define."
                    ),
                    3,
                ),
            ],
        ),
        (
            QueueStep(name="q", passthrough=False),
            QUEUE_MISCONFIGURED,
            [("fail", "q is misconfigured and admits nothing.", 3)],
        ),
    ],
)
def test_every_kind_of_queue(
    step: QueueStep, reason: Reason, told: list[tuple[str, str, int | None]]
) -> None:
    assert lines(trace(reason, queue=replace(step, origin=LINE)), "queue") == told


def test_default_local_queue_is_stated_before_its_queue() -> None:
    step = LocalQueueStep(
        namespace="ml",
        name="default",
        verdict=LocalQueueVerdict.LEADS,
        default="default",
        queue="train",
        origin=LINE,
    )
    told = trace(local_queue=step)
    assert lines(told, "route") == [
        ("info", "It names no local queue, so it uses default, the default of its namespace.", 3),
        ("pass", "Local queue default of namespace ml routes to train.", 3),
    ]


def test_namespace_without_default_is_named_with_the_label() -> None:
    step = LocalQueueStep(
        namespace="ml",
        name="",
        verdict=LocalQueueVerdict.NOT_NAMED,
        default="default",
        label="queue",
    )
    (text,) = stage_sentences(trace(local_queue=step), "route")
    assert text == (
        "It names no local queue: the label queue is absent, and namespace ml has no local queue "
        "default."
    )
