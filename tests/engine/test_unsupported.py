"""Unsupported settings: which of them concern a workload, and the sentences about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.spec import Flavor, quota_policy, spec_of, with_spec
from console.engine.explain import explain
from console.engine.model.decision import Decision, Outcome
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.model.unsupported_settings import Unsupported, UnsupportedSetting
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import Rule
from console.engine.state import State
from tests.engine.builders import queue

LINE = Origin(7, 3, 7, 20)


def setting(kind: Unsupported, subject: str = "", *names: str) -> UnsupportedSetting:
    return UnsupportedSetting(kind=kind, subject=subject, names=names, origin=LINE)


CHECKS = setting(Unsupported.ADMISSION_CHECKS, "train", "provision", "budget")
ORDER = setting(Unsupported.PAST_USAGE, "train")
RACKS = setting(Unsupported.TOPOLOGY, "spot", "racks")
ROWS = setting(Unsupported.TOPOLOGY, "fixed", "rows")
READY = setting(Unsupported.PODS_READY)
TURNED = setting(Unsupported.TRANSFORMATIONS, "", "mig", "fpga")
LEFT_OUT = setting(Unsupported.EXCLUDED_RESOURCES, "", "net.example.com/")
POLICY = quota_policy(
    "any",
    flavors={
        "spot": Flavor(name="spot", unsupported=(RACKS,)),
        "fixed": Flavor(name="fixed", unsupported=(ROWS,)),
    },
    queues={
        "train": replace(
            queue("train").owns("spot", gpu=2).owns("fixed", gpu=2).build(),
            unsupported=(CHECKS, ORDER),
        ),
    },
    routing=route_by((Rule(index=0, queue="train"),)),
    unsupported=(READY, TURNED, LEFT_OUT),
    run_time_label="max-time",
    unsupported_labels={"elastic": Unsupported.LABELED_ELASTIC_SIZE},
)


def decide(*asked: int, policy: Policy = POLICY, **more: int) -> list[Decision]:
    """Return the decisions on workloads that request these numbers of GPUs, in order."""
    state = State(policy)
    for number, gpus in enumerate(asked):
        requests = {"gpu": gpus * 1000, **more}
        state.submit(
            Workload(id=f"w{number}", sequence=number, pod_sets=(PodSet(requests=requests),))
        )
    return state.settle()


def sentences_by_stage(decision: Decision) -> dict[str, list[str]]:
    """Return the sentences about the settings' line, by stage."""
    found: dict[str, list[str]] = {}
    for stage in explain(decision.trace).stages:
        texts = [each.text for each in stage.sentences if each.origin == LINE]
        if texts:
            found[stage.stage] = texts
    return found


CHECKS_TEXT = "Admission checks provision and budget are not supported: train admits at once."
ORDER_TEXT = (
    "Past usage does not count: workloads are ordered by priority and submission time alone, "
    "although train sets another order."
)
READY_TEXT = "The readiness of its pods is not tracked: it keeps its quota until it ends."


def test_admitted_workload_lists_unsupported_settings() -> None:
    (decision,) = decide(2)
    assert decision.outcome is Outcome.ADMITTED
    assert decision.trace.unsupported == (READY, CHECKS, ORDER, RACKS)
    assert sentences_by_stage(decision) == {
        "queue": [CHECKS_TEXT, ORDER_TEXT],
        "flavors": ["Topology racks of spot is not supported: its pods may run on any node."],
        "outcome": [READY_TEXT],
    }


def test_pending_workload_lists_settings_of_queue_and_flavors() -> None:
    *_, waits = decide(2, 2, 1)
    assert waits.outcome is Outcome.PENDING
    assert waits.trace.unsupported == (READY, CHECKS, ORDER, RACKS, ROWS)
    assert sentences_by_stage(waits) == {
        "queue": [CHECKS_TEXT, ORDER_TEXT],
        "flavors": [
            "Topology racks of spot is not supported: its pods may run on any node.",
            "Topology rows of fixed is not supported: its pods may run on any node.",
        ],
    }


def test_unsupported_resource_settings_are_listed_for_their_requests() -> None:
    *_, decision = decide(1, **{"net.example.com/port": 1000, "mig": 0})
    assert sentences_by_stage(decision)["intake"] == [
        (
            "Its requests count as they were submitted: resources that begin with "
            "net.example.com/ are not excluded."
        ),
    ]
    *_, decision = decide(1, mig=2000)
    assert sentences_by_stage(decision)["intake"] == [
        "Its requests count as they were submitted: mig and fpga are not transformed."
    ]


def test_unsupported_label_is_listed_at_intake() -> None:
    state = State(POLICY)
    labels = {"max-time": "1h", "elastic": "true", "team": "a"}
    state.submit(Workload(id="w", sequence=0, labels=labels))
    (decision,) = state.settle()
    intake = next(s for s in explain(decision.trace).stages if s.stage == "intake")
    assert [each.text for each in intake.sentences][-2:] == [
        "Label elastic is not supported: it keeps the size that it was submitted with.",
        (
            "Label max-time sets no maximum run time: its value is not a whole number of seconds "
            "from 1 to 2147483647, or an earlier release decided."
        ),
    ]


def test_a_label_with_whole_seconds_is_supported() -> None:
    state = State(POLICY)
    state.submit(Workload(id="w", sequence=0, labels={"max-time": "3600"}))
    (decision,) = state.settle()
    kinds = {each.kind for each in decision.trace.unsupported}
    assert Unsupported.LABELED_EXECUTION_TIME not in kinds


def test_a_live_explanation_says_the_same_as_the_decision() -> None:
    state = State(POLICY)
    for number in range(3):
        requests = {"gpu": 2000}
        state.submit(
            Workload(id=f"w{number}", sequence=number, pod_sets=(PodSet(requests=requests),))
        )
    decisions = {each.workload: each for each in state.settle()}
    waits = decisions["w2"]
    live = state.explain("w2")
    assert live is not None
    assert live.unsupported == waits.trace.unsupported


def test_policy_without_unsupported_settings_lists_none() -> None:
    plain = with_spec(
        replace(POLICY, unsupported=(), unsupported_labels={}),
        flavors={name: Flavor(name=name) for name in spec_of(POLICY).flavors},
        queues={"train": replace(POLICY.queues["train"], unsupported=())},
    )
    assert [each.trace.unsupported for each in decide(2, 1, policy=plain)] == [(), ()]


@pytest.mark.parametrize("kind", list(Unsupported))
def test_every_unsupported_kind_has_a_sentence_and_a_stage(kind: Unsupported) -> None:
    (decision,) = decide(2)
    only = setting(kind, "subject", "name")
    trace = replace(decision.trace, unsupported=(only,))
    ((_, texts),) = trace_sentences_by_stage(trace).items()
    (text,) = texts
    assert text.endswith(".")
    # A setting without names, as in older traces, has a sentence too.
    assert explain(replace(trace, unsupported=(replace(only, names=()),))).stages


def trace_sentences_by_stage(trace: object) -> dict[str, list[str]]:
    """Return the sentences about the settings' line for a trace."""
    return {
        stage.stage: [each.text for each in stage.sentences if each.origin == LINE]
        for stage in explain(trace).stages  # type: ignore[arg-type]
        if any(each.origin == LINE for each in stage.sentences)
    }
