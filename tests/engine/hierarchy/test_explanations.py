"""Explanations of live states: stages, headlines, and YuniKorn's messages beside them."""

from __future__ import annotations

import pytest

from console.engine.explain import Explanation, explain
from console.engine.model.decision import Decision, Outcome
from console.engine.state import State
from tests.engine.hierarchy.configs import LAB, compiled, inventory, settled, workload

LIMITED = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: dev
            parent: true
            maxapplications: 2
            limits:
              - {limit: x, users: [sue], maxresources: {vcore: 3}}
              - {limit: y, groups: [team], maxapplications: 1, maxresources: {vcore: 2}}
            queues:
              - name: a
                maxapplications: 2
                resources: {max: {vcore: 4}}
          - name: free
          - name: mean
            resources: {guaranteed: {vcore: 4}}
"""


def _lines(found: Explanation, stage: str) -> list[str]:
    return [line.text for each in found.stages if each.stage == stage for line in each.sentences]


def _started_and_late(**late: object) -> State:
    first = workload("first", 1, "root.dev.a", cpu=2)
    return settled(compiled(LIMITED), (8,), first, workload("late", 2, "root.dev.a", **late))


def test_all_limits_on_the_path_are_shown_with_what_is_used() -> None:
    found = explain(_started_and_late(cpu=2, groups=()).explain("late"))
    assert found.headline == (
        "Waiting in root.dev.a: the limit of user sue in root.dev is 3 vcore, of which 2 is used, "
        "and a pod requests 2."
    )
    assert _lines(found, "limits") == [
        "The maximum of root.dev: 2 applications, 1 running.",
        "The maximum of root.dev.a: 2 applications, 1 running.",
        "The limit of user sue in root.dev: 3 vcore, 2 used, 2 requested.",
        "The maximum of root.dev.a: 4 vcore, 2 used, 2 requested.",
        "The capacity of all nodes: 8 vcore, 2 used, 2 requested.",
        "The capacity of all nodes: 1000 memory, 10 used, 10 requested.",
    ]
    assert _lines(found, "original_message") == ["YuniKorn reports: Not enough user quota"]
    # The nodes were not asked.
    assert _lines(found, "nodes") == []


def test_the_number_of_applications_of_a_group_is_named() -> None:
    found = explain(_started_and_late(cpu=1).explain("late"))
    assert found.headline == (
        "Waiting in root.dev.a: the limit of group team in root.dev allows 1 application at the "
        "same time, and 1 application runs."
    )
    assert _lines(found, "request") == [
        "A pod requests 10 memory, 1 vcore.",
        "It is submitted for user sue, for whom the limits of group team count.",
    ]
    assert _lines(found, "original_message") == ["YuniKorn reports: APP_CANNOTRUN_QUOTA"]


def test_pods_that_start_together_count_together() -> None:
    gang = workload("gang", 1, "root.mean", cpu=5, count=2, min_count=2)
    found = explain(settled(compiled(LIMITED), (8,), gang).explain("gang"))
    assert found.headline == (
        "Waiting in root.mean: the capacity of all nodes is 8 vcore, of which nothing is used, and "
        "2 pods that start together request 10. Request at most 8 vcore in all, or add nodes."
    )
    assert _lines(found, "request")[0] == (
        "2 pods start together. Each requests 10 memory, 5 vcore."
    )


def test_every_short_resource_is_named_with_what_would_be_possible() -> None:
    limited = LIMITED.replace("max: {vcore: 4}", "max: {vcore: 4, memory: 8}")
    many = workload("many", 1, "root.dev.a", cpu=5, groups=(), user="ann")
    found = explain(settled(compiled(limited), (8,), many).explain("many"))
    assert found.headline == (
        "Can never run under this config: a pod requests 5 vcore, but the maximum of root.dev.a is "
        "4. Also, a pod requests 10 memory, but the maximum of root.dev.a is 8. Request at most 4 "
        "vcore and 8 memory, or have the maximum of root.dev.a raised to 5 vcore and the maximum "
        "of root.dev.a raised to 10 memory."
    )


def test_nodes_without_room_are_counted_by_cause() -> None:
    first = workload("first", 1, "root.free", cpu=2)
    late = workload("late", 2, "root.free", cpu=3)
    found = explain(settled(compiled(LIMITED), (4, 2, 2), first, late).explain("late"))
    assert found.headline == (
        "Waiting in root.free: no node has room for its pod now: 3 nodes lack vcore."
    )
    assert _lines(found, "nodes") == ["3 nodes lack vcore."]
    assert _lines(found, "search_for_room") == [
        (
            "Preemption does not free enough: it is tried only for pods that have waited for the "
            "delay of their queue, and not at every turn."
        )
    ]


def _decision_about(state: State, name: str) -> Decision:
    return next(each for each in state.settle() if each.workload == name)


def _rejected(**fields: object) -> Explanation:
    state = State(compiled(LAB), now=1)
    state.change_inventory(inventory(8))
    state.submit(workload("no", 1, **fields))
    decision = _decision_about(state, "no")
    assert decision.outcome is Outcome.REJECTED
    return explain(decision.trace)


@pytest.mark.parametrize(
    ("fields", "rules", "message"),
    [
        pytest.param(
            {"queue": "root.lab.a", "user": "eve", "groups": ()},
            [
                (
                    "Rule 1 (provided) answers root.lab.a, and the user may not submit to "
                    "root.lab.a. Users ann and sue, and groups staff and team, may submit there."
                ),
                "Rule 2 (tag namespace) finds no such tag.",
                "The rule recovery is only for applications that have to be accepted.",
            ],
            "failed to place application no: application rejected: no placement rule matched",
            id="no access",
        ),
        pytest.param(
            {"queue": "root.lab.c", "namespace": "b?d"},
            [
                (
                    "Rule 1 (provided) answers root.lab.c, which does not exist, and it creates no "
                    "queue."
                ),
                "Rule 2 (tag namespace) answers b?d, which is not a valid name of a queue.",
            ],
            "failed to place application no: invalid queue name, max 64 characters consisting of "
            "alphanumeric characters and '-', '_', '#', '@', '/', ':' allowed",
            id="a name that is not valid",
        ),
    ],
)
def test_workloads_that_no_rule_places_have_the_answer_of_each(
    fields: dict, rules: list[str], message: str
) -> None:
    found = _rejected(**fields)
    assert _lines(found, "route") == rules
    assert _lines(found, "original_message") == [f"YuniKorn reports: {message}"]


def test_a_gang_that_is_too_large_has_the_maximum() -> None:
    found = _rejected(queue="root.lab.a", cpu=2, count=4, min_count=4)
    assert found.headline == (
        "Rejected: 4 pods that start together request 8 vcore, and the maximum of root.lab.a is 6."
    )


def test_a_preempted_workload_has_the_numbers_of_both_queues() -> None:
    victim = workload("victim", 1, "root.free", cpu=2)
    other = workload("other", 2, "root.free", cpu=2)
    state = settled(compiled(LIMITED), (4,), victim, other)
    state.submit(workload("late", 3, "root.mean", cpu=2))
    state.settle()
    assert set(state.pending) == {"late"}
    state.advance(40_000)
    evicted = next(each for each in state.settle() if each.outcome is Outcome.PREEMPTED)
    found = explain(evicted.trace)
    assert found.headline == (
        "Preempted: root.mean is below its guarantee and needs room for late. root.mean used 0 "
        "vcore with a guarantee of 4 and root.free used 4 vcore with a guarantee of 0."
    )
    assert _lines(found, "preemption")[1:] == [
        "root.mean used 0 vcore with a guarantee of 4.",
        "root.free used 4 vcore with a guarantee of 0.",
    ]
