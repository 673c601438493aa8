"""Manifests over HTTP: workloads in the form of the active config language."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.reading import printable
from console.workloads.models import Workload
from console.workloads.read_manifest import LARGEST
from tests.api.conftest import Answer, Api
from tests.api.documents import OPEN

CONFIG: Final = """\
kind: PlacementTemplate
metadata: { name: development }
spec: { filters: [{ name: dev, match_labels: { purpose: dev } }] }
"""

JOB: Final = """\
kind: Job
metadata:
  name: train
  namespace: research
  labels: { team: vision }
spec:
  replicas: 2
  resources: { cpus: 1.5, memory: 512M }
  placement: { template: development }
"""

YAML: Final = "application/yaml"


@pytest.fixture
def client(api: Callable[[Actor], Api], owner: Actor, submitter: Actor) -> Api:
    apply_config(owner, "skyshift", CONFIG, "", 0)
    return api(submitter)


def send(client: Api, text: str | bytes, kind: str = YAML, **headers: str) -> Answer:
    return client.call("post", "workloads", text, content_type=kind, headers=headers)


def findings(body: dict[str, Any], field: str) -> list[tuple[str, int, int]]:
    return [(f["code"], f["range"]["line"], f["range"]["column"]) for f in body[field]]


@pytest.mark.parametrize(
    "kind", [YAML, "text/yaml", "application/x-yaml", "Application/YAML; charset=utf-8"]
)
def test_a_manifest_is_submitted(client: Api, kind: str) -> None:
    made = send(client, JOB, kind)
    assert (made.status, made.body["lints"]) == (202, [])
    (uid,) = made.body["ids"]
    shown = client.get(f"workloads/{uid}").body
    wanted = {
        "name": "train",
        "type": "job",
        "namespace": "research",
        "labels": {"team": "vision", "workload-type": "job"},
        "requests": {"cpu": 3, "memory": 2 * 512 * 2**20},
        "priority": {"requested": None, "effective": None},
        "user": "",
        "groups": [],
        "project": "",
        "preemptible": None,
        "placement": {"template": "development"},
        "state": "pending",
    }
    assert {name: shown[name] for name in wanted} == wanted
    (pods,) = shown["pod_sets"]
    assert (pods["count"], pods["requests"]) == (2, {"cpu": 1.5, "memory": 512 * 2**20})


def test_json_is_yaml_too(client: Api) -> None:
    text = json.dumps({"kind": "Job", "metadata": {"name": "j"}, "spec": {"replicas": "3"}})
    assert send(client, text).status == 202
    assert Workload.objects.get().pod_sets[0]["count"] == 3


def test_warnings_and_notes_of_an_accepted_manifest(client: Api) -> None:
    made = send(client, JOB.replace("512M", '"512"').replace("spec:", "spec:\n  image: a"))
    assert made.status == 202
    assert findings(made.body, "lints") == [("SKY042", 7, 3), ("SKY051", 9, 35)]
    lint = made.body["lints"][1]
    assert (lint["severity"], lint["path"]) == ("warning", "spec.resources.memory")
    assert lint["doc_url"] == "http://testserver/o/here/config/codes#SKY051"


def test_errors_of_a_manifest_have_their_place(client: Api) -> None:
    wrong = JOB.replace("replicas: 2", "replicas: 0").replace("ment }", "mnt }")
    refused = send(client, wrong.replace("512M", '"512"'))
    assert refused.problem == (400, "manifest_rejected")
    assert refused.body["detail"] == "The manifest has 2 errors; no workload was submitted."
    assert findings(refused.body, "diagnostics") == [("SKY013", 7, 13), ("SKY014", 9, 26)]
    assert findings(refused.body, "lints") == [("SKY051", 8, 35)]
    template = refused.body["diagnostics"][1]
    assert (template["path"], template["hint"]) == (
        "spec.placement.template",
        'Did you mean "development"?',
    )
    assert len(template["fixes"]) == 1
    assert not Workload.objects.exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("\n", "DOC003"),
        (b"name: \xff", "YML002"),
        ("kind: [", "YML001"),
        ("a: \x01", "YML003"),
        (JOB + "---\n" + JOB, "YML008"),
        ("kind: Cluster\nmetadata: { name: c }\n", "SKY009"),
    ],
)
def test_a_text_that_is_no_manifest(client: Api, text: str | bytes, code: str) -> None:
    refused = send(client, text)
    assert refused.problem == (400, "manifest_rejected")
    assert code in [each["code"] for each in refused.body["diagnostics"]]


def test_an_empty_body_is_no_manifest(client: Api) -> None:
    refused = client.call("post", "workloads", "", content_type=YAML, CONTENT_TYPE=YAML)
    assert refused.problem == (400, "manifest_rejected")
    assert findings(refused.body, "diagnostics") == [("DOC003", 1, 1)]


def test_labels_with_reserved_keys_set_the_fields(client: Api) -> None:
    labels = "{ workload-type: service, instance-type: p4d, market-type: SPOT, team: a }"
    assert send(client, JOB.replace("{ team: vision }", labels)).status == 202
    (shown,) = client.get("workloads").body["results"]
    assert shown["type"] == "service"
    assert shown["labels"] == {
        "workload-type": "service",
        "instance-type": "p4d",
        "market-type": "SPOT",
        "team": "a",
    }


@pytest.mark.parametrize(
    ("change", "path", "code", "message"),
    [
        (
            ("{ team: vision }", "{ workload-type: batch }"),
            "metadata.labels.workload-type",
            "invalid_choice",
            "Line 5, column 13: This has to be one of: job, service, workspace.",
        ),
        (
            ("{ team: vision }", "{ " + ", ".join(f"k{i}: v" for i in range(101)) + " }"),
            "metadata.labels",
            "wrong_length",
            "Line 5, column 11: At most 100 entries; this has 101.",
        ),
        (
            ("team", "k" * 400),
            f"metadata.labels.{printable('k' * 400)}",
            "too_long",
            "Line 5, column 11: At most 317 characters; this one has 400.",
        ),
        (
            ("research", "r" * 300),
            "metadata.namespace",
            "too_long",
            "Line 4, column 14: At most 253 characters; this one has 300.",
        ),
        (
            ("{ cpus", "{ " + ", ".join(f"x{i}: 1" for i in range(21)) + ", cpus"),
            "spec.resources",
            "wrong_length",
            "Line 8, column 3: At most 20 entries; this has 23.",
        ),
        (
            (
                "template: development",
                "filters: ["
                + ", ".join(
                    f"{{ name: f{i}, match_labels: {{ a: {'v' * 100} }} }}" for i in range(90)
                )
                + "]",
            ),
            "spec.placement",
            "too_long",
            "Line 9, column 3: A placement has at most 10,000 characters as JSON; this has ",
        ),
    ],
)
def test_a_value_beyond_a_limit_of_workloads_has_its_place(
    client: Api, change: tuple[str, str], path: str, code: str, message: str
) -> None:
    refused = send(client, JOB.replace(*change))
    assert refused.problem == (400, "invalid_request")
    (error,) = refused.body["errors"]
    assert (error["path"], error["code"]) == (path, code)
    assert error["message"].startswith(message)
    assert not Workload.objects.exists()


def test_a_repeated_manifest_creates_no_further_workload(client: Api) -> None:
    text = JOB.replace("512M", '"512"')
    key = {"Idempotency-Key": "once"}
    first, again = send(client, text, **key), send(client, text, **key)
    assert first.body == again.body
    assert findings(again.body, "lints") == [("SKY051", 8, 35)]
    assert Workload.objects.count() == 1
    other = send(client, JOB.replace("train", "other"), **key)
    assert other.problem == (409, "idempotency_key_reused")
    assert send(client, JOB, **{"Idempotency-Key": "\t"}).problem == (400, "invalid_request")


def test_a_language_without_manifests(api: Callable[[Actor], Api], owner: Actor) -> None:
    before_any_config = send(api(owner), JOB)
    apply_config(owner, "native", OPEN, "", 0)
    for refused in (before_any_config, send(api(owner), JOB)):
        assert refused.problem == (415, "no_manifests")
        assert refused.body["detail"] == (
            "The config language Native has no manifests; send workloads as JSON with "
            "Content-Type: application/json."
        )
    (error,) = [
        each
        for each in api(owner).post("workloads", {"kind": "Job"}).body["errors"]
        if each["path"] == "kind"
    ]
    assert error["code"] == "unknown_field"


def test_a_manifest_sent_as_json_says_how_to_send_it(client: Api) -> None:
    refused = client.post("workloads", {"kind": "Job", "metadata": {"name": "j"}})
    assert refused.problem == (400, "invalid_request")
    assert refused.body["errors"] == [
        {
            "path": "kind",
            "code": "manifest_as_json",
            "message": "This is a manifest; send the same text with Content-Type: "
            "application/yaml.",
        }
    ]


@pytest.mark.parametrize("path", ["workloads/withdraw", "config/check"])
def test_other_endpoints_take_no_yaml(client: Api, path: str) -> None:
    refused = client.call("post", path, JOB, content_type=YAML)
    assert refused.problem == (415, "unsupported_media_type")


def test_only_submitters_submit_manifests(
    client: Api, api: Callable[[Actor], Api], viewer: Actor, editor: Actor
) -> None:
    for actor in (viewer, editor):
        # The permission is checked before the manifest is read.
        assert send(api(actor), "kind: [").problem == (403, "not_allowed")


def test_a_large_or_compressed_manifest(client: Api, org: Organization) -> None:
    text = JOB + "#" * (LARGEST - len(JOB))
    assert send(client, text).status == 202
    refused = send(client, text + "#")
    assert refused.problem == (400, "invalid_request")
    assert refused.body["errors"] == [
        {
            "path": "",
            "code": "too_long",
            "message": "A manifest has at most 100,000 bytes; this one has 100,001.",
        }
    ]
    assert send(client, "#" * (8 * 2**20 + 1)).problem == (413, "payload_too_large")
    packed = client.call(
        "post",
        "workloads",
        gzip.compress(JOB.encode()),
        content_type=YAML,
        headers={"Content-Encoding": "gzip"},
    )
    assert packed.problem == (415, "unsupported_media_type")
    assert Workload.objects.filter(org=org).count() == 1
