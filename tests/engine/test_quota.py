"""Admission in one queue: fit, order, overtaking, holds and withdrawal."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.trace import quota_facts
from console.engine.model.decision import PodSetAssignment
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.routing.rules import Rule
from tests.engine.builders import World, only, policy, queue, rule


def test_fitting_workloads_run_and_others_are_pending() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("a", "b", gpu=2).submit("c", gpu=1)
    assert world.settle() == [
        "a: admitted on any",
        "b: admitted on any",
        "c: pending (waiting_for_quota)",
    ]
    world.finish("a")
    assert world.settle() == ["c: admitted on any"]
    assert (world.settle(), world.free()) == ([], "1")


def test_without_rules_all_workloads_are_admitted() -> None:
    world = World(policy_=policy(queue("train").owns(gpu=1), rules=()))
    world.submit("a", gpu=900, priority=7)
    assert world.settle() == ["a: admitted"]
    assert (world.decisions[0].queue, world.decisions[0].priority) == (None, 7)


def test_a_passthrough_queue_admits_everything() -> None:
    world = World(queue("open"))
    world.submit("a", gpu=900).submit("b")
    assert world.settle() == ["a: admitted", "b: admitted"]


def test_unmatched_workload_is_rejected() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("a", to="elsewhere", gpu=1)
    assert world.settle() == ["a: rejected (no_rule_matched)"]
    assert world.outcomes() == {}


def test_workload_without_flavor_is_rejected_by_its_first_rule() -> None:
    world = World(
        policy_=policy(
            queue("reserved").owns("a4", gpu=80),
            queue("default"),
            flavors={"a4": only(kind="a4")},
            rules=[rule(0, "reserved", only(reserve="true")), rule(1, "default")],
        )
    )
    world.submit("a", labels={"reserve": "true"}, gpu=1)
    world.submit("b", labels={"reserve": "true", "kind": "a4"}, gpu=1)
    world.submit("c", gpu=1)
    assert world.settle() == [
        "a: rejected (no_flavor_matched)",
        "b: admitted on a4",
        "c: admitted",
    ]
    assert world.outcomes() == {"b": "admitted on a4", "c": "admitted"}


def test_flavors_are_tried_in_order_and_skipped_by_selector() -> None:
    spot_only = Selector((MatchExpression("market", Operator.NOT_IN, ("on_demand",)),))
    world = World(
        policy_=policy(
            queue("train").owns("spot", gpu=2).owns("reserved", gpu=4), flavors={"spot": spot_only}
        )
    )
    world.submit("a", "b", gpu=2)
    world.submit("c", labels={"market": "on_demand"}, gpu=2)
    world.submit("d", gpu=2)
    assert world.settle() == [
        "a: admitted on spot",
        "b: admitted on reserved",
        "c: admitted on reserved",
        "d: pending (waiting_for_quota)",
    ]
    world.finish("c")
    assert world.settle() == ["d: admitted on reserved"]


def test_each_resource_group_takes_its_own_flavor_and_all_have_to_fit() -> None:
    world = World(queue("train").owns("a100", gpu=4).new_group().owns("node", cpu=8))
    world.submit("a", gpu=2, cpu=4).submit("b", cpu=2).submit("c", gpu=1, cpu=4)
    assert world.settle() == [
        "a: admitted on a100 and node",
        "b: admitted on node",
        "c: pending (waiting_for_quota)",
    ]
    world.finish("b")
    assert world.settle() == ["c: admitted on a100 and node"]


def test_a_group_takes_one_flavor_for_all_its_resources() -> None:
    world = World(queue("train").owns("one", gpu=4, cpu=1).owns("two", gpu=1, cpu=8))
    world.submit("a", gpu=2, cpu=2).submit("b", gpu=1, cpu=8)
    assert world.settle() == ["b: admitted on two", "a: pending (exceeds_max_quota)"]


def test_uncovered_resource_is_unlimited_and_gets_no_flavor() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", gpu=1, tpu=99).submit("b", tpu=99)
    assert world.settle() == ["a: admitted on any", "b: admitted"]
    assert world.decisions[0].assignment == (
        PodSetAssignment(name="main", count=1, flavors={"gpu": "any"}),
    )


@pytest.mark.parametrize(("nominal", "free"), [(None, "unlimited"), (4, "3")])
def test_unlimited_quota_never_runs_out(nominal: int | None, free: str) -> None:
    world = World(queue("train").owns(gpu=nominal))
    world.submit("a", gpu=1)
    assert world.settle() == ["a: admitted on any"]
    assert world.free() == free


def test_zero_quota_blocks_only_requests_for_it() -> None:
    world = World(queue("train").owns(gpu=0, cpu=4))
    world.submit("a", gpu="0.001").submit("b", cpu=4)
    assert world.settle() == ["b: admitted on any", "a: pending (exceeds_max_quota)"]


def test_thousandths_add_up_exactly() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit(*(f"w{i}" for i in range(11)), gpu="0.1")
    assert world.settle() == [
        *(f"w{i}: admitted on any" for i in range(10)),
        "w10: pending (waiting_for_quota)",
    ]
    assert world.free() == "0"


def test_priority_goes_first_and_then_submission() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("holder", gpu=1)
    world.settle()
    world.submit("old", gpu=1).submit("urgent", gpu=1, priority=5).submit("young", gpu=1)
    world.settle()
    order = []
    running = "holder"
    for _ in range(3):
        world.finish(running)
        (line,) = world.settle()
        running = line.split(":")[0]
        order.append(running)
    assert order == ["urgent", "old", "young"]


def test_a_later_workload_may_overtake_one_that_does_not_fit() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("holder", gpu=2)
    world.settle()
    world.submit("big", gpu=4, priority=9).submit("small", gpu=2)
    assert world.settle() == ["small: admitted on any", "big: pending (waiting_for_quota)"]
    world.finish("holder")
    assert world.settle() == []
    world.finish("small")
    assert world.settle() == ["big: admitted on any"]


def test_priorities_separate_equal_workloads_into_classes() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("holder", gpu=1)
    world.submit("a", gpu=1, priority=0).submit("b", gpu=1, priority=1)
    world.settle()
    assert world.outcomes() == {
        "a": "pending (waiting_for_quota)",
        "b": "admitted on any",
        "holder": "pending (waiting_for_quota)",
    }


def test_withdrawn_workload_gets_no_decision() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", "b", gpu=1)
    assert world.state.withdraw("a")
    assert not world.state.withdraw("a")
    assert world.settle() == ["b: admitted on any"]


def test_held_queue_admits_nothing_and_others_continue() -> None:
    world = World(queue("train").owns(gpu=2), queue("serve").owns(gpu=2))
    world.submit("a", gpu=1)
    world.settle()
    world.hold("train")
    world.submit("b", gpu=1).submit("c", to="serve", gpu=1)
    assert sorted(world.settle()) == ["b: pending (queue_held)", "c: admitted on any"]
    world.finish("a")
    assert world.settle() == []
    world.resume("train")
    assert world.settle() == ["b: admitted on any"]


def test_the_reason_of_a_waiting_class_follows_what_changes() -> None:
    world = World(queue("train").owns(gpu=2))
    world.submit("a", gpu=2)
    world.settle()
    world.submit("b", gpu=2)
    world.settle()
    seen = [world.outcomes()["b"]]
    world.hold("train")
    world.settle()
    seen.append(world.outcomes()["b"])
    world.resume("train")
    world.settle()
    seen.append(world.outcomes()["b"])
    assert seen == [
        "pending (waiting_for_quota)",
        "pending (queue_held)",
        "pending (waiting_for_quota)",
    ]


def test_every_pending_workload_gets_one_decision() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("holder", gpu=1).submit("a", "b", gpu=1)
    world.settle()
    world.submit("c", gpu=1)
    assert world.settle() == ["c: pending (waiting_for_quota)"]
    world.hold("train")
    assert world.settle() == []


def test_explanation_of_an_inadmissible_class_has_current_numbers() -> None:
    world = World(queue("train").owns(gpu=8))
    world.submit("holder", gpu=6).submit("first", gpu=4)
    world.settle()
    world.submit("small", gpu=2)
    world.settle()
    world.submit("second", gpu=4)
    world.settle()
    (check,) = quota_facts(world.state.explain("second")).groups[0].flavors[0].checks
    assert (check.used, check.available, check.missing) == (8000, 0, 4000)


def test_decision_of_each_workload_has_its_own_labels() -> None:
    world = World(
        policy_=policy(
            queue("train").owns("a100", gpu=4).owns("any", gpu=0), flavors={"a100": only(kind="a")}
        )
    )
    world.submit("x", labels={"kind": "x"}, gpu=1).submit("y", labels={"kind": "y"}, gpu=1)
    world.settle()
    failed = [
        quota_facts(decision.trace).groups[0].flavors[0].failed for decision in world.decisions
    ]
    assert [each.actual for each in failed if each is not None] == ["x", "y"]
    x, y = (world.state.pending[name] for name in "xy")
    assert x.class_key == y.class_key


def test_settling_with_small_budgets_gives_the_same_result() -> None:
    def ends(budget: int) -> tuple[list[str], dict[str, str]]:
        world = World(queue("train").owns(gpu=4).preempts())
        world.submit("a", "b", gpu=2)
        world.state.settle()
        world.submit("c", gpu=1).submit("d", "e", gpu=1, priority=3).submit("f", to="no", gpu=1)
        decisions = []
        while not world.state.is_settled:
            step = world.state.settle(budget)
            assert step
            decisions += [each.workload for each in step]
        return decisions, world.outcomes()

    assert ends(1) == ends(2) == ends(1_000_000)


def test_changed_queues_and_classes_are_reported_once() -> None:
    world = World(queue("train").owns(gpu=1), queue("serve").owns(gpu=1))
    world.state.take_changes()
    world.submit("a", "b", gpu=1)
    world.settle()
    changes = world.state.take_changes()
    key = world.state.pending["b"].class_key
    assert (changes.queues, changes.classes) == ({"train"}, {("train", key)})
    cls = world.state.pending_class("train", key)
    assert cls is not None
    assert cls.missing == {("any", "gpu"): 1000}
    again = world.state.take_changes()
    assert (again.queues, again.classes) == (set(), set())


def test_rule_applies_its_priority_policy() -> None:
    terms = rule(0, "train", default=50, minimum=0, maximum=100)
    assert isinstance(terms, Rule)
    world = World(policy_=policy(queue("train").owns(gpu=1), rules=[terms]))
    world.submit("a", gpu=1).submit("b", gpu=1, priority=7)
    world.settle()
    assert [(each.workload, each.priority) for each in world.decisions] == [("a", 50), ("b", 7)]


def test_withdrawn_running_workload_gets_a_decision() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("runs", "waits", gpu=4)
    world.settle()
    world.withdraw("waits")
    assert world.settle() == []
    world.submit("next", gpu=4)
    world.settle()
    world.withdraw("runs")
    assert world.settle() == ["runs: withdrawn while running", "next: admitted on any"]
    world.withdraw("runs")
    assert world.settle() == []
