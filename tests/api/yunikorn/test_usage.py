"""Usage of users and groups in each queue, with the limits there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from console.workloads.models import Workload
from console.workloads.queries import placed
from tests.api.yunikorn.conftest import CONFIG, Busy, Rest

USAGE = "partition/default/usage"


def test_a_user_has_a_tree_of_queues_with_limits(busy: Busy) -> None:
    one, space = busy.ids["one"], busy.ids["space"]
    large = {"vcore": 1000, "memory": 1_000_000_000}
    small: dict[str, Any] = {"resourceUsage": {"vcore": 500}, "runningApplications": [space]}
    team = {"resourceUsage": large, "runningApplications": [one]}
    ann = {
        "userName": "ann",
        "groups": {one: "dev"},
        "queues": {
            "queuePath": "root",
            "resourceUsage": {"vcore": 1500, "memory": 1_000_000_000},
            "runningApplications": sorted([one, space]),
            "children": [
                {
                    "queuePath": "root.spaces",
                    **small,
                    "children": [{"queuePath": "root.spaces.blue", **small}],
                },
                {
                    "queuePath": "root.team",
                    **team,
                    "maxResources": {"vcore": 3000},
                    "maxApplications": 2,
                    "children": [{"queuePath": "root.team.a", **team}],
                },
            ],
        },
    }
    users = busy.rest.read(f"{USAGE}/users")
    assert [each["userName"] for each in users] == ["ann", "bob"]
    assert users[0] == ann
    assert busy.rest.read(f"{USAGE}/user/ann") == ann
    assert [each["userName"] for each in busy.rest.read("partition/gpu/usage/users")] == ["ann"]


def test_a_group_has_the_applications_that_count_for_it(busy: Busy) -> None:
    wide = busy.ids["wide"]
    use = {"resourceUsage": {"vcore": 3000}, "runningApplications": [wide]}
    others, dev = busy.rest.read(f"{USAGE}/groups")
    assert others == {
        "groupName": "*",
        "applications": [wide],
        "queues": {
            "queuePath": "root",
            **use,
            "children": [
                {
                    "queuePath": "root.team",
                    **use,
                    "maxApplications": 5,
                    "children": [{"queuePath": "root.team.b", **use}],
                }
            ],
        },
    }
    assert (dev["groupName"], dev["applications"]) == ("dev", [busy.ids["one"]])
    assert busy.rest.read(f"{USAGE}/group/dev") == dev
    assert busy.rest.read(f"{USAGE}/group/*") == others


def test_users_and_groups_of_limits_are_listed_without_usage(scheduler: Rest) -> None:
    limited = {"queuePath": "root.team", "maxResources": {"vcore": 3000}, "maxApplications": 2}
    assert scheduler.read(f"{USAGE}/users") == [
        {"userName": "ann", "queues": {"queuePath": "root", "children": [limited]}}
    ]
    assert [each["groupName"] for each in scheduler.read(f"{USAGE}/groups")] == ["dev"]


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("user/none", 404, "User not found"),
        ("group/none", 404, "Group not found"),
        ("user/a,b", 400, "Invalid user name"),
        ("group/a%20b", 400, "Invalid group name"),
    ],
)
def test_what_does_not_exist_is_told(scheduler: Rest, path: str, status: int, message: str) -> None:
    assert scheduler.get(f"{USAGE}/{path}").error[:2] == (status, message)


def test_users_with_usage_are_found_whatever_their_names(busy: Busy) -> None:
    Workload.objects.filter(uid=busy.ids["one"]).update(user="7 up", groups=[])
    Workload.objects.filter(uid=busy.ids["wide"]).update(user="", groups=[])
    users = busy.rest.read(f"{USAGE}/users")
    assert [each["userName"] for each in users] == ["7 up", "ann"]
    assert busy.rest.read(f"{USAGE}/user/7%20up") == users[0]


def test_an_answer_from_some_of_the_workloads_has_a_warning(
    busy: Busy, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [f"{USAGE}/users", f"{USAGE}/user/ann", "partition/default/nodes"]
    assert [busy.rest.get(each).headers.get("Warning") for each in paths] == [None] * 3
    monkeypatch.setattr(placed, "MOST_READ", 4)
    assert [busy.rest.get(each).headers.get("Warning") for each in paths] == [None] * 3
    monkeypatch.setattr(placed, "MOST_READ", 3)
    warning = '199 sluice "Only the newest 10000 running workloads are read"'
    assert [busy.rest.get(each).headers.get("Warning") for each in paths] == [warning] * 3
    # The oldest is left out.
    assert [each["userName"] for each in busy.rest.read(paths[0])] == ["ann", "bob"]
    assert busy.ids["one"] not in str(busy.rest.read(paths[0]))


def test_partitions_count_users_together_if_the_config_asks_for_it(
    busy: Busy, activate: Callable[..., Any]
) -> None:
    text = f"{CONFIG}x-compatibility: shared_user_usage\n"
    activate(text, number=2)
    root = busy.rest.read("partition/gpu/usage/user/ann")["queues"]
    assert root["resourceUsage"] == {"vcore": 4500, "memory": 1_000_000_000}
