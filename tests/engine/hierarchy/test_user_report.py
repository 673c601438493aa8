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


def _report(*running: RunningOfUser) -> dict[str, HolderUse]:
    return {each.name: each for each in user_report(hierarchy_of(compiled(CONFIG)), running)}


def _running(user: str, *groups: str, cpu: int = 1000) -> RunningOfUser:
    return RunningOfUser(queue="root.a.b", user=user, groups=groups, usage={("pool", "cpu"): cpu})


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
    found = _report(_running("eve", "staff", "ops"), _running("eve", "unknown"), _running("eve"))
    assert {name: each.lines[0].used for name, each in found.items() if each.is_group} == {
        "ops": 1,
        "*": 1,
        "staff": 0,
    }
    assert found["ops"].lines[-1] == LevelLine(
        queue="root.a.b", resource="vcore", used=1000, limit=2000
    )
