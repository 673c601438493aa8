"""Counts of workloads, in total and in groups."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.http import QueryDict

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import LabelSet, State, Workload
from console.workloads.queries import WorkloadFilter, groups
from console.workloads.queries.groups import Group, Total, count_workloads, group_workloads
from console.workloads.reason_causes import explain_reason
from tests.preemption_pair import Settle, preempt_for, submit


@pytest.fixture
def filled(owner: Actor, operator: Actor, settle: Settle) -> Organization:
    """Submit a workload being preempted, one waiting for it, two for quota, and one rejected."""
    preempt_for(owner, operator, operator, settle)
    submit(operator, settle, "wide", 7, priority=5, user="ann", project="nlp")
    submit(operator, settle, "wide-too", 7, priority=5, user="bob", project="nlp")
    submit(operator, settle, "lost", 1, tags={"team": "none"})
    return owner.org


def grouped(org: Organization, by: str, query: str = "") -> dict[str | None, int]:
    """Return the counts of the groups by value."""
    found = group_workloads(org, WorkloadFilter.from_query(QueryDict(query)), by)
    assert found.is_exact
    return {group.value: group.count for group in found.groups}


def test_workloads_are_counted_by_what_they_have_in_common(filled: Organization) -> None:
    assert grouped(filled, "reason") == {
        "waiting_for_quota": 2,
        "waiting_for_preempted": 1,
        "preempted_in_queue": 1,
        "no_rule_matched": 1,
    }
    assert grouped(filled, "reason", "state=pending") == {
        "waiting_for_quota": 2,
        "waiting_for_preempted": 1,
    }
    assert grouped(filled, "queue") == {"research": 4, None: 1}
    assert grouped(filled, "queue", "state=pending") == {"research": 3}
    assert grouped(filled, "flavor") == {"spot": 1, None: 4}
    assert grouped(filled, "project", "queue=research") == {"nlp": 2, None: 2}
    assert grouped(filled, "user", "project=nlp") == {"ann": 1, "bob": 1}
    assert grouped(filled, "user", "q=nobody") == {}


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 5),
        ("state=pending", 3),
        ("queue=research", 4),
        ("queue=research&state=pending", 3),
        ("reason=waiting_for_quota", 2),
        ("label.team=research", 4),
        ("q=wide", 2),
        ("user=ann&project=nlp", 1),
        ("user=nobody", 0),
        ("flavor=spot", 1),
        ("flavor=spot&state=preempting", 1),
        ("flavor=spot&state=finished", 0),
        ("flavor=spo", 0),
        ("without=flavor", 4),
        ("without=flavor&flavor=spot", 0),
        ("without=queue", 1),
        ("without=queue&queue=research", 0),
        ("without=project&queue=research", 2),
        ("user=operator@here.example&state=pending", 1),
        ("without=reason", 0),
    ],
)
def test_a_list_knows_how_long_it_is(filled: Organization, query: str, count: int) -> None:
    conditions = WorkloadFilter.from_query(QueryDict(query))
    assert count_workloads(filled, conditions) == Total(count, is_exact=True)


def test_beyond_the_newest_few_counts_say_so(
    filled: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "MOST_COUNTED", 2)
    conditions = WorkloadFilter(project="nlp", user="ann")
    assert count_workloads(filled, conditions) == Total(1, is_exact=True)
    by_label = WorkloadFilter(labels={"team": "research"}, state=State.PENDING)
    assert count_workloads(filled, by_label) == Total(2, is_exact=False)
    found = group_workloads(filled, WorkloadFilter(), "user")
    assert (found.groups, found.is_exact) == (
        (Group("bob", 1), Group("operator@here.example", 1)),
        False,
    )


def test_counting_asks_the_same_of_the_database_however_many_there_are(
    filled: Organization, django_assert_max_num_queries: Callable[..., object]
) -> None:
    labels = LabelSet.objects.filter(org=filled)[0]
    Workload.objects.bulk_create(
        Workload(org=filled, name=f"w{n}", type="job", label_set=labels, user=f"u{n}")
        for n in range(500)
    )
    for by in groups.GROUPINGS:
        with django_assert_max_num_queries(6):
            group_workloads(filled, WorkloadFilter(), by)
    with django_assert_max_num_queries(6):
        found = group_workloads(filled, WorkloadFilter(), "user")
    assert (len(found.groups), found.is_cut) == (groups.MOST_GROUPS, True)


def test_one_of_a_class_speaks_for_all_of_it(filled: Organization, operator: Actor) -> None:
    found = explain_reason(operator, "waiting_for_quota")
    assert (found.total, found.kinds, found.is_waiting) == (Total(2, is_exact=True), 1, True)
    (cause,) = found.causes
    assert (cause.example.name, cause.count) == ("wide", 2)
    assert cause.explained.explanation.headline.startswith("Waiting for quota in research: needs 7")
    assert explain_reason(operator, "waiting_for_quota", "default").causes == ()


def test_rejected_ones_are_told_by_cause_with_what_would_let_them_in(
    filled: Organization, operator: Actor
) -> None:
    found = explain_reason(operator, "no_rule_matched")
    assert (found.total, found.kinds, found.is_waiting) == (Total(1, is_exact=True), 1, False)
    (cause,) = found.causes
    assert [fix.text for fix in cause.fixes] == [
        "In the request: set team to research, to be accepted by rule 1, which routes to research.",
        (
            "In the config: change rule 1 to accept it for research. Currently: does not match. "
            "It requires team in [research]."
        ),
    ]
