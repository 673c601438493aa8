"""Consequences of a policy change: findings, and a bound on the affected workloads."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from console.dialects.objects import compare_policies
from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    quota_policy,
    with_spec,
)
from console.engine.explain.consequences import consequence_sentence
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.consequences import (
    CONFIRMATION_LEVELS,
    ConfirmationLevel,
    ConsequenceCode,
    Excess,
    Finding,
)
from console.engine.model.history import Backlog, Live, Waiting
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import Rule
from console.engine.simulation.affected import affected_workloads
from console.engine.simulation.consequences import simulate_consequences, successors

NOTHING = Live()


def only(team: str) -> Selector:
    """Return a selector of one team."""
    return Selector((MatchExpression("team", Operator.IN, (team,)),))


def queue(
    name: str,
    nominal: Amount = 4000,
    flavor: str = "spot",
    parent: str | None = None,
    stop: StopPolicy = StopPolicy.NONE,
) -> QueueSpec:
    """Return a queue with quota of one flavor."""
    quotas = FlavorQuotas(flavor=flavor, quotas={"gpu": Quota(nominal=nominal)})
    group = ResourceGroup(resources=("gpu",), flavors=(quotas,))
    return QueueSpec(name=name, groups=(group,), parent=parent, stop=stop)


def policy(*queues: QueueSpec, rules: Mapping[str, str] | None = None, rest: str = "") -> Policy:
    """Return a policy with a rule for each team, and a catch-all rule to queue *rest*."""
    found = [
        Rule(index=index, queue=name, selector=only(team))
        for index, (team, name) in enumerate((rules or {}).items())
    ]
    if rest:
        found.append(Rule(index=len(found), queue=rest))
    parents = {each.parent for each in queues if each.parent}
    return quota_policy(
        "native",
        flavors={"spot": Flavor(name="spot"), "fixed": Flavor(name="fixed")},
        queues={each.name: each for each in queues},
        cohorts={name: Cohort(name=name) for name in parents},
        routing=route_by(found),
    )


def codes(old: Policy | None, new: Policy, live: Live) -> list[str]:
    """Return the codes of the findings."""
    return [finding.code.value for finding in simulate_consequences(old, new, live)]


BUSY = Live(running={"a": 2}, pending={"a": 1}, usage={"a": {("spot", "gpu"): 4000}})


def test_removed_queue_without_workloads_has_no_finding() -> None:
    old, new = policy(queue("a"), rest="a"), policy(queue("b"), rest="b")
    assert codes(old, new, NOTHING) == []


def test_a_queue_whose_rules_all_lead_to_one_new_queue_is_renamed() -> None:
    old = policy(queue("a"), queue("c"), rules={"x": "a", "y": "a"}, rest="c")
    renamed = policy(queue("b"), queue("c"), rules={"x": "b", "y": "b"}, rest="c")
    split = policy(queue("b"), queue("d"), queue("c"), rules={"x": "b", "y": "d"}, rest="c")
    given_away = policy(queue("c"), rules={"x": "c", "y": "c"}, rest="c")
    assert successors(old, renamed) == {"a": "b"}
    assert successors(old, split) == successors(old, given_away) == {}
    assert codes(old, renamed, BUSY) == ["queue_drains"]
    assert codes(old, split, BUSY) == codes(old, given_away, BUSY) == ["queue_removed"]


def test_queue_is_renamed_if_its_local_queues_use_the_new_name() -> None:
    def routed(name: str) -> Policy:
        local_queue = LocalQueue(namespace="team", name="main", queue=name)
        routing = LocalQueueRouting(local_queues={("team", "main"): local_queue})
        return quota_policy("kueue", queues={name: queue(name)}, routing=routing)

    assert successors(routed("a"), routed("b")) == {"a": "b"}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (4000, 3000, ["over_nominal"]),
        (4000, 4000, []),
        (UNLIMITED, 3000, ["over_nominal"]),
        # The queue already borrowed, and its nominal quota does not sink.
        (2000, 2000, []),
        (2000, 3000, []),
        (3000, 2000, ["over_nominal"]),
        (4000, UNLIMITED, []),
    ],
)
def test_quota_below_usage(before: Amount, after: Amount, found: list[str]) -> None:
    old, new = policy(queue("a", before), rest="a"), policy(queue("a", after), rest="a")
    assert codes(old, new, BUSY) == found


def test_findings_name_losses_with_numbers() -> None:
    old = policy(queue("a"), rest="a")
    (over,) = simulate_consequences(old, policy(queue("a", 1000), rest="a"), BUSY)
    assert over == Finding(
        code=ConsequenceCode.OVER_NOMINAL,
        names=("a",),
        running=2,
        pending=1,
        excesses=(
            Excess(
                name="a",
                flavor="spot",
                resource="gpu",
                used=4000,
                quota=1000,
                peak=4000,
                holders=("a",),
            ),
        ),
    )
    assert codes(old, policy(queue("a", flavor="fixed"), rest="a"), BUSY) == ["flavor_lost"]


def test_a_flavor_is_lost_resource_by_resource_and_only_once() -> None:
    live = Live(running={"ml": 1}, usage={"ml": {("spot", "gpu"): 1000}})
    old, other = policy(queue("ml")), policy(queue("ml", flavor="fixed"))
    group = ResourceGroup(
        resources=("cpu",), flavors=(FlavorQuotas(flavor="spot", quotas={"cpu": Quota()}),)
    )
    of_cpu = policy(QueueSpec(name="ml", groups=(group,)))
    of_nothing = policy(QueueSpec(name="ml"))
    unlimited = policy(QueueSpec(name="ml", is_passthrough=True))
    undescribed = with_spec(old, flavors={"fixed": Flavor(name="fixed")})
    found = [
        [each.code for each in simulate_consequences(before, after, live)]
        for before, after in (
            (old, other),
            (old, of_cpu),
            (old, undescribed),
            (old, of_nothing),
            (other, of_cpu),
            (old, unlimited),
        )
    ]
    lost = [ConsequenceCode.FLAVOR_LOST]
    assert found == [lost, lost, lost, lost, [], []]


@pytest.mark.parametrize(
    ("stop", "live", "found"),
    [
        (StopPolicy.HOLD, BUSY, ["queue_stopped"]),
        (StopPolicy.HOLD_AND_DRAIN, BUSY, ["work_evicted"]),
        (StopPolicy.HOLD_AND_DRAIN, Live(pending={"a": 1}), ["queue_stopped"]),
        (StopPolicy.HOLD_AND_DRAIN, NOTHING, []),
        (StopPolicy.HOLD, Live(running={"a": 1}), []),
    ],
)
def test_a_queue_that_is_stopped(stop: StopPolicy, live: Live, found: list[str]) -> None:
    old, new = policy(queue("a"), rest="a"), policy(queue("a", stop=stop), rest="a")
    assert codes(old, new, live) == found
    # A queue that was already stopped has no finding.
    assert codes(new, new, live) == []


def test_draining_queue_that_becomes_held_preempts_no_more_workloads() -> None:
    held, drained = (
        policy(queue("a", stop=stop), rest="a")
        for stop in (StopPolicy.HOLD, StopPolicy.HOLD_AND_DRAIN)
    )
    assert codes(drained, held, BUSY) == []
    assert codes(held, drained, BUSY) == ["work_evicted"]


def test_stopped_local_queue_affects_at_most_the_workloads_of_its_queue() -> None:
    def routed(queue_stop: StopPolicy, *local_queues: StopPolicy) -> Policy:
        routing = LocalQueueRouting(
            local_queues={
                ("team", f"d{n}"): LocalQueue(namespace="team", name=f"d{n}", queue="a", stop=stop)
                for n, stop in enumerate(local_queues)
            }
        )
        queues = {"a": queue("a", stop=queue_stop)}
        return quota_policy("kueue", queues=queues, routing=routing)

    none, hold, drain = StopPolicy
    old = routed(none, none, none)
    sentences = [
        [consequence_sentence(finding) for finding in simulate_consequences(old, new, BUSY)]
        for new in (
            routed(none, drain, none),
            routed(none, hold, hold),
            routed(drain, drain, hold),
        )
    ]
    assert sentences == [
        [
            (
                "Local queue team/d0 is stopped and drained: at most 2 running workloads are "
                "preempted."
            ),
        ],
        [
            (
                "Local queues team/d0 and team/d1 are held: at most 1 pending workload cannot "
                "start there."
            ),
        ],
        [
            (
                "Queue a and local queue team/d0 are stopped and drained: at most 2 running "
                "workloads are preempted."
            ),
            "Local queue team/d1 is held: at most 1 pending workload cannot start there.",
        ],
    ]


def test_routing_that_matches_fewer_workloads_or_all() -> None:
    whole, some = policy(queue("a"), rest="a"), policy(queue("a"), rules={"x": "a"})
    none = policy(queue("a"))
    assert [each.routing.takes_everything for each in (whole, some, none)] == [True, False, True]
    assert codes(whole, some, NOTHING) == ["catch_all_lost"]
    assert codes(some, none, NOTHING) == ["quota_dropped"]
    assert codes(none, some, NOTHING) == ["catch_all_lost"]
    assert codes(None, some, BUSY) == []


def test_findings_are_sorted_by_gravity_and_have_sentences() -> None:
    old = policy(queue("a"), queue("b"), rest="a")
    new = policy(queue("b", 0), rules={"x": "b"})
    live = Live(running={"a": 1, "b": 1}, usage={"b": {("spot", "gpu"): 1000}})
    found = simulate_consequences(old, new, live)
    assert [finding.code.value for finding in found] == [
        "queue_removed",
        "catch_all_lost",
        "over_nominal",
    ]
    for code in ConsequenceCode:
        names = ("Native", "Kueue") if code is ConsequenceCode.DIALECT_CHANGED else ("a",)
        sentence = consequence_sentence(Finding(code=code, names=names, successors={"a": "b"}))
        assert sentence.endswith(".")
        assert code in CONFIRMATION_LEVELS
    assert {
        code for code, gravity in CONFIRMATION_LEVELS.items() if gravity is ConfirmationLevel.TYPED
    } == {
        ConsequenceCode.WORK_EVICTED,
        ConsequenceCode.QUEUE_REMOVED,
        ConsequenceCode.CATCH_ALL_LOST,
        ConsequenceCode.QUOTA_DROPPED,
    }


def affected(old: Policy, new: Policy, live: Live, *waiting: Waiting) -> int:
    """Return the bound on affected workloads."""
    backlog = Backlog(kinds=waiting)
    return affected_workloads(old, new, compare_policies(old, new), live, backlog)


def waits(name: str, count: int, **labels: str) -> Waiting:
    """Return *count* pending workloads with *labels* in queue *name*."""
    workload = Workload(id=name, sequence=1, labels=labels, pod_sets=(PodSet(requests={}),))
    return Waiting(workload=workload, queue=name, count=count)


def test_affected_workloads_are_bounded_by_changed_queues() -> None:
    live = Live(running={"a": 1, "b": 10}, pending={"a": 100, "b": 1000})
    old = policy(queue("a", parent="ml"), queue("b"), rest="b")
    assert affected(old, old, live) == 0
    assert affected(old, policy(queue("a", 1, parent="ml"), queue("b"), rest="b"), live) == 101
    # Of the pending workloads that are routed again, only those that change queue count.
    waiting = (waits("a", 100), waits("b", 990), waits("b", 10, team="x"))
    routed = policy(queue("a", parent="ml"), queue("b"), rules={"x": "a"}, rest="b")
    assert affected(old, routed, live, *waiting) == 10
    assert affected(old, routed, live, *waiting[:2]) == 0
    assert affected(old, policy(queue("b"), rest="b"), live) == 101


def test_affected_workloads_include_the_tree_of_changed_queues() -> None:
    live = Live(running={"a": 1, "b": 10, "c": 100}, pending={"b": 1000})
    a, b, c = queue("a", parent="ml"), queue("b", parent="ai"), queue("c")
    old = policy(a, b, c, rest="c")
    cohorts = {name: Cohort(name=name, parent="all") for name in ("ml", "ai")}
    cohorts["all"] = Cohort(name="all")
    tree = with_spec(old, cohorts=cohorts)
    more = {"a": queue("a", 8000, parent="ml"), "b": b, "c": c}
    assert affected(old, with_spec(old, queues=more), live) == 1
    assert affected(tree, with_spec(tree, queues=more), live) == 1011
    settings = QuotaSettings(fair_sharing=tuple(FairStrategy))
    assert affected(old, with_spec(old, settings=settings), live) == 1111
