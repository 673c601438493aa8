"""The rule tester and expectations over HTTP."""

from __future__ import annotations

import pytest

from console.capacity.services.report_cluster import report_cluster
from console.dialects.kueue import DIALECT as KUEUE
from tests.api.documents import OPEN

TEXT = """\
resource_flavors:
  - name: a100
    selector: [{key: accelerator-type, operator: in, values: [A100]}]
  - name: pool
resource_queues:
  - name: research
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: a100, resources: [{name: gpu, nominal_quota: 16}]}
          - {name: pool, resources: [{name: gpu, nominal_quota: 4}]}
  - name: default
scheduling_rules:
  - resource_queue: research
    selector: [{key: team, operator: in, values: [ml]}]
    priority_policy: {default: 50, max: 100, on_violation: reject}
  - resource_queue: default
    selector: [{key: team, operator: exists}]
"""
ML = {"labels": {"team": "ml"}, "requests": {"gpu": 2}}


@pytest.fixture
def here(api, owner):
    """Return a client of an organization with the config above."""
    client = api(owner)
    assert client.post("config/versions", {"text": TEXT, "expected_version": 0}).status == 201
    return client


def test_a_label_set_is_judged_by_every_rule(here):
    body = here.post("config/route", ML).body
    assert {key: body[key] for key in ("version", "draft", "verdict", "queue", "priority")} == {
        "version": 1,
        "draft": None,
        "verdict": "Rule 1 routes it to research with priority 50.",
        "queue": "research",
        "priority": 50,
    }
    assert (body["rule_index"], body["reason"], body["rule_count"]) == (0, None, 2)
    assert body["rules"] == [
        {
            "index": 0,
            "queue": "research",
            "standing": "took",
            "text": "Accepts it.",
            "priority": 50,
            "expressions": [
                {
                    "key": "team",
                    "operator": "in",
                    "values": ["ml"],
                    "actual": "ml",
                    "holds": True,
                    "range": {"line": 15, "column": 16, "end_line": 15, "end_column": 55},
                }
            ],
            "range": {"line": 14, "column": 5, "end_line": 16, "end_column": 67},
            "nearest": None,
        },
        {
            "index": 1,
            "queue": "default",
            "standing": "too_late",
            "text": "Would accept it, but rule 1 comes first.",
            "priority": 0,
            "expressions": [
                {
                    "key": "team",
                    "operator": "exists",
                    "values": [],
                    "actual": "ml",
                    "holds": True,
                    "range": {"line": 18, "column": 16, "end_line": 18, "end_column": 45},
                }
            ],
            "range": {"line": 17, "column": 5, "end_line": 18, "end_column": 46},
            "nearest": {
                "text": "Set team to any value but ml.",
                "possible": True,
                "labels": [{"key": "team", "value": None, "any": True, "but_not": ["ml"]}],
                "priority": None,
                "namespace": None,
            },
        },
    ]
    assert body["missing_labels"] == [
        {
            "key": "accelerator-type",
            "branches": [
                {
                    "values": ["A100"],
                    "queue": "research",
                    "priority": 50,
                    "rule_index": 0,
                    "flavors": ["a100", "pool"],
                    "text": "research by rule 1 with priority 50 on a100 and pool",
                },
                {
                    "values": [],
                    "queue": "research",
                    "priority": 50,
                    "rule_index": 0,
                    "flavors": ["pool"],
                    "text": "research by rule 1 with priority 50 on pool",
                },
            ],
            "more": 0,
        }
    ]


def test_running_workloads_count_for_fits_now(here, owner, settle):
    here.post("workloads", {"workloads": [{"name": "a", "tags": {"team": "ml"}, **_gpus(3)}]})
    settle(owner.org)
    fit = here.post("config/route", ML).body["fit"]
    assert (fit["ever"], fit["now"]) == (True, False)
    assert fit["sentences"] == [
        "It can fit: if nothing else ran, it would start on pool.",
        "Waiting for quota in research: needs 2 GPUs on pool, 1 free now, 1 short.",
    ]
    assert [(each["flavor"], each["accepts"], each["resources"]) for each in fit["flavors"]] == [
        (
            "a100",
            False,
            [{"resource": "gpu", "requested": 2, "nominal": 16, "maximum": 16, "available": 16}],
        ),
        (
            "pool",
            True,
            [{"resource": "gpu", "requested": 2, "nominal": 4, "maximum": 4, "available": 1}],
        ),
    ]


def _gpus(count: int) -> dict[str, dict[str, int]]:
    return {"requests": {"gpu": count}}


def test_a_rejection_has_its_reason_and_advice(here):
    body = here.post("config/route", {"labels": {}, "priority": 500}).body
    assert body["queue"] is None
    assert body["reason"] == {"code": "no_rule_matched", "message": "Accepted by no rule"}
    assert body["verdict"].startswith("Rejected: none of the 2 scheduling rules accepts it.")
    assert [rule["nearest"]["text"] for rule in body["rules"]] == [
        "Set team to ml and request priority 100.",
        "Set team to any value.",
    ]
    assert body["rules"][0]["nearest"]["priority"] == {"value": 100}


def test_a_test_uses_a_text_a_version_or_the_active_config(here):
    text = TEXT.replace("[ml]", "[web]")
    assert here.post("config/route", {**ML, "text": text}).body["queue"] == "default"
    here.post("config/versions", {"text": OPEN, "expected_version": 1})
    assert here.post("config/route", ML).body["version"] == 2
    assert here.post("config/route", {**ML, "version": 1}).body["queue"] == "research"
    assert here.post("config/route", {**ML, "version": 9}).problem == (404, "not_found")
    assert here.post("config/route", {**ML, "draft": 9}).problem == (404, "not_found")


def test_a_text_with_errors_is_refused_with_its_findings(here):
    answer = here.post("config/route", {**ML, "text": "resource_queues: 3"})
    assert answer.problem == (422, "config_rejected")
    assert answer.body["diagnostics"][0]["code"] == "DOC004"


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"text": "{}", "version": 1}, [("version", "conflicting_fields")]),
        ({"dialect": "native"}, [("dialect", "conflicting_fields")]),
        ({"text": "{}", "dialect": "x"}, [("dialect", "unknown_dialect")]),
        ({"version": 0}, [("version", "out_of_range")]),
        ({"version": "1"}, [("version", "wrong_type")]),
        ({"labels": {"a": 1, "": "x"}, "priority": -1}, None),
        ({"requests": {"gpu": 1}, "pod_sets": [{}]}, [("requests", "conflicting_fields")]),
        ({"lables": {}}, [("lables", "unknown_field")]),
        ([], [("", "wrong_type")]),
    ],
)
def test_invalid_fields_are_named(here, body, errors):
    answer = here.post("config/route", body)
    assert answer.problem == (400, "invalid_request")
    found = [(error["path"], error["code"]) for error in answer.body["errors"]]
    expected = [("priority", "out_of_range"), ("labels.a", "wrong_type"), ("labels.", "blank")]
    assert sorted(found) == sorted(expected if errors is None else errors)


def test_local_queues_are_tested_in_their_own_terms(api, owner):
    text = KUEUE.samples()["Two teams share one cohort"]
    label = "kueue.x-k8s.io/queue-name"
    asked = {"dialect": "kueue", "text": text, "namespace": "vision", "requests": {"cpu": "500m"}}
    body = api(owner).post("config/route", asked).body
    assert body["verdict"] == (
        f"Waiting: it names no local queue: the label {label} is absent, and namespace vision has "
        "no local queue default."
    )
    assert body["reason"]["code"] == "local_queue_missing"
    assert (body["rules"], body["rule_count"]) == ([], 0)
    assert [(d["name"], d["queue"], d["named"], d["allowed"]) for d in body["local_queues"]] == [
        ("training", "vision", False, True)
    ]
    assert [(each["queue"], each["text"]) for each in body["other_queues"]] == [
        ("vision", f"Set {label} to training."),
        ("speech", f"Be in namespace speech and set {label} to training."),
    ]
    body = api(owner).post("config/route", {**asked, "labels": {label: "training"}}).body
    assert (body["queue"], body["priority"], body["reason"]) == ("vision", 0, None)
    assert body["fit"]["now"] is True


def test_a_workload_that_names_no_local_queue_is_led_by_the_default_of_its_namespace(api, owner):
    text = KUEUE.samples()["Two teams share one cohort"].replace(
        "name: training, namespace: vision", "name: default, namespace: vision"
    )
    asked = {"dialect": "kueue", "text": text, "namespace": "vision", "requests": {"cpu": "500m"}}
    body = api(owner).post("config/route", asked).body
    assert (body["queue"], body["priority"], body["reason"]) == ("vision", 0, None)
    assert body["verdict"] == (
        "Local queue default of namespace vision by default routes it to vision with priority 0."
    )
    assert [(d["name"], d["queue"], d["named"]) for d in body["local_queues"]] == [
        ("default", "vision", True)
    ]
    assert [
        (label["key"], [(each["values"], each["text"]) for each in label["branches"]])
        for label in body["missing_labels"]
    ] == [
        (
            "kueue.x-k8s.io/queue-name",
            [
                (["default"], "vision with priority 0 on reserved and spot"),
                ([], "no queue (Local queue not found)"),
            ],
        ),
        (
            "kueue.x-k8s.io/priority-class",
            [
                (["production"], "vision with priority 1000 on reserved and spot"),
                (["experiment"], "vision with priority 100 on reserved and spot"),
                ([], "no queue (Priority class not found)"),
            ],
        ),
    ]


def test_pod_sets_are_tried_as_they_would_be_submitted(api, owner):
    text = KUEUE.samples()["Two teams share one cohort"]
    pods = {"count": 4, "requests": {"cpu": 60}, "node_selector": {"capacity": "reserved"}}
    body = (
        api(owner)
        .post(
            "config/route",
            {
                "dialect": "kueue",
                "text": text,
                "namespace": "vision",
                "labels": {"kueue.x-k8s.io/queue-name": "training"},
                "pod_sets": [pods],
            },
        )
        .body
    )
    assert [(f["flavor"], f["accepts"]) for f in body["fit"]["flavors"]] == [
        ("reserved", True),
        ("spot", False),
    ]
    assert body["fit"]["flavors"][0]["resources"][0]["requested"] == 240


RESEARCH = {"name": "ml", "labels": {"team": "ml"}, "queue": "research", "effective_priority": 50}
STRANGERS = {"name": "strangers", "queue": None}


def test_expectations_are_saved_listed_checked_and_deleted(here, viewer):
    saved = here.post("config/expectations", {"expectations": [STRANGERS, RESEARCH]})
    assert saved.status == 200
    assert [each["name"] for each in saved.body["results"]] == ["strangers", "ml"]
    listed = here.get("config/expectations").body["results"]
    assert [each["name"] for each in listed] == ["ml", "strangers"]
    created = listed[0].pop("created_at")
    assert created.endswith("Z")
    assert listed[0] == {
        **RESEARCH,
        "namespace": "",
        "user": "",
        "groups": [],
        "priority": None,
        "requests": {},
        "author": "owner token",
    }
    assert here.post("config/expectations/check", {}).body == {
        "ok": True,
        "broken": 0,
        "results": [
            {
                "name": "ml",
                "met": True,
                "text": "ml is expected in research with priority 50. "
                "Rule 1 routes it to research with priority 50.",
                "queue": "research",
                "priority": 50,
            },
            {
                "name": "strangers",
                "met": True,
                "text": "strangers is expected to reach no queue. Rejected: none of the 2 "
                "scheduling rules accepts it. Rule 1 requires team in [ml], but the "
                "label is absent.",
                "queue": None,
                "priority": None,
            },
        ],
    }
    broken = here.post("config/expectations/check", {"text": OPEN}).body
    assert (broken["ok"], broken["broken"]) == (False, 2)
    assert [each["queue"] for each in broken["results"]] == ["default", "default"]
    nameless = here.post("config/expectations/delete", {})
    assert [(each["path"], each["code"]) for each in nameless.body["errors"]] == [
        ("names", "required")
    ]
    gone = here.post("config/expectations/delete", {"names": ["ml", "unknown"]})
    assert gone.body == {"deleted": 1}
    assert [each["name"] for each in here.get("config/expectations").body["results"]] == [
        "strangers"
    ]


def test_an_expectation_replaces_one_with_the_same_name(here):
    here.post("config/expectations", {"expectations": [RESEARCH]})
    other = {**RESEARCH, "queue": "default", "effective_priority": None, "requests": {"gpu": 0.5}}
    here.post("config/expectations", {"expectations": [other]})
    (found,) = here.get("config/expectations").body["results"]
    assert (found["queue"], found["effective_priority"], found["requests"]) == (
        "default",
        None,
        {"gpu": 0.5},
    )


def test_expectations_are_saved_all_or_none(here):
    bad = [
        RESEARCH,
        RESEARCH,
        {"name": "no queue"},
        {"name": " ", "queue": "q"},
        {"name": "x", "queue": None, "effective_priority": 1},
        {"name": "y", "queue": ""},
    ]
    answer = here.post("config/expectations", {"expectations": bad})
    assert [(error["path"], error["code"]) for error in answer.body["errors"]] == [
        ("expectations[2].queue", "required"),
        ("expectations[3].name", "blank"),
        ("expectations[4].effective_priority", "conflicting_fields"),
        ("expectations[5].queue", "blank"),
        ("expectations[1].name", "repeated_name"),
    ]
    assert here.get("config/expectations").body == {"results": []}


def test_no_more_are_kept_than_an_apply_can_check(here):
    many = [{"name": f"e{i}", "queue": None} for i in range(500)]
    assert here.post("config/expectations", {"expectations": many}).status == 200
    again = here.post("config/expectations", {"expectations": many[:3]})
    assert again.status == 200
    over = here.post("config/expectations", {"expectations": [RESEARCH]})
    assert over.problem == (409, "too_many_expectations")
    assert len(here.get("config/expectations").body["results"]) == 500


PLACES = """\
{kind: Scheduler, spec: {rank: product}}
---
kind: PlacementTemplate
metadata: {name: gold}
spec:
  preferences: [{name: gold, match_labels: {tier: gold}, weight: 50}]
"""


def test_a_placement_is_tested_on_every_cluster(api, owner):
    client = api(owner)
    for name, labels, size in (("east", {}, 8), ("west", {"tier": "gold"}, 4)):
        nodes = [{"name": "n", "allocatable": {"cpu": size}}]
        report_cluster(owner, name, {"labels": labels, "nodes": nodes})
    body = {
        "pod_sets": [{"name": "main", "count": 3, "requests": {"cpu": 2}}],
        "placement": {"template": "gold"},
        "text": PLACES,
        "dialect": "skyshift",
    }
    fit = client.post("config/route", body).body["fit"]
    assert (fit["ever"], fit["now"], fit["flavors"]) == (True, True, [])
    assert fit["clusters"] == [
        {
            "pod_set": "main",
            "cluster": "west",
            "order": 1,
            "stage": "kept",
            "text": "west takes 2 replicas: its best preference has weight 50 of 50, its free "
            "capacity counts 4, times 100 is a score of 400.",
            "capacity": 4,
            "weight": 50,
            "largest_weight": 50,
            "score": "4 × 100 = 400",
            "replicas": 2,
        },
        {
            "pod_set": "main",
            "cluster": "east",
            "order": 2,
            "stage": "kept",
            "text": "east takes 1 replica: it matches no preference, which is weight 1 of 50, its "
            "free capacity counts 8, times 2 is a score of 16.",
            "capacity": 8,
            "weight": 1,
            "largest_weight": 50,
            "score": "8 × 2 = 16",
            "replicas": 1,
        },
    ]
    body["placement"] = {"filters": [{"name": "none", "match_labels": {"a": "b"}}]}
    fit = client.post("config/route", body).body["fit"]
    assert (fit["ever"], fit["now"]) == (False, False)
    assert [
        (each["cluster"], each["order"], each["stage"], each["capacity"], each["score"])
        for each in fit["clusters"]
    ] == [("east", None, "affinity", None, None), ("west", None, "affinity", None, None)]
    answer = client.post("config/route", {**body, "placement": ["east"]})
    assert (answer.status, [each["path"] for each in answer.body["errors"]]) == (400, ["placement"])
