"""Facts of decisions: the answers of placement rules, and why a request is rejected."""

from __future__ import annotations

from typing import Any

from console.engine.disciplines.hierarchy.decision_facts import (
    facts_without_nomination,
    with_placement,
)
from console.engine.disciplines.hierarchy.nomination import Stage
from console.engine.disciplines.hierarchy.placement import Verdict
from console.engine.disciplines.hierarchy.placement_words import answer
from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.disciplines.hierarchy.trace import NO_FACTS, CheckStep, HierarchyFacts
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.router import Router
from tests.engine.hierarchy.configs import LAB, compiled

POLICY = compiled(LAB)


def _workload(queue: str = "", **fields: Any) -> Workload:
    labels = {"queue": queue} if queue else {}
    values = {"id": "w1", "sequence": 1, "labels": labels, "user": "sue", **fields}
    return Workload(**values)


def _placed(workload: Workload) -> HierarchyFacts:
    route = Router(POLICY).route(workload)
    return with_placement(NO_FACTS, hierarchy_of(POLICY), route, workload)


def test_facts_have_the_answer_of_each_rule() -> None:
    found = _placed(_workload("root.lab.c", namespace="web"))
    assert [answer(each) for each in found.rules] == [
        "rule 1 (provided) answers root.lab.c, which does not exist, and it creates no queue",
        "rule 2 (tag namespace) answers root.spaces.web",
    ]
    assert (found.user, found.rejection) == ("sue", "")


def test_facts_name_those_who_may_submit() -> None:
    found = _placed(_workload("root.lab.a", user="eve"))
    assert [(each.verdict, each.at) for each in found.rules] == [
        (Verdict.NO_ACCESS, "root.lab.a"),
        (Verdict.NO_INPUT, ""),
        (Verdict.NOT_FORCED, ""),
    ]
    assert (found.rules[0].users, found.rules[0].groups) == (("ann", "sue"), ("staff", "team"))
    assert found.rejection == (
        "failed to place application w1: application rejected: no placement rule matched"
    )


def test_facts_of_a_gang_have_the_maximum_that_is_too_small() -> None:
    pods = PodSet(name="main", count=4, min_count=4, requests={"cpu": 2000})
    workload = _workload("root.lab.b", pod_sets=(pods,))
    spec = hierarchy_of(POLICY)
    assert facts_without_nomination(spec, "root.lab.b", workload) == HierarchyFacts(user="sue")
    found = facts_without_nomination(spec, "root.lab.a", workload)
    assert found.refusal == CheckStep(
        stage=Stage.QUEUE_QUOTA, queue="root.lab.a", resource="vcore", requested=8000, limit=6000
    )
    assert found.rejection == (
        "queue root.lab.a cannot fit application w1: task group request "
        "map[pods:4 vcore:8000] larger than max queue allocation map[memory:100 vcore:6000]"
    )
    assert facts_without_nomination(spec, None, workload) is NO_FACTS
