"""Policy changes: running workloads stay, pending workloads are routed again."""

from __future__ import annotations

from tests.engine.builders import World, only, policy, queue, rule


def test_removed_queue_drains() -> None:
    world = World(queue("old").owns(gpu=4), queue("train").owns(gpu=4))
    world.submit("a", to="old", gpu=3)
    world.settle()
    world.apply(queue("train").owns(gpu=4))
    assert world.settle() == []
    assert world.state.queues["old"].policy is None
    assert dict(world.state.usage("old")) == {("any", "gpu"): 3000}
    assert world.outcomes() == {"a": "admitted on any"}
    world.finish("a")
    assert world.settle() == []
    assert dict(world.state.usage("old")) == {}


def test_restored_queue_keeps_its_running_workloads() -> None:
    world = World(queue("old").owns(gpu=4), queue("train").owns(gpu=4))
    world.submit("a", to="old", gpu=3)
    world.settle()
    world.apply(queue("train").owns(gpu=4))
    world.apply(queue("old").owns(gpu=4), queue("train").owns(gpu=4))
    world.submit("b", to="old", gpu=2)
    assert world.settle() == ["b: pending (waiting_for_quota)"]


def test_waiting_workloads_without_a_rule_are_rejected() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", "b", gpu=1)
    world.settle()
    world.apply(policy_=policy(queue("train").owns(gpu=1), rules=[rule(0, "train", only(x="y"))]))
    assert world.settle() == ["b: rejected (no_rule_matched)"]
    assert world.outcomes() == {"a": "admitted on any"}


def test_waiting_workloads_without_a_flavor_are_rejected() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", "b", gpu=1)
    world.settle()
    world.apply(policy_=policy(queue("train").owns(gpu=1), flavors={"any": only(x="y")}))
    assert world.settle() == ["b: rejected (no_flavor_matched)"]


def test_pending_workloads_are_routed_by_the_new_rules() -> None:
    world = World(queue("train").owns(gpu=1), queue("serve").owns("s", gpu=4))
    world.submit("a", "b", "c", gpu=1)
    world.settle()
    rules = [rule(0, "serve")]
    world.apply(
        policy_=policy(queue("train").owns(gpu=1), queue("serve").owns("s", gpu=1), rules=rules)
    )
    assert world.settle() == ["b: admitted on s", "c: pending (waiting_for_quota)"]
    assert world.decisions[1].queue == "serve"


def test_unaffected_workloads_get_no_new_decision() -> None:
    world = World(queue("train").owns(gpu=1), queue("serve").owns("s", gpu=1))
    world.submit("a", "b", gpu=1).submit("c", "d", to="serve", gpu=1)
    world.settle()
    world.apply(
        queue("train").owns(gpu=1), queue("serve").owns("s", gpu=2), queue("new").owns(gpu=1)
    )
    assert world.settle() == ["d: admitted on s"]
    assert world.outcomes()["b"] == "pending (waiting_for_quota)"


def test_workload_with_a_new_priority_gets_a_decision() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", "b", gpu=1)
    world.settle()
    world.apply(policy_=policy(queue("train").owns(gpu=1), rules=[rule(0, "train", default=9)]))
    assert world.settle() == ["b: pending (waiting_for_quota)"]
    assert world.decisions[0].priority == 9
    assert world.state.running["a"].priority == 0


def test_more_quota_admits_and_less_quota_preempts_no_workload() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", "b", "c", gpu=1)
    world.settle()
    world.apply(queue("train").owns(gpu=2))
    assert world.settle() == ["b: admitted on any"]
    world.apply(queue("train").owns(gpu=1))
    assert world.settle() == []
    assert world.free() == "-1"
    world.finish("a")
    assert world.settle() == []
    world.finish("b")
    assert world.settle() == ["c: admitted on any"]


def test_removing_all_rules_admits_all_workloads() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", "b", gpu=1)
    world.settle()
    world.apply(policy_=policy(rules=()))
    assert world.settle() == ["b: admitted"]


def test_workload_submitted_before_a_change_is_routed_by_the_new_policy() -> None:
    world = World(queue("train").owns(gpu=1))
    world.submit("a", gpu=1)
    world.apply(policy_=policy(queue("train").owns(gpu=1), rules=[rule(0, "train", only(x="y"))]))
    assert world.settle() == ["a: rejected (no_rule_matched)"]


def test_a_hold_outlives_a_change() -> None:
    world = World(queue("train").owns(gpu=1))
    world.state.hold("train")
    world.apply(queue("train").owns(gpu=2))
    world.submit("a", gpu=1)
    assert world.settle() == ["a: pending (queue_held)"]
