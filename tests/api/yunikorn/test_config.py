"""The active config as a service of YuniKorn answers it, and the check of other texts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from django.test import Client

from console.api.yunikorn import config
from console.dialects.yunikorn.loaded_config import LoadedConfig, load_config
from console.expensive import CHEAP_TEXT, refusing
from tests.api.yunikorn.conftest import BASE, CONFIG, Rest

IN_A_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: yunikorn-configs}
data:
  event.maxStreams: "50"
  queues.yaml: |
    partitions:
      - queues: [{name: a}]
"""


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest().upper()


def text_of(rest: Rest, **headers: str) -> Any:
    response = rest.client.get(f"{BASE}/config", headers=headers)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/x-yaml; charset=UTF-8"
    assert response.headers["Cache-Control"] == "private, no-store"
    return yaml.safe_load(response.content)


@pytest.mark.parametrize("accepts", ["*/*", "application/x-yaml", "text/html,application/json"])
def test_a_config_is_answered_in_yaml_with_its_checksum(scheduler: Rest, accepts: str) -> None:
    found = text_of(scheduler, accept=accepts)
    stated = yaml.safe_load(CONFIG)
    # YuniKorn adds what the text leaves out: roots, and the type of a root.
    stated["partitions"][0]["queues"][0]["parent"] = True
    stated["partitions"][1]["queues"] = [
        {"name": "root", "parent": True, "queues": [{"name": "c", "submitacl": "*"}]}
    ]
    amounts = stated["partitions"][0]["queues"][0]["queues"][0]
    amounts["resources"] = {
        "guaranteed": {"vcore": "2", "memory": "2G"},
        "max": {"vcore": "4", "memory": "4G"},
    }
    amounts["limits"][0]["maxresources"] = {"vcore": "3"}
    amounts["queues"][0]["resources"] = {"max": {"vcore": "3"}}
    template = stated["partitions"][0]["queues"][0]["queues"][1]["childtemplate"]
    template["resources"] = {"max": {"vcore": "1"}}
    assert found == {
        **stated,
        "checksum": sha(CONFIG),
        "deadlockdetectionenabled": False,
        "deadlocktimeoutseconds": 0,
    }


def test_the_config_of_a_config_map_has_the_checksum_of_its_file(
    rest: Rest, activate: Callable[[str], Any]
) -> None:
    activate(IN_A_MAP)
    assert text_of(rest) == {
        "partitions": [
            {
                "name": "default",
                "queues": [{"name": "root", "parent": True, "queues": [{"name": "a"}]}],
            }
        ],
        "checksum": sha("partitions:\n  - queues: [{name: a}]\n"),
        "extra": {"event.maxStreams": "50"},
        "deadlockdetectionenabled": False,
        "deadlocktimeoutseconds": 0,
    }


def test_in_json_fields_have_the_names_of_the_types_of_yunikorn(
    rest: Rest, activate: Callable[[str], Any]
) -> None:
    activate(IN_A_MAP.replace("{name: a}", "{name: a, submitacl: x, maxapplications: 2}"))
    text = "partitions:\n  - queues: [{name: a, submitacl: x, maxapplications: 2}]\n"
    assert rest.get("config", accept="application/json").body == {
        "Partitions": [
            {
                "Name": "default",
                "Queues": [
                    {
                        "Name": "root",
                        "Parent": True,
                        "Queues": [{"Name": "a", "SubmitACL": "x", "MaxApplications": 2}],
                    }
                ],
            }
        ],
        "Checksum": sha(text),
        "Extra": {"event.maxStreams": "50"},
        "DeadlockDetectionEnabled": False,
        "DeadlockTimeoutSeconds": 0,
    }


def test_a_stated_checksum_is_no_part_of_the_text_that_is_summed_up(
    rest: Rest, activate: Callable[[str], Any]
) -> None:
    text = "partitions: [{queues: [{name: a}]}]\n"
    activate(f"{text}checksum: {'A' * 64}\n")
    assert text_of(rest)["checksum"] == sha(f"{text}\n")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json", ""]
)
def test_any_content_type_is_checked(rest: Rest, kind: str) -> None:
    good = rest.post("validate-conf", CONFIG, kind)
    assert (good.status, good.body) == (200, {"allowed": True})
    bad = rest.post("validate-conf", "partitions: [{}]", kind)
    assert (bad.status, bad.body) == (200, {"allowed": False, "reason": "queue config is not set"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", None),
        (
            b"partitions: [{nam: b}]",
            (
                "yaml: unmarshal errors:\n  line 1: field nam not found in type "
                "configs.PartitionConfig"
            ),
        ),
        (b"partitions: [{queues: [{name: ROOT}]}]", None),
        (b"\xff\xfe\xff", "yaml: invalid leading UTF-8 octet"),
    ],
    ids=["empty", "unknown field", "error at start only", "not UTF-8"],
)
def test_the_first_message_of_yunikorn_is_the_reason(
    rest: Rest, text: bytes, reason: str | None
) -> None:
    found = {"allowed": True} if reason is None else {"allowed": False, "reason": reason}
    answer = rest.post("validate-conf", text)
    assert (answer.status, answer.body) == (200, found)


def test_a_check_needs_no_active_config_but_a_token(rest: Rest) -> None:
    assert rest.post("validate-conf", CONFIG).body == {"allowed": True}
    response = Client().post(f"{BASE}/validate-conf", CONFIG, content_type="text/plain")
    assert response.status_code == 401


def test_a_large_config_is_read_once(
    scheduler: Rest, activate: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = CONFIG + f"# {'a' * CHEAP_TEXT}\n"
    activate(text, number=2)
    read: list[str] = []

    def load(text: str) -> LoadedConfig | None:
        read.append(text)
        return load_config(text)

    monkeypatch.setattr(config, "load_config", load)
    for accept in ("*/*", "application/json") * 2:
        path = f"{BASE}/config"
        assert scheduler.client.get(path, headers={"accept": accept}).status_code == 200
    assert read == [text] * 2
    with refusing():
        assert scheduler.get("config").status == 429
