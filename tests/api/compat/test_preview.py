"""Preview: a config evaluated against workload history without being applied."""

from __future__ import annotations

from typing import Any

from console.configs.models import ConfigVersion
from tests.api.compat.conftest import CONFIG, Compat

#: Matches workloads with a team and an instance type, and no others.
DRAFT = {
    "resource_queues": [{"name": "all"}],
    "scheduling_rules": [
        {"resource_queue": "all", "selector": [{"key": "color", "operator": "exists"}]},
        {"resource_queue": "all", "selector": [{"key": "team", "operator": "exists"}]},
    ],
}


def preview(client: Compat, config: Any = DRAFT, **more: Any) -> Any:
    """Return the preview of a config."""
    return client.post("scheduler/config/preview", {"config": config, **more}).result


def outcomes(verdicts: Any) -> list[tuple[Any, ...]]:
    """Return the outcome of each verdict, sorted by content."""
    names = ("queue_name", "matched_rule_index", "no_rule_matched", "applied_queue_name")
    found = [tuple(each[name] for name in names) for each in verdicts]
    return sorted(found, key=str)


def test_each_set_of_labels_has_a_verdict(owner_client: Compat, busy: Any) -> None:
    answer = preview(owner_client, include_applied_comparison=True, refresh=True)
    assert answer.keys() == {
        "corpus",
        "verdicts",
        "lint",
        "unevaluable_rules",
        "preview_unavailable",
    }
    assert answer["corpus"].pop("snapshot_at").endswith("Z")
    assert answer["corpus"] == {
        "window_days": 30,
        "total_events": 4,
        "distinct_combos": 4,
        "truncated": False,
    }
    assert outcomes(answer["verdicts"]) == [
        ("all", 1, False, "team/train"),
        ("all", 1, False, "team/train"),
        (None, -1, True, "rest"),
        (None, -1, True, None),
    ]
    assert answer["unevaluable_rules"] == [{"rule_index": 0, "unknown_keys": ["color"]}]
    assert answer["preview_unavailable"] is False
    found = owner_client.post("scheduler/config/validate", {"config": DRAFT}).result
    assert answer["lint"] == found["lint"] != []
    idle = next(each for each in answer["verdicts"] if "idle" in each["labels"])
    assert idle == {
        "display_name": None,
        "run_count": 1,
        "labels": {"idle": "yes", "workload-type": "job"},
        "queue_name": None,
        "matched_rule_index": -1,
        "no_rule_matched": True,
        "applied_queue_name": None,
        "applied_no_rule_matched": True,
    }
    assert ConfigVersion.objects.count() == 1


def test_verdicts_are_sorted_by_number_of_runs(
    owner_client: Compat, busy: Any, api: Any, owner: Any, settle: Any
) -> None:
    often = {"name": "again", "type": "job", "tags": {"idle": "yes"}}
    api(owner).post("workloads", {"workloads": [often] * 3})
    settle(owner.org)
    verdicts = preview(owner_client)["verdicts"]
    assert [each["run_count"] for each in verdicts] == [4, 1, 1, 1]
    assert verdicts[0]["labels"]["idle"] == "yes"


def test_the_comparison_is_optional(owner_client: Compat, busy: Any) -> None:
    for verdict in preview(owner_client)["verdicts"]:
        assert verdict["applied_queue_name"] is None
        assert verdict["applied_no_rule_matched"] is None


def test_without_rules_everything_is_admitted(owner_client: Compat, busy: Any) -> None:
    assert set(outcomes(preview(owner_client, {})["verdicts"])) == {(None, -1, False, None)}


def test_without_history_there_are_no_verdicts(owner_client: Compat) -> None:
    answer = preview(owner_client, include_applied_comparison=True)
    assert (answer["verdicts"], answer["unevaluable_rules"]) == ([], [])
    assert answer["corpus"]["distinct_combos"] == 0


def test_a_config_with_errors_has_no_preview(owner_client: Compat) -> None:
    body = {"config": {"scheduling_rules": [{"resource_queue": "x"}]}}
    status, detail = owner_client.post("scheduler/config/preview", body).error
    assert (status, detail.splitlines()[0]) == (
        422,
        "The config has 1 error; nothing was applied.",
    )
    flag = owner_client.post("scheduler/config/preview", {"config": CONFIG, "refresh": 1})
    assert flag.error == (400, "refresh: This has to be a boolean, not a number.")
