"""``anyscale.scheduler`` and the generated client, whose models refuse missing fields."""

from __future__ import annotations

import time
from typing import Any

from console.dialects import client_dialect
from tests.compat.client import AnyscaleClient
from tests.compat.conftest import SHARED
from tests.product import PATIENCE, Api

pytestmark = SHARED

#: Workloads that train may use two gpu; all others run without quota.
CONFIG: dict[str, Any] = {
    "resource_flavors": [
        {
            "name": "a100",
            "selector": [{"key": "market-type", "operator": "in", "values": ["SPOT"]}],
        }
    ],
    "resource_queues": [
        {
            "name": "team/train",
            "resource_groups": [
                {
                    "covered_resources": ["gpu"],
                    "flavors": [
                        {"name": "a100", "resources": [{"name": "gpu", "nominal_quota": 2.5}]}
                    ],
                }
            ],
        },
        {"name": "rest"},
    ],
    "scheduling_rules": [
        {
            "resource_queue": "team/train",
            "selector": [{"key": "team", "operator": "in", "values": ["a"]}],
            "priority_policy": {"default": 5, "min": 0, "max": 9, "on_violation": "force_update"},
        },
        {"resource_queue": "rest", "selector": [{"key": "idle", "operator": "does_not_exist"}]},
    ],
}
TRAIN = {"tags": {"team": "a"}, "market_type": "SPOT", "project": "p", "requests": {"gpu": 2}}

_NODES = {"running": 2, "admitted": 2, "pending": 1}
_MARKET = {"spot": 1, "on_demand": 0, "unspecified": 1}
_USAGE = {
    "flavor": "a100",
    "resource": "gpu",
    "used": 2.0,
    "ceiling": 2.5,
    "headroom": 0.5,
    "utilization": 0.8,
}


def generated(name: str, **arguments: Any) -> tuple[str, str, dict[str, Any]]:
    """Return a call of the generated client."""
    return "client", name, arguments


def sdk(name: str, **arguments: Any) -> tuple[str, str, dict[str, Any]]:
    """Return a call of the SDK."""
    return "sdk", name, arguments


def external(name: str, **arguments: Any) -> tuple[str, str, dict[str, Any]]:
    """Return a call of the generated client of the external API."""
    return "external", name, arguments


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return *value* without the fields that differ from run to run, which must be present."""
    assert all(value[name] is not None for name in names), value
    return {name: each for name, each in value.items() if name not in names}


def test_the_sdk_applies_rolls_back_and_lists(client: AnyscaleClient, api: Api) -> None:
    _, form = client_dialect()
    text = form.write(CONFIG)
    for number in range(1, 58):
        version = {"text": f"{text}# {number}\n", "expected_version": number - 1}
        api.post("/config/versions", version, expect=201)
    # The texts differ in a comment alone, which the client does not send.
    one_rule = {**CONFIG, "scheduling_rules": CONFIG["scheduling_rules"][:1]}
    same, applied, back, active, old, summaries, some, refused = client.ask(
        sdk("apply_config", config=CONFIG),
        sdk("apply_config", config=one_rule),
        sdk("rollback_config", version=2),
        sdk("get_config"),
        sdk("get_config", version=58),
        # More than one page of the server.
        sdk("list_config_versions", max_items=100),
        sdk("list_config_versions", max_items=3),
        sdk("apply_config", config={"scheduling_rules": [{"resource_queue": "nowhere"}]}),
    )
    assert (same, applied, back) == (57, 58, 59)
    assert without(active, "created_at", "config") == {
        "version": 59,
        "is_active": True,
        "creator_id": "owner token",
    }
    assert _said(active["config"]) == CONFIG
    assert (old["version"], old["is_active"], _said(old["config"])) == (58, False, one_rule)
    assert [each["version"] for each in summaries] == list(range(59, 0, -1))
    assert [each["version"] for each in some] == [59, 58, 57]
    assert refused["raised"] == "ValueError"
    assert refused["text"].startswith("The config has 1 error; nothing was applied.\n")
    assert api.get("/config")["text"] == f"{text}# 2\n"


def test_every_read_endpoint_fills_the_generated_models(
    client: AnyscaleClient, api: Api, tokens: Any
) -> None:
    org = tokens[0]
    assert client.ask(sdk("apply_config", config=CONFIG)) == [1]
    workloads = [
        {"name": "first", "type": "job", **TRAIN},
        {"name": "second", "type": "workspace", "priority": 20, **TRAIN},
        {"name": "third", "type": "service", "user": "u"},
        {"name": "fourth", "type": "job", "tags": {"idle": "yes"}},
    ]
    first, second, _, fourth = api.post("/workloads", {"workloads": workloads})["ids"]
    _wait_until_decided(api, fourth)
    waits = api.get("/workloads?state=pending")["results"][0]["id"]
    runs = second if waits == first else first

    user, overview, queues, queue, running, pending, consumers, events, chosen, preview = (
        client.ask(
            generated("get_user_info_api_v2_userinfo_get"),
            generated("get_overview_api_v2_scheduler_overview_get"),
            generated("list_queues_api_v2_scheduler_queues_get", limit=1),
            generated("get_queue_api_v2_scheduler_queues_queue_id_get", queue_id="team/train"),
            _workloads("running"),
            _workloads("pending"),
            generated("list_top_consumers_api_v2_scheduler_top_consumers_get", limit=1),
            generated("list_scheduler_events_api_v2_scheduler_events_get", count=100),
            generated(
                "list_scheduler_events_api_v2_scheduler_events_get",
                queue_name=["team/train", "rest"],
                flavor_name=["a100"],
                level=["INFO", "ERROR"],
                event_type=["REQUEST_ADMITTED", "REQUEST_REJECTED"],
                start_time="2020-01-01T00:00:00+00:00",
                order_desc=False,
                count=5,
            ),
            generated(
                "preview_scheduler_config_api_v2_scheduler_config_preview_post",
                preview_scheduler_config_request={
                    "config": {
                        "resource_queues": [{"name": "all"}],
                        "scheduling_rules": [
                            {
                                "resource_queue": "all",
                                "selector": [{"key": "instance-type", "operator": "exists"}],
                            },
                            {
                                "resource_queue": "all",
                                "selector": [{"key": "team", "operator": "exists"}],
                            },
                        ],
                    },
                    "include_applied_comparison": True,
                    "refresh": True,
                },
            ),
        )
    )
    assert {name: user["result"][name] for name in ("id", "organization_ids")} == {
        "id": "owner token",
        "organization_ids": [org],
    }
    _check_overview(overview["result"], org)
    assert queues == {
        "results": [
            {
                "queue_id": "team/train",
                "queue": "team/train",
                "cohort": None,
                "workloads": {"running": 1, "pending": 1},
                "nodes": {"running": 1, "admitted": 1, "pending": 1},
                "quota": [_USAGE],
                "market": {"spot": 1, "on_demand": 0, "unspecified": 0},
            }
        ],
        "metadata": {"total": 2, "next_paging_token": "1"},
    }
    assert queue["result"] == {
        "queue": "team/train",
        "summary": {
            "running_workloads": 1,
            "pending_workloads": 1,
            "nodes": {"running": 1, "admitted": 1, "pending": 1},
            "market": {"spot": 1, "on_demand": 0, "unspecified": 0},
        },
    }
    (row,) = running["results"]
    assert without(row, "created_at", "url", "name", "type", "priority") == {
        "cluster_id": runs,
        "project": "p",
        "nodes": {"requested": 1, "admitted": 1, "running": 1, "pending": 0},
        "flavors": ["a100"],
        "cloud_id": org,
        "status": "RUNNING",
        "plan_id": "1",
        "queue_position": 0,
        "requested_resources": {"gpu": 2.0},
    }
    (row,) = pending["results"]
    assert (row["cluster_id"], row["status"], row["queue_position"], row["flavors"]) == (
        waits,
        "QUEUED",
        1,
        [],
    )
    (row,) = consumers["results"]
    assert without(row, "duration_seconds", "url", "name") == {
        "cluster_id": runs,
        "project": "p",
        "nodes": 1,
    }
    kinds = {each["event_type"] for each in events["results"]}
    assert {"CONFIG_UPDATED", "REQUEST_SUBMITTED", "REQUEST_QUEUED"} <= kinds
    (admitted,) = chosen["results"]
    assert (admitted["cluster_id"], admitted["flavor_name"]) == (runs, "a100")
    _check_preview(preview["result"])


def test_the_external_api_answers_events_and_refuses_the_rest(
    client: AnyscaleClient, api: Api, tokens: Any
) -> None:
    applied, again, events, clouds = client.ask(
        sdk("apply_config", config=CONFIG),
        sdk("apply_config", config=CONFIG),
        external("list_scheduler_events", queues=["a", "b"], event_types=["CONFIG_UPDATED"]),
        external("search_clouds", clouds_query={}),
    )
    assert (applied, again) == (1, 1)
    assert events == {"results": [], "metadata": {"total": 0, "next_paging_token": None}}
    assert "Sluice implements only the scheduler's part" in clouds["text"]
    (uid,) = api.post("/workloads", {"workloads": [{"name": "third", "type": "service"}]})["ids"]
    _wait_until_decided(api, uid)
    (events,) = client.ask(external("list_scheduler_events", workload_id=uid, order_desc=False))
    first, last = events["results"]
    assert (first["queue"], last["queue"], last["cloud_id"]) == (None, "rest", tokens[0])
    assert (last["workload"]["id"], last["workload"]["name"]) == (uid, "third")


def _workloads(state: str) -> tuple[str, str, dict[str, Any]]:
    name = "list_queue_workloads_api_v2_scheduler_queues_queue_id_workloads_get"
    return generated(name, queue_id="team/train", state=state, limit=10)


def _check_overview(overview: dict[str, Any], org: str) -> None:
    topology = overview.pop("topology")
    assert without(topology, "config_updated_at") == {
        "active_queues": 2,
        "active_flavors": 1,
        "active_rules": 2,
        "active_cohorts": 0,
        "config_version": 1,
    }
    counts = {
        "nodes": _NODES,
        "workloads": {"running": 2, "pending": 1},
        "market": _MARKET,
    }
    assert overview == {
        "totals": {**counts, "active_workloads": 3},
        "utilization": [_USAGE],
        "clouds": [{"cloud_id": org, **counts}],
    }


def _check_preview(preview: dict[str, Any]) -> None:
    verdicts = preview.pop("verdicts")
    corpus = preview.pop("corpus")
    assert without(corpus, "window_days", "snapshot_at") == {
        "total_events": 4,
        "distinct_combos": 4,
        "truncated": False,
    }
    assert preview.pop("unevaluable_rules") == [
        {"rule_index": 0, "unknown_keys": ["instance-type"]}
    ]
    assert preview.pop("preview_unavailable") is False
    assert {each["code"] for each in preview.pop("lint")} > set()
    assert preview == {}
    seen = {
        (each["queue_name"], each["matched_rule_index"], each["applied_queue_name"])
        for each in verdicts
    }
    assert seen == {("all", 1, "team/train"), (None, -1, "rest"), (None, -1, None)}
    for each in verdicts:
        assert each["no_rule_matched"] == (each["queue_name"] is None)
        assert each["applied_no_rule_matched"] == (each["applied_queue_name"] is None)


def _said(value: Any) -> Any:
    """Return the fields of a model that are set."""
    if isinstance(value, list):
        return [_said(item) for item in value]
    if isinstance(value, dict):
        return {name: _said(item) for name, item in value.items() if item is not None}
    return value


def _wait_until_decided(api: Api, uid: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while api.get(f"/workloads/{uid}")["reason"]["code"] == "not_evaluated":
        assert time.monotonic() < deadline, f"not decided within {PATIENCE} s"
        time.sleep(0.1)
