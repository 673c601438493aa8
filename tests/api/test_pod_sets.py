"""Pod sets over HTTP: validation of submissions, and the returned values."""

from __future__ import annotations

import pytest

from console.workloads.models import Event, Intake, Usage, Workload

#: A queue with unlimited memory.
UNBOUNDED = """\
resource_flavors:
  - name: any
resource_queues:
  - name: big
    resource_groups:
      - covered_resources: [cpu, memory_gb]
        flavors: [{ name: any, resources: [{ name: cpu, nominal_quota: 1000 }] }]
scheduling_rules:
  - resource_queue: big
"""

PLAIN = {
    "name": "main",
    "count": 1,
    "min_count": None,
    "requests": {},
    "node_selector": {},
    "affinity": [],
    "tolerations": [],
    "group": None,
}

DRIVER = {"name": "driver", "requests": {"cpu": "500m", "memory": "2Gi"}, "group": "together"}
WORKERS = {
    "name": "workers",
    "count": 8,
    "min_count": 4,
    "requests": {"cpu": 1.5, "memory": "1e3", "nvidia.com/gpu": 0},
    "node_selector": {"zone": "west", "example.com/tier": ""},
    "affinity": [
        {
            "matchExpressions": [
                {"key": "zone", "operator": "In", "values": ["west", "east"]},
                {"key": "tier", "operator": "DoesNotExist"},
            ]
        },
        {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["-5"]}]},
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]},
    ],
    "tolerations": [
        {"key": "spot", "value": "yes", "effect": "NoSchedule"},
        {"operator": "Exists"},
    ],
    "group": "together",
}

ANSWERED = [
    PLAIN | {"name": "driver", "requests": {"cpu": 0.5, "memory": 2 * 2**30}, "group": "together"},
    {
        "name": "workers",
        "count": 8,
        "min_count": 4,
        "requests": {"cpu": 1.5, "memory": 1000, "nvidia.com/gpu": 0},
        "node_selector": {"zone": "west", "example.com/tier": ""},
        "affinity": [
            {
                "matchExpressions": [
                    {"key": "zone", "operator": "In", "values": ["west", "east"]},
                    {"key": "tier", "operator": "DoesNotExist", "values": []},
                ]
            },
            {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["-5"]}]},
            {
                "matchExpressions": [],
                "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}],
            },
        ],
        "tolerations": [
            {"key": "spot", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
            {"key": "", "operator": "Exists", "value": "", "effect": ""},
        ],
        "group": "together",
    },
]


@pytest.fixture
def client(api, owner):
    return api(owner)


def submit(client, *workloads: dict) -> list[str]:
    answer = client.post("workloads", {"workloads": list(workloads)})
    assert answer.status == 202, answer.body
    return answer.body["ids"]


def errors_of(client, pod_sets: object, **more: object) -> list[tuple[str, str]]:
    body = {"workloads": [{"name": "bad", "pod_sets": pod_sets, **more}]}
    answer = client.post("workloads", body)
    assert answer.problem == (400, "invalid_request")
    assert not Workload.objects.exists()
    assert not Intake.objects.exists()
    return [
        (error["path"].removeprefix("workloads[0]."), error["code"])
        for error in answer.body["errors"]
    ]


def test_pod_sets_are_returned_as_submitted(client):
    (uid,) = submit(client, {"name": "many", "pod_sets": [DRIVER, WORKERS], "namespace": "vision"})
    row = client.get(f"workloads/{uid}").body
    assert row["pod_sets"] == ANSWERED
    assert row["namespace"] == "vision"
    # A request of zero is not part of the sum.
    assert row["requests"] == {"cpu": 12.5, "memory": 2 * 2**30 + 8000}
    assert client.get("workloads").body["results"][0]["pod_sets"] == ANSWERED


def test_its_explanation_begins_with_its_pods(client):
    (uid,) = submit(client, {"name": "many", "pod_sets": [DRIVER, WORKERS], "namespace": "vision"})
    explanation = client.get(f"workloads/{uid}/explanation").body
    assert explanation["sentences"] == [
        "Labels: workload-type=job.",
        "Namespace: vision.",
        "Requests 12.5 CPUs, 2147491648 memory in total, with no priority.",
        "Pod set driver: 1 pod of 0.5 CPU, 2Gi memory.",
        "Pod set workers: 8 pods of 1.5 CPUs, 1000 memory each; may start with 4.",
        "Not evaluated yet: it was submitted and waits for its first evaluation.",
    ]


def test_returned_pod_sets_can_be_submitted_again(client):
    (first,) = submit(client, {"name": "first", "pod_sets": [DRIVER, WORKERS]})
    answered = client.get(f"workloads/{first}").body["pod_sets"]
    (second,) = submit(client, {"name": "second", "pod_sets": answered})
    assert client.get(f"workloads/{second}").body["pod_sets"] == ANSWERED


def test_null_and_absent_are_the_defaults(client):
    nothing = dict.fromkeys(PLAIN)
    (uid,) = submit(client, {"name": "bare", "pod_sets": [nothing], "requests": None})
    assert client.get(f"workloads/{uid}").body["pod_sets"] == [PLAIN]


def test_one_plain_pod_set_is_the_short_form(client):
    submit(client, {"name": "short", "requests": {"cpu": 2}})
    submit(client, {"name": "long", "pod_sets": [{"requests": {"cpu": "2000m"}}]})
    short, long = Workload.objects.order_by("pk").values("requests", "pod_sets")
    assert short == long == {"requests": {"cpu": 2000}, "pod_sets": []}


def test_quantities_are_counted_as_kubernetes_counts_them(client):
    requests = {
        "cpu": "100u",
        "memory": "1.5Gi",
        "ephemeral-storage": "12E6",
        "example.com/thing": "100m",
        "exact": 0.001,
        "large": "9007199254740991",
    }
    submit(client, {"name": "exact", "pod_sets": [{"requests": requests}]})
    assert Workload.objects.get().requests == {
        "cpu": 1,
        "memory": 3 * 2**29 * 1000,
        "ephemeral-storage": 12_000_000_000,
        "example.com/thing": 1000,
        "exact": 1,
        "large": (2**53 - 1) * 1000,
    }


def expression(**fields: object) -> list:
    return [{"affinity": [{"matchExpressions": [fields]}]}]


@pytest.mark.parametrize(
    ("pod_sets", "path", "code"),
    [
        ({}, "pod_sets", "wrong_type"),
        ([], "pod_sets", "wrong_length"),
        ([{"name": f"p{i}"} for i in range(19)], "pod_sets", "wrong_length"),
        (["main"], "pod_sets[0]", "wrong_type"),
        ([{"nam": "main"}], "pod_sets[0].nam", "unknown_field"),
        ([{"name": "a"}, {"name": "b"}, {"name": "a"}], "pod_sets[2].name", "repeated_name"),
        ([{}, {}], "pod_sets[1].name", "repeated_name"),
        ([{"name": ""}], "pod_sets[0].name", "blank"),
        ([{"name": "A"}], "pod_sets[0].name", "invalid_name"),
        ([{"name": "a-"}], "pod_sets[0].name", "invalid_name"),
        ([{"name": "a.b"}], "pod_sets[0].name", "invalid_name"),
        ([{"name": "a\n"}], "pod_sets[0].name", "invalid_name"),
        ([{"name": "a" * 64}], "pod_sets[0].name", "too_long"),
        ([{"count": -1}], "pod_sets[0].count", "out_of_range"),
        ([{"count": 2**31}], "pod_sets[0].count", "out_of_range"),
        ([{"count": 1.5}], "pod_sets[0].count", "wrong_type"),
        ([{"count": True}], "pod_sets[0].count", "wrong_type"),
        ([{"count": 2, "min_count": 0}], "pod_sets[0].min_count", "out_of_range"),
        ([{"count": 2, "min_count": 3}], "pod_sets[0].min_count", "out_of_range"),
        ([{"count": 0, "min_count": 0}], "pod_sets[0].min_count", "out_of_range"),
        ([{"count": "3", "min_count": 9}], "pod_sets[0].count", "wrong_type"),
        ([{"requests": {"pods": 1}}], "pod_sets[0].requests.pods", "reserved_resource"),
        ([{"requests": {"cpu": -1}}], "pod_sets[0].requests.cpu", "out_of_range"),
        ([{"requests": {"cpu": "-1"}}], "pod_sets[0].requests.cpu", "out_of_range"),
        ([{"requests": {"cpu": 0.0001}}], "pod_sets[0].requests.cpu", "invalid_amount"),
        ([{"requests": {"cpu": "64GB"}}], "pod_sets[0].requests.cpu", "invalid_amount"),
        ([{"requests": {"cpu": ""}}], "pod_sets[0].requests.cpu", "blank"),
        ([{"requests": {"cpu": "1\0"}}], "pod_sets[0].requests.cpu", "invalid_characters"),
        ([{"requests": {"cpu": "1\ud800"}}], "pod_sets[0].requests.cpu", "invalid_characters"),
        ([{"requests": {"cpu": "1" * 101}}], "pod_sets[0].requests.cpu", "too_long"),
        ([{"requests": {"cpu": "8Pi"}}], "pod_sets[0].requests.cpu", "out_of_range"),
        ([{"requests": {"cpu": "9E"}}], "pod_sets[0].requests.cpu", "out_of_range"),
        ([{"requests": {"cpu": None}}], "pod_sets[0].requests.cpu", "wrong_type"),
        ([{"requests": {"r" * 318: 1}}], f"pod_sets[0].requests.{'r' * 79}…", "too_long"),
        ([{"requests": {f"r{i}": 1 for i in range(21)}}], "pod_sets[0].requests", "wrong_length"),
        ([{"node_selector": {"zone": None}}], "pod_sets[0].node_selector.zone", "wrong_type"),
        ([{"node_selector": {"zone": "x" * 64}}], "pod_sets[0].node_selector.zone", "too_long"),
        ([{"node_selector": {"": "x"}}], "pod_sets[0].node_selector.", "blank"),
        ([{"affinity": {}}], "pod_sets[0].affinity", "wrong_type"),
        ([{"affinity": [{}]}], "pod_sets[0].affinity[0].matchExpressions", "required"),
        (
            [{"affinity": [{"matchExpressions": [], "matchFields": []}]}],
            "pod_sets[0].affinity[0].matchExpressions",
            "required",
        ),
        (
            [{"affinity": [{"matchLabels": {}, "matchExpressions": [{}]}]}],
            "pod_sets[0].affinity[0].matchLabels",
            "unknown_field",
        ),
        ([{"tolerations": [{"operator": "Equal"}]}], "pod_sets[0].tolerations[0].operator",
         "conflicting_fields"),
        ([{"tolerations": [{}]}], "pod_sets[0].tolerations[0].operator", "conflicting_fields"),
        ([{"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}],
         "pod_sets[0].tolerations[0].value", "conflicting_fields"),
        ([{"tolerations": [{"key": "a", "operator": "In"}]}],
         "pod_sets[0].tolerations[0].operator", "invalid_choice"),
        ([{"tolerations": [{"key": "a", "effect": "Never"}]}],
         "pod_sets[0].tolerations[0].effect", "invalid_choice"),
        ([{"tolerations": [{"key": "a"}] * 51}], "pod_sets[0].tolerations", "wrong_length"),
        ([{"group": ""}], "pod_sets[0].group", "blank"),
        ([{"group": "x" * 64}], "pod_sets[0].group", "too_long"),
    ],
)  # fmt: skip
def test_an_invalid_pod_set_is_refused(client, pod_sets, path, code):
    assert errors_of(client, pod_sets)[0] == (path, code)


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"operator": "In", "values": ["a"]}, "key", "required"),
        ({"key": "zone"}, "operator", "required"),
        ({"key": "zone", "operator": "in", "values": ["a"]}, "operator", "invalid_choice"),
        ({"key": "zone", "operator": "In"}, "values", "required"),
        ({"key": "zone", "operator": "NotIn", "values": []}, "values", "required"),
        ({"key": "zone", "operator": "In", "values": "a"}, "values", "wrong_type"),
        ({"key": "zone", "operator": "In", "values": ["a", None]}, "values[1]", "wrong_type"),
        ({"key": "zone", "operator": "Exists", "values": ["a"]}, "values", "conflicting_fields"),
        ({"key": "zone", "operator": "Gt", "values": ["1", "2"]}, "values", "wrong_length"),
        ({"key": "zone", "operator": "Lt", "values": ["1.5"]}, "values", "wrong_length"),
        ({"key": "zone", "operator": "Exists", "value": "a"}, "value", "unknown_field"),
    ],
)
def test_an_invalid_expression_is_refused(client, fields, field, code):
    path = "pod_sets[0].affinity[0].matchExpressions[0]"
    assert errors_of(client, expression(**fields)) == [(f"{path}.{field}", code)]


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"key": "metadata.name", "operator": "In"}, "values", "required"),
        ({"operator": "In", "values": ["a"]}, "key", "required"),
        ({"key": "spec.name", "operator": "In", "values": ["a"]}, "key", "invalid_choice"),
        (
            {"key": "metadata.name", "operator": "Exists", "values": ["a"]},
            "operator",
            "invalid_choice",
        ),
        (
            {"key": "metadata.name", "operator": "In", "values": ["a", "b"]},
            "values",
            "wrong_length",
        ),
        ({"key": "metadata.name", "operator": "In", "values": []}, "values", "wrong_length"),
        ({"key": "metadata.name", "operator": "In", "values": [""]}, "values[0]", "blank"),
    ],
)
def test_an_invalid_name_of_a_node_is_refused(client, fields, field, code):
    path = "pod_sets[0].affinity[0].matchFields[0]"
    pod_sets = [{"affinity": [{"matchFields": [fields]}]}]
    assert errors_of(client, pod_sets) == [(f"{path}.{field}", code)]


def test_requests_and_pod_sets_exclude_each_other(client):
    answer = client.post(
        "workloads",
        {"workloads": [{"name": "both", "requests": {"cpu": 1}, "pod_sets": [{}]}]},
    )
    assert answer.body["errors"] == [
        {
            "path": "workloads[0].requests",
            "code": "conflicting_fields",
            "message": "This is the short form of one pod set; send either requests or pod_sets.",
        }
    ]


def test_messages_are_actionable(client):
    pod_sets = [
        {"name": "a", "count": 2, "min_count": 3, "requests": {"memory": "64GB", "cpu": "much"}},
    ]
    answer = client.post("workloads", {"workloads": [{"name": "bad", "pod_sets": pod_sets}]})
    assert [error["message"] for error in answer.body["errors"]] == [
        "This has to be from 1 to 2.",
        '"64GB" is not a quantity; did you mean 64G?',
        '"much" is not a quantity, such as 0.5, 500m or 64Gi.',
    ]
    short = {"name": "bad", "requests": {"memory": "64Gi"}}
    answer = client.post("workloads", {"workloads": [short]})
    assert [error["message"] for error in answer.body["errors"]] == [
        "This has to be a number; a quantity such as 64Gi goes into pod_sets."
    ]


def test_pods_whose_sum_cannot_be_counted(client):
    half = {"count": 2**10, "requests": {"memory": "9007199254740991"}}
    pod_sets = [half | {"name": "a"}, half | {"name": "b", "count": 1}]
    assert errors_of(client, pod_sets) == [("pod_sets", "out_of_range")]
    (uid,) = submit(client, {"name": "just", "pod_sets": [half | {"count": 2**10}]})
    assert client.get(f"workloads/{uid}").body["requests"] == {"memory": 2**63 - 2**10}


def test_usage_stays_exact_beyond_64_bits(client, settle, owner):
    body = {"text": UNBOUNDED, "expected_version": 0}
    assert client.post("config/versions", body).status == 201
    # In thousandths each amount exceeds 64 bits a thousandfold.
    pod_sets = [{"count": 2**10, "requests": {"memory_gb": "9007199254740991", "cpu": "1m"}}]
    ids = submit(client, *({"name": f"w{i}", "pod_sets": pod_sets} for i in range(3)))
    settle(owner.org)

    def used() -> dict[str, int | float]:
        return {row["resource"]: row["used"] for row in client.get("queues/big").body["usage"]}

    each = 2**63 - 2**10
    assert used() == {"cpu": 3 * 1.024, "memory_gb": 3 * each}
    assert dict(Usage.objects.values_list("resource", "used")) == {
        "cpu": 3072,
        "memory_gb": 3000 * each,
    }
    client.post(f"workloads/{ids[1]}/finish")
    settle(owner.org)
    assert used() == {"cpu": 2.048, "memory_gb": 2 * each}


def test_usage_can_only_be_asked_for_as_it_is(org):
    Usage.objects.create(org=org, queue="q", flavor="f", resource="r", used=2**70)
    assert Usage.objects.filter(used=2**70).get().used == 2**70
    assert not Usage.objects.exclude(used=2**70).exists()
    with pytest.raises(Exception, match="Unsupported lookup 'gt'"):
        Usage.objects.filter(used__gt=0)


def test_labels_name_a_local_queue_and_a_priority_class(client):
    tags = {"kueue.x-k8s.io/queue-name": "training", "kueue.x-k8s.io/priority-class": "high"}
    longest = f"{'p' * 253}/{'n' * 63}"
    (uid,) = submit(client, {"name": "named", "tags": tags | {longest: "x"}})
    submit(client, {"name": "other"})
    found = client.get("workloads", **{"label.kueue.x-k8s.io/queue-name": "training"})
    assert [row["labels"] for row in found.body["results"]] == [
        {**tags, longest: "x", "workload-type": "job"}
    ]
    found = client.get("workloads", **{f"label.{longest}": "x"})
    assert [row["id"] for row in found.body["results"]] == [uid]
    assert Event.objects.count() == 2
