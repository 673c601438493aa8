"""Diffs of configs by meaning."""

from __future__ import annotations

from console.dialects import dialects
from console.dialects.objects import compare_policies
from console.engine.diff import (
    FieldChange,
    Followed,
    Limit,
    OrderChange,
    QuotaChange,
)
from console.engine.disciplines.quota.policy_objects import Noun
from console.engine.model.policy import Policy


def policy(*rules: str, flavor: str = "[]", queues: str = "ab") -> Policy:
    lines = ["resource_flavors:", f"  - {{name: f, selector: {flavor}}}", "resource_queues:"]
    lines += [f"  - name: {queue}" for queue in queues]
    lines += ["scheduling_rules:"] + [f"  - {{{rule}}}" for rule in rules]
    reading = dialects()["native"].read("\n".join(lines), {})
    assert reading.policy, reading.diagnostics
    return reading.policy


def summary(old: Policy, new: Policy) -> list[tuple[str, ...]]:
    return [
        (change.kind.value, change.noun, change.name, *change.parts)
        for change in compare_policies(old, new)
    ]


A = "resource_queue: a"
B = "resource_queue: b"
TEAM_A = "resource_queue: a, selector: [{key: team, operator: exists}]"
PRIORITY_A = "resource_queue: a, priority_policy: {default: 5}"


def test_equal_configs_do_not_differ():
    assert summary(policy(A, B), policy(A, B)) == []


def test_flavors_and_queues_by_name():
    other = policy(B, flavor="[{key: x, operator: exists}]", queues="bc")
    assert summary(policy(B), other) == [
        ("changed", "flavor", "f", "selector"),
        ("added", "queue", "c"),
        ("removed", "queue", "a"),
    ]


def test_rules_by_meaning():
    assert summary(policy(B), policy(TEAM_A, B)) == [("added", "rule", "0 to a")]
    assert summary(policy(TEAM_A, B), policy(B)) == [("removed", "rule", "0 to a")]
    assert summary(policy(A), policy(PRIORITY_A)) == [("changed", "rule", "0 to a", "priority")]
    assert summary(policy(TEAM_A, B), policy(B, TEAM_A)) in (
        [("moved", "rule", "0 to b", "index")],
        [("moved", "rule", "1 to a", "index")],
    )
    assert summary(policy(TEAM_A, B), policy(TEAM_A, PRIORITY_A, B)) == [
        ("added", "rule", "1 to a")
    ]


def change_facts(old: str, new: str) -> list[tuple[object, ...]]:
    """Return the changes between two native texts with all their details."""
    policies = [dialects()["native"].read(text, {}).policy for text in (old, new)]
    assert policies[0] is not None
    assert policies[1] is not None
    return [
        (change.kind.value, change.name, change.old_name, change.details)
        for change in compare_policies(policies[0], policies[1])
    ]


CONFIG = """
resource_flavors:
  - {name: spot}
  - {name: fixed}
resource_queues:
  - name: research
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: spot, resources: [{name: gpu, nominal_quota: 64}]}
          - {name: fixed, resources: [{name: gpu, nominal_quota: 8}]}
scheduling_rules:
  - {resource_queue: research, selector: [{key: team, operator: in, values: [ml]}]}
"""


def quota(flavor: str, old: int | None, new: int | None) -> QuotaChange:
    return QuotaChange(flavor=flavor, resource="gpu", limit=Limit.NOMINAL, old=old, new=new)


def test_quota_changes_are_numbers():
    assert change_facts(CONFIG, CONFIG.replace("64", "48")) == [
        ("changed", "research", "", (quota("spot", 64_000, 48_000),))
    ]
    without = CONFIG.replace(
        "          - {name: fixed, resources: [{name: gpu, nominal_quota: 8}]}\n", ""
    )
    assert change_facts(CONFIG, without) == [
        ("changed", "research", "", (quota("fixed", 8_000, None),))
    ]
    assert change_facts(without, CONFIG) == [
        ("changed", "research", "", (quota("fixed", None, 8_000),))
    ]


def test_changed_order_of_flavors_is_a_change():
    one, other = CONFIG.splitlines()[9:11]
    swapped = CONFIG.replace(f"{one}\n{other}", f"{other}\n{one}")
    order = OrderChange(resources=("gpu",), old=("spot", "fixed"), new=("fixed", "spot"))
    assert change_facts(CONFIG, swapped) == [("changed", "research", "", (order,))]


def test_a_renamed_queue_and_flavor_keep_what_refers_to_them():
    renamed = CONFIG.replace("research", "lab").replace("spot", "cheap")
    assert change_facts(CONFIG, renamed) == [
        ("renamed", "cheap", "spot", (Followed(noun=Noun.QUEUE, name="lab"),)),
        ("renamed", "lab", "research", (Followed(noun=Noun.RULE, name="0 to lab"),)),
    ]


def test_a_rename_may_change_a_number_too():
    changed = CONFIG.replace("research", "lab").replace("64", "48")
    assert change_facts(CONFIG, changed) == [
        (
            "renamed",
            "lab",
            "research",
            (quota("spot", 64_000, 48_000), Followed(noun=Noun.RULE, name="0 to lab")),
        )
    ]


def test_queue_with_another_meaning_is_no_rename():
    other = CONFIG.replace("research", "lab").replace("64", "1").replace("8}", "2}")
    other = other.replace("values: [ml]", "values: [web]")
    assert [(kind, name) for kind, name, *_ in change_facts(CONFIG, other)] == [
        ("added", "lab"),
        ("removed", "research"),
        ("added", "0 to lab"),
        ("removed", "0 to research"),
    ]


def test_added_queue_lists_its_nondefault_fields():
    empty = "resource_flavors:\n  - {name: spot}\n  - {name: fixed}\n"
    assert change_facts(empty, CONFIG) == [
        ("added", "research", "", (quota("spot", None, 64_000), quota("fixed", None, 8_000))),
        (
            "added",
            "0 to research",
            "",
            (
                FieldChange(
                    path=("selector",),
                    old=[],
                    new=[{"key": "team", "operator": "in", "values": ["ml"]}],
                ),
            ),
        ),
    ]
