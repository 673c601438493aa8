"""Configs in the client's protocol: JSON requests and responses, stored as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.dialects import client_dialect, dialects
from console.orgs.permissions import Actor
from console.workloads.models import Event
from tests.api.compat.conftest import CONFIG, Compat

DIALECT, FORM = client_dialect()
CHANGED = {**CONFIG, "scheduling_rules": [{"resource_queue": "rest"}]}


def error_of(client: Compat, config: Any, path: str = "scheduler/config") -> tuple[int, str]:
    """Return the error for a config."""
    return client.post(path, {"config": config}).error


def applied_as(answer: Any) -> int:
    """Return the version number in the answer to an apply or a rollback."""
    assert answer.result.keys() == {"version", "lint"}
    number: int = answer.result["version"]
    return number


def test_there_is_no_config_before_the_first_apply(owner_client: Compat) -> None:
    assert owner_client.get("scheduler/config").error == (
        404,
        "No config was ever applied to here.",
    )
    answer = owner_client.get("scheduler/config/versions")
    assert (answer.results, answer.page) == ([], (0, None))


def test_a_config_is_applied_read_and_listed(owner_client: Compat) -> None:
    findings = owner_client.post("scheduler/config/validate", {"config": CONFIG}).result["lint"]
    assert [each["code"] for each in findings] == ["NAT020"]
    applied = owner_client.post("scheduler/config", {"config": CONFIG})
    assert applied.result == {"version": 1, "lint": findings}
    assert applied_as(owner_client.post("scheduler/config", {"config": CHANGED})) == 2
    first, second = (
        owner_client.get(f"scheduler/config/versions/{number}").result for number in (1, 2)
    )
    created = second.pop("created_at")
    assert created.endswith("Z")
    assert second == {
        "version": 2,
        "is_active": True,
        "creator_id": "owner",
        "creator_email": None,
        "creator_name": "owner",
        "config": CHANGED,
    }
    assert (first["is_active"], first["config"]) == (False, CONFIG)
    assert owner_client.get("scheduler/config").result == {**second, "created_at": created}
    answer = owner_client.get("scheduler/config/versions")
    assert answer.page == (2, None)
    assert answer.results[0] == {
        "version": 2,
        "created_at": created,
        "creator_id": "owner",
        "creator_email": None,
        "creator_name": "owner",
    }
    missing = owner_client.get("scheduler/config/versions/3")
    assert missing.error == (404, "There is no version 3 of the config in here.")


def test_versions_are_paged(owner_client: Compat) -> None:
    for config in (CONFIG, CHANGED, CONFIG):
        owner_client.post("scheduler/config", {"config": config})
    numbers = []
    token = None
    for _ in range(3):
        query = {"count": 1} | ({"paging_token": token} if token else {})
        answer = owner_client.get("scheduler/config/versions", **query)
        numbers += [each["version"] for each in answer.results]
        total, token = answer.page
        assert total == 3
    assert (numbers, token) == ([3, 2, 1], None)
    none = owner_client.get("scheduler/config/versions", count=0)
    assert (none.results, none.page) == ([], (3, None))


def test_a_config_is_stored_as_text_with_its_origin(owner_client: Compat) -> None:
    owner_client.post("scheduler/config", {"config": CONFIG})
    owner_client.post("scheduler/config", {"config": CHANGED})
    version = ConfigVersion.objects.get(number=2)
    assert (version.dialect, version.text) == (DIALECT.name, FORM.write(CHANGED))
    assert (version.via, version.author, version.message) == ("client", "owner", "")
    event = Event.objects.filter(type="CONFIG_UPDATED").latest("pk")
    assert event.data == {
        "version": 2,
        "from": 1,
        "kind": "apply",
        "message": "",
        "via": "client",
        "accepted": [],
    }
    told = owner_client.get("scheduler/events", event_type="CONFIG_UPDATED", count=1).results
    assert told[0]["message"] == "Config version 2 was applied by a client, on top of version 1"


def test_numbers_are_exact_in_every_notation(owner_client: Compat) -> None:
    raw = json.dumps({"config": CONFIG}).replace('"nominal_quota": 2', '"nominal_quota": 2.50')
    assert applied_as(owner_client.post("scheduler/config", raw)) == 1
    (queue, _) = owner_client.get("scheduler/config").result["config"]["resource_queues"]
    assert queue["resource_groups"][0]["flavors"][0]["resources"] == [
        {"name": "gpu", "nominal_quota": 2.5}
    ]
    assert "nominal_quota: 2.5 }" in ConfigVersion.objects.get().text


def test_roll_back(owner_client: Compat) -> None:
    for config in (CONFIG, CHANGED):
        owner_client.post("scheduler/config", {"config": config})
    back = owner_client.post("scheduler/config/rollback", {"version": 1})
    assert [each["code"] for each in back.result["lint"]] == ["NAT020"]
    assert applied_as(back) == 3
    assert owner_client.get("scheduler/config").result["config"] == CONFIG
    version = ConfigVersion.objects.get(number=3)
    assert (version.kind, version.rolled_back_to, version.via) == ("rollback", 1, "client")
    again = owner_client.post("scheduler/config/rollback", {"version": 3})
    assert again.error == (409, "Version 3 is the active one already.")
    unknown = owner_client.post("scheduler/config/rollback", {"version": 9})
    assert unknown.error == (404, "There is no version 9 of the config in here.")


def test_applying_the_active_config_again_makes_no_version(
    owner_client: Compat, owner: Actor
) -> None:
    for _ in range(2):
        assert applied_as(owner_client.post("scheduler/config", {"config": CONFIG})) == 1
    # The config that the client reads is equal, whatever the order of its fields.
    served = owner_client.get("scheduler/config").result["config"]
    turned = dict(reversed(served.items()))
    assert applied_as(owner_client.post("scheduler/config", {"config": turned})) == 1
    assert ConfigVersion.objects.count() == 1
    assert Event.objects.filter(type="CONFIG_UPDATED").count() == 1

    # A text written in the editor keeps its comments.
    text = f"# By hand.\n{FORM.write(CONFIG)}"
    apply_config(owner, DIALECT.name, text, "", 1)
    assert applied_as(owner_client.post("scheduler/config", {"config": CONFIG})) == 2
    assert ConfigVersion.objects.latest("number").text == text
    # The order of flavors, queues and rules is part of a config.
    rules = CONFIG["scheduling_rules"][::-1]
    changed = {**CONFIG, "scheduling_rules": rules}
    assert applied_as(owner_client.post("scheduler/config", {"config": changed})) == 3


def test_rolling_back_to_the_active_text_makes_no_version(owner_client: Compat) -> None:
    for config in (CONFIG, CHANGED):
        owner_client.post("scheduler/config", {"config": config})
    assert applied_as(owner_client.post("scheduler/config/rollback", {"version": 1})) == 3
    assert applied_as(owner_client.post("scheduler/config/rollback", {"version": 1})) == 3
    assert ConfigVersion.objects.count() == 3


@pytest.mark.parametrize("path", ["scheduler/config", "scheduler/config/validate"])
def test_every_error_of_a_config_is_a_line(owner_client: Compat, path: str) -> None:
    status, detail = error_of(
        owner_client,
        {"resource_queues": [{"nam": "q"}], "scheduling_rules": [{"resource_queue": 5}]},
        path,
    )
    assert (status, detail.splitlines()) == (
        422,
        [
            "The config has 3 errors; nothing was applied.",
            (
                'resource_queues[0].nam: "nam" is not a field of a queue. Did you mean "name"? '
                "(DOC001)"
            ),
            (
                "scheduling_rules[0].resource_queue: Without quotes, YAML readers take 5 for a "
                'number; resource_queue must be text. Quote it: "5". (DOC007)'
            ),
            (
                'scheduling_rules[0].resource_queue: Queue "5" is not defined in resource_queues. '
                'Did you mean "q"? (NAT001)'
            ),
        ],
    )
    assert not ConfigVersion.objects.exists()


def test_many_errors_are_counted(owner_client: Compat) -> None:
    rules = [{"resource_queue": f"q{number}"} for number in range(30)]
    _, detail = error_of(owner_client, {"scheduling_rules": rules})
    lines = detail.splitlines()
    assert (len(lines), lines[-1]) == (22, "... and 10 more.")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({}, "config: config is required."),
        ({"config": None}, "config: This has to be an object, not null."),
        ({"config": [1]}, "config: This has to be an object, not a list."),
        ({"config": {}, "message": "x"}, "message: message is not known here; known are: config."),
        ({"config": {"a": [[]] * 200_001}}, "config: The config holds more than 200,000 values."),
        (
            '{"config": ' + '{"a": ' * 80 + "1" + "}" * 81,
            "config: Values are nested more than 63 levels deep.",
        ),
        ("[", "The body is not JSON: Expecting value at line 1 column 2."),
    ],
)
def test_an_invalid_config_body_is_refused(owner_client: Compat, body: Any, line: str) -> None:
    status, detail = owner_client.post("scheduler/config", body).error
    assert (status, detail) == (400, line)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("1", "version: This has to be an integer, not a string."),
        (0, "version: This has to be from 1 to 9,007,199,254,740,991."),
        (True, "version: This has to be an integer, not a boolean."),
    ],
)
def test_an_invalid_rollback_version_is_refused(
    owner_client: Compat, value: Any, line: str
) -> None:
    refused = owner_client.post("scheduler/config/rollback", {"version": value})
    assert refused.error == (400, line)


def test_a_missing_rollback_version_is_reported_once(owner_client: Compat) -> None:
    refused = owner_client.post("scheduler/config/rollback", {})
    assert refused.error == (400, "version: version is required.")


def test_a_config_in_another_language_is_refused(owner_client: Compat) -> None:
    manifest = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue"}
    status, detail = error_of(owner_client, manifest)
    assert (status, detail) == (
        400,
        (
            "config: This config is in the language of Kueue; the anyscale client's protocol "
            "supports native configs only. Apply it on the pages or over the API."
        ),
    )


@pytest.mark.parametrize("name", sorted(dialects().keys() - {DIALECT.name}))
def test_a_version_in_another_language_is_not_shown(
    owner_client: Compat, owner: Any, api_for: Callable[[Any], Client], name: str
) -> None:
    text = next(iter(dialects()[name].samples().values()))
    api_for(owner).post(
        "/api/v1/orgs/here/config/versions",
        json.dumps({"dialect": name, "text": text, "expected_version": 0}),
        content_type="application/json",
    )
    refused = (
        409,
        (
            f"Version 1 is in the language of {dialects()[name].title}; the anyscale client's "
            "protocol supports native configs only. View it, or roll back to it, on the pages "
            "or over the API."
        ),
    )
    assert owner_client.get("scheduler/config").error == refused
    assert owner_client.get("scheduler/config/versions/1").error == refused
    assert [v["version"] for v in owner_client.get("scheduler/config/versions").results] == [1]
    assert applied_as(owner_client.post("scheduler/config", {"config": CONFIG})) == 2
    rollback = owner_client.post("scheduler/config/rollback", {"version": 1})
    assert rollback.error == refused
    assert owner_client.get("scheduler/overview").status == 200


def test_validate_returns_lints(
    owner_client: Compat, owner: Any, api_for: Callable[[Any], Client]
) -> None:
    checked = api_for(owner).post(
        "/api/v1/orgs/here/config/check",
        json.dumps({"dialect": DIALECT.name, "text": FORM.write(CONFIG)}),
        content_type="application/json",
    )
    lints = [{"code": each["code"], "message": each["message"]} for each in checked.json()["lints"]]
    answer = owner_client.post("scheduler/config/validate", {"config": CONFIG})
    assert answer.result == {"lint": lints}
    assert lints != []
    assert not ConfigVersion.objects.exists()
