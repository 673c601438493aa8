"""What users and groups use in each queue, beside the limits there."""

from __future__ import annotations

from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.disciplines.hierarchy.user_report import (
    HolderUse,
    LevelLine,
    RunningOfUser,
    user_report,
)
from tests.engine.hierarchy.configs import compiled

CONFIG = """\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
            limits:
              - {limit: x, users: [sue], maxresources: {vcore: 4}}
              - {limit: y, users: ["*"], maxapplications: 1}
              - {limit: z, groups: [staff, "*"], maxapplications: 3}
            queues:
              - name: b
                limits: [{limit: x, groups: [ops], maxresources: {vcore: 2}, maxapplications: 2}]
"""


#: Two partitions; the limit is one of a queue with a letter in upper case.
TWO = """\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: Lab
            limits: [{limit: x, users: ["*"], maxapplications: 4}]
          - name: spaces
            parent: true
    placementrules:
      - {name: provided, create: true}
  - name: gpu
    queues: [{name: root, queues: [{name: lab}]}]
"""


def _report(*running: RunningOfUser, config: str = CONFIG) -> dict[str, HolderUse]:
    return {each.name: each for each in user_report(hierarchy_of(compiled(config)), running)}


def _running(user: str, *groups: str, cpu: int = 1000, queue: str = "root.a.b") -> RunningOfUser:
    return RunningOfUser(queue=queue, user=user, groups=groups, pods=[({"cpu": cpu}, 1)])


def test_users_without_usage_are_named_if_a_limit_names_them() -> None:
    found = _report()
    assert list(found) == ["sue", "*", "ops", "staff"]
    assert found["sue"] == HolderUse(
        name="sue",
        lines=(
            LevelLine(queue="root.a", used=0),
            LevelLine(queue="root.a", resource="vcore", used=0, limit=4000),
        ),
    )


def test_the_tightest_limit_comes_first() -> None:
    found = _report(_running("sue", cpu=3000), _running("bob"))
    assert list(found) == ["bob", "sue", "*", "ops", "staff"]
    assert found["bob"].tightest == LevelLine(queue="root.a", used=1, limit=1)
    assert found["bob"].tightest.is_exhausted
    tightest = LevelLine(queue="root.a", resource="vcore", used=3000, limit=4000)
    assert found["sue"].tightest == tightest
    assert (tightest.share, tightest.is_exhausted) == (750, False)


def test_one_group_of_a_user_counts_that_of_the_nearest_limit() -> None:
    found = _report(_running("eve", "staff", "ops"), _running("eve", "unknown"))
    assert {name: each.lines[0].used for name, each in found.items() if each.is_group} == {
        "ops": 1,
        "*": 1,
        "staff": 0,
    }
    assert found["ops"].lines[-1] == LevelLine(
        queue="root.a.b", resource="vcore", used=1000, limit=2000
    )


def test_a_user_without_groups_has_one_of_the_same_name() -> None:
    found = _report(_running("bob"), _running("ops"), _running(""))
    assert {(name, each.workloads) for name, each in found.items() if each.is_group} == {
        ("*", 1),
        ("ops", 1),
        ("staff", 0),
    }
    assert "" not in found


def test_partitions_count_for_themselves_unless_the_config_says_otherwise() -> None:
    running = _running("eve", queue="root.lab"), _running("eve", queue="gpu:root.lab")
    eve = _report(*running, config=TWO)["eve"]
    assert eve.workloads == 2
    assert [(each.queue, each.used, each.limit) for each in eve.lines if not each.resource] == [
        ("root", 1, None),
        ("root.lab", 1, 4),
        ("gpu:root", 1, None),
        ("gpu:root.lab", 1, None),
    ]
    shared = f"{TWO}x-compatibility: shared_user_usage\n"
    eve = _report(*running, config=shared)["eve"]
    assert eve.workloads == 2
    assert [(each.queue, each.used, each.limit) for each in eve.lines if not each.resource] == [
        ("root", 2, None),
        ("root.lab", 2, 4),
    ]


def test_limits_of_names_in_upper_case_can_have_no_effect() -> None:
    spelled = f"{TWO}x-compatibility: limits_by_spelling\n"
    for config, limit in ((TWO, 4), (spelled, None)):
        eve = _report(_running("eve", queue="root.lab"), config=config)["eve"]
        (line,) = (each for each in eve.lines if each.queue == "root.lab" and not each.resource)
        assert line.limit == limit


def test_a_queue_of_another_language_has_none_above_it() -> None:
    eve = _report(_running("eve", queue="team.a"), _running("eve", queue="research"))["eve"]
    assert eve.workloads == 2
    assert eve.lines == (
        LevelLine(queue="research", used=1),
        LevelLine(queue="research", resource="vcore", used=1000),
        LevelLine(queue="team.a", used=1),
        LevelLine(queue="team.a", resource="vcore", used=1000),
    )


def test_only_queues_with_workloads_or_in_the_config_have_pages() -> None:
    eve = _report(_running("eve", queue="root.spaces.new.one"), config=TWO)["eve"]
    assert [(each.queue, each.is_between) for each in eve.lines if not each.resource] == [
        ("root", False),
        ("root.spaces", False),
        ("root.spaces.new", True),
        ("root.spaces.new.one", False),
    ]
