"""Sentences about config changes: every possible difference has an accurate sentence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.objects import compare_policies, flows_between, vocabulary_of
from console.engine.diff import (
    Change,
    ChangeKind,
    FieldChange,
    Limit,
    OrderChange,
    QuotaChange,
)
from console.engine.disciplines.quota.policy_objects import Noun
from console.engine.disciplines.quota.spec import Cohort, QueueSpec, quota_policy
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import Policy, StopPolicy
from console.engine.routing.regions import Priorities, Region, Values
from console.pages.presenters.configs.change_parts import detail_line
from console.pages.presenters.configs.changes import (
    change_chips,
    change_groups,
    change_line,
    risk_line,
)
from console.pages.presenters.configs.flows import region_words
from tests.engine.strategies import policies, worlds

WORDS_OF = vocabulary_of("native")


def say(old: Policy, new: Policy) -> list[str]:
    """Return all sentences that a page shows about a difference."""
    found = compare_policies(old, new)
    flows = flows_between(old, new)
    said = [risk_line(found, flows), *(chip.text for chip in change_chips(found, WORDS_OF))]
    for group in change_groups(found, flows, old, new):
        for line in group.changes:
            said += [line.text, *(detail.text for detail in line.details), *line.flows]
    return said


@worlds(100)
@given(data=st.data())
def test_words_never_fail(data: st.DataObject) -> None:
    old, new = data.draw(policies()), data.draw(policies())
    risk, *said = say(old, new)
    assert all(said)
    assert "_" not in risk
    assert bool(said) == bool(compare_policies(old, new))


def test_words_of_every_sample() -> None:
    for dialect in dialects().values():
        read = [dialect.read(text, {}).policy for text in dialect.samples().values()]
        for old in read:
            for new in read:
                assert old is not None
                assert new is not None
                assert all(say(old, new)[1:])


def field(*path: str, old: Any, new: Any) -> FieldChange:
    return FieldChange(path=path, old=old, new=new)


def cell(old: Any, new: Any, limit: Limit = Limit.NOMINAL, resource: str = "gpu") -> QuotaChange:
    return QuotaChange(flavor="spot", resource=resource, limit=limit, old=old, new=new)


EXPRESSION = {"key": "team", "operator": "in", "values": ["ml", "web"]}

WORDS = [
    (cell(64_000, 48_000), "spot / gpu nominal 64 → 48 (−16)"),
    (cell(500, 2_000), "spot / gpu nominal 0.5 → 2 (+1.5)"),
    (cell(None, 2_000), "spot / gpu nominal none → 2"),
    (cell(UNLIMITED, 0, Limit.BORROWING), "spot / gpu borrowing limit unlimited → 0"),
    (cell(0, 2**31 * 1000, resource="memory"), "spot / memory nominal 0 → 2Gi (+2Gi)"),
    (
        OrderChange(resources=("gpu", "cpu"), old=("spot", "fixed"), new=("fixed", "spot")),
        "order of flavors for gpu and cpu spot, fixed → fixed, spot",
    ),
    (
        field("groups", "resources", old=[], new=[["cpu", "memory_gb"], ["a", "b"]]),
        "resources that share a flavor none → cpu, memory_gb; a, b",
    ),
    (field("parent", old=None, new="ml"), "cohort no cohort → ml"),
    (field("parent", old="a_b", new="ml"), "cohort a_b → ml"),
    (field("stop", old="none", new="hold_and_drain"), "stop policy none → hold and drain"),
    (field("fair_weight", old=10**9, new=2_500_000_000), "fair share weight 1 → 2.5"),
    (field("selector", old=[], new=[EXPRESSION]), "selector every workload → team in [ml, web]"),
    (field("namespaces", old=None, new=[]), "allowed namespaces none → all"),
    (
        field("preemption", "within_queue", old="never", new="lower_priority"),
        "preemption within the queue never → lower priority",
    ),
    (field("priority", "maximum", old=None, new=100), "highest priority open → 100"),
    (field("priority", "minimum", old=20, new=10), "lowest priority 20 → 10 (−10)"),
    (field("node_labels", "zone", old="a_1", new=None), "node label zone a_1 → none"),
    (
        field("launch_config", "spot", "max_price", old=1, new=True),
        "instance config spot.max_price 1 → yes",
    ),
    (field("launch_config", old=None, new={}), "launch config none → empty"),
    (field("queue", old="a_b", new="c"), "queue a_b → c"),
    (
        field("fair_sharing", old=[], new=["less_than_initial_share"]),
        "fair sharing none → less than initial share",
    ),
]


@pytest.mark.parametrize(("detail", "words"), WORDS, ids=[words for _, words in WORDS])
def test_a_detail_says(detail: Any, words: str) -> None:
    assert detail_line(detail, WORDS_OF).text == words


def test_sentences_about_an_added_object_have_only_the_new_side() -> None:
    line = change_line(
        Change(
            kind=ChangeKind.ADDED,
            noun=Noun.QUEUE,
            name="lab",
            details=(cell(None, 8_000), field("stop", old="none", new="hold")),
        ),
        WORDS_OF,
    )
    assert (line.text, [detail.text for detail in line.details]) == (
        "Queue lab added",
        ["spot / gpu nominal 8", "stop policy hold"],
    )


def test_a_large_difference_has_pages() -> None:
    queues = {
        f"q{i}": QueueSpec(name=f"q{i}", parent="c", stop=StopPolicy.HOLD) for i in range(250)
    }
    new = quota_policy("native", queues=queues, cohorts={"c": Cohort(name="c")})
    old = quota_policy("native")
    found = compare_policies(old, new)
    cohorts, told = change_groups(found, flows_between(old, new), old, new)
    assert (len(cohorts.changes), cohorts.span) == (1, "")
    assert (len(told.changes), told.span, told.unchanged) == (200, "1 to 200 of 250", 0)
    (rest,) = change_groups(found, flows_between(old, new), old, new, 200)
    assert (len(rest.changes), rest.span, rest.unchanged) == (50, "201 to 250 of 250", 0)
    assert {line.text for line in (*told.changes, *rest.changes)} == {
        f"Queue q{i} added" for i in range(250)
    }
    many = tuple(field("node_labels", f"l{i}", old=None, new="x") for i in range(60))
    line = change_line(
        Change(kind=ChangeKind.CHANGED, noun=Noun.FLAVOR, name="spot", details=many), WORDS_OF
    )
    assert len(line.details) == 51
    assert line.details[-1].text == "and 10 more"


def values(*listed: str, all_but: bool = False, absent: bool = False) -> Values:
    return Values(frozenset(listed), all_but, absent)


REGIONS = [
    (Region(), "everything"),
    (Region({"team": values("ml")}), "team is ml"),
    (Region({"team": values("ml", "web")}), "team in [ml, web]"),
    (Region({"team": values("ml", absent=True)}), "team is ml or absent"),
    (Region({"team": values(absent=True)}), "no label team"),
    (Region({"team": values(all_but=True)}), "team exists"),
    (Region({"team": values("ml", all_but=True, absent=True)}), "team not in [ml]"),
    (Region({"team": values("ml", all_but=True)}), "team exists, team not in [ml]"),
    (Region({"team": values("ml")}, Priorities(high=5)), "team is ml and priority up to 5 or none"),
    (Region({}, Priorities(5, None, may_be_absent=False)), "priority from 5"),
    (Region({}, Priorities(5, 5, may_be_absent=False)), "priority 5"),
    (Region({}, Priorities(1, 0)), "no priority requested"),
    (Region({}, Priorities(may_be_absent=False)), "a priority requested"),
]


@pytest.mark.parametrize(("region", "words"), REGIONS, ids=[words for _, words in REGIONS])
def test_a_region_says(region: Region, words: str) -> None:
    assert region_words(region) == words
