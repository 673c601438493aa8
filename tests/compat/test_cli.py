"""``anyscale scheduler config``, unmodified: commands, their output and their errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from console.dialects import client_dialect, dialects
from tests.compat.client import AnyscaleClient, CommandResult, Commands
from tests.compat.conftest import SHARED
from tests.product import Api, Product

pytestmark = SHARED

DIALECT, FORM = client_dialect()
FIRST, SECOND, THIRD = DIALECT.samples().values()

#: A config as a person writes it.
WRITTEN = """\
# Everything waits its turn in one line.
resource_queues:
  - name: default   # no quota
scheduling_rules: [ { resource_queue: "default" } ]
"""


def config_in(done: CommandResult) -> Any:
    """Return the config that ``get -o json`` printed."""
    assert done.status == 0, done
    return json.loads(done.out)["config"]


def versions_in(done: CommandResult) -> list[tuple[int, str]]:
    """Return number and creator of each version that ``list -o json`` printed."""
    assert done.status == 0, done
    return [(each["version"], each["creator_id"]) for each in json.loads(done.out)]


def test_config_is_applied_listed_and_rolled_back(client: AnyscaleClient, api: Api) -> None:
    assert client.cli("get").error.startswith("No config was ever applied to ")
    assert "No scheduler config versions found." in client.cli("list").err

    for number, text in enumerate((FIRST, SECOND, THIRD), 1):
        done = client.cli("apply", "-y", "-f", client.config(text))
        assert f"Applied scheduler config (version {number})." in done.err, done
    assert config_in(client.cli("get", "-o", "json")) == FORM.read(THIRD)
    done = client.cli("rollback", "-y", "--version", "1")
    assert "Rolled back to scheduler config version 1 (applied as version 4)." in done.err
    assert config_in(client.cli("get", "-o", "json")) == FORM.read(FIRST)
    assert config_in(client.cli("get", "--version", "2", "-o", "json")) == FORM.read(SECOND)
    assert versions_in(client.cli("list", "-o", "json")) == [
        (number, "owner token") for number in (4, 3, 2, 1)
    ]
    assert versions_in(client.cli("list", "--max-items", "1", "-o", "json")) == [(4, "owner token")]
    # A config that the client sends as JSON is stored as text for people; the event names the
    # client.
    assert api.get("/config/versions/2")["text"] == FORM.write(FORM.read(SECOND))
    (event,) = api.get("/events?type=CONFIG_UPDATED&limit=1")["results"]
    assert (event["actor"], event["data"]["via"], event["data"]["from"]) == (
        "owner token",
        "client",
        3,
    )


def test_apply_asks_for_the_phrase_and_warns_without_a_catch_all(client: AnyscaleClient) -> None:
    path = client.config(
        "resource_queues: [{name: q}]\n"
        "scheduling_rules: [{resource_queue: q, selector: [{key: a, operator: exists}]}]\n"
    )
    refused = client.cli("apply", "-f", path, typed="yes\n")
    assert refused.error == 'You must type "change config" to apply. Nothing was applied.'
    assert "No catch-all scheduling rule is configured" in refused.err
    assert client.cli("get").error.startswith("No config was ever applied")
    assert client.cli("apply", "-f", path, typed="change config\n").status == 0


def test_hand_written_config_keeps_its_text_and_is_served_as_json(
    client: AnyscaleClient, api: Api
) -> None:
    version = {"text": WRITTEN, "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    served = config_in(client.cli("get", "-o", "json"))
    assert served == {
        "resource_queues": [{"name": "default"}],
        "scheduling_rules": [{"resource_queue": "default"}],
    }
    client.cli("apply", "-y", "-f", client.config(FIRST))
    client.cli("rollback", "-y", "--version", "1")
    assert api.get("/config")["text"] == WRITTEN


def test_errors_of_the_server_are_shown(
    client: AnyscaleClient, client_of: Callable[[str], AnyscaleClient], tokens: Any
) -> None:
    def apply(text: str, role: str = "owner") -> str:
        return client_of(role).cli("apply", "-y", "-f", client.config(text)).error

    assert apply("scheduling_rules: [{resource_queue: nowhere}, {resource_queue: gone}]") == (
        "The config has 2 errors; nothing was applied.\n"
        'scheduling_rules[0].resource_queue: Queue "nowhere" is not defined in resource_queues. '
        "Add it to resource_queues, or use a name that is defined there. (NAT001)\n"
        'scheduling_rules[1].resource_queue: Queue "gone" is not defined in resource_queues. '
        "Add it to resource_queues, or use a name that is defined there. (NAT001)"
    )
    assert client.cli("apply", "-y", "-f", client.config(SECOND)).status == 0
    changed = apply(SECOND.replace("nominal_quota: 64 ", "nominal_quota: 65 "))
    assert changed.startswith(
        "The config has 1 error; nothing was applied.\n"
        'resource_queues[0].name: Queue "ml_training" cannot be changed after version 1: '
        "resource_groups[0].flavors[0].resources.gpu.nominal_quota was 64, now 65. "
        'Give the changed queue a new name, such as "ml_training:v2"'
    )
    assert apply(SECOND, "editor") == (
        "The role editor may not apply configs; ask an owner for one of: owner."
    )
    rollback = client.cli("rollback", "-y", "--version", "1")
    assert rollback.error == "Version 1 is the active one already."
    missing = client.cli("get", "--version", "7")
    assert missing.error == f"There is no version 7 of the config in {tokens[0]}."
    for number in ("-1", "0"):
        assert client.cli("get", "--version", number).error == (
            f'version: "{number}" is not the number of a version. Versions are numbered from 1; '
            "list the versions to find a number."
        )
    assert client_of("viewer").cli("get").status == 0
    stranger = client_of("aslu_of_nobody").cli("list")
    assert "are invalid or have expired" in stranger.error


def test_applying_the_active_config_keeps_its_version(client: AnyscaleClient) -> None:
    for number, text in ((1, FIRST), (1, FIRST), (2, SECOND), (2, SECOND)):
        done = client.cli("apply", "-y", "-f", client.config(text))
        assert f"Applied scheduler config (version {number})." in done.err, done
    assert [number for number, _ in versions_in(client.cli("list", "-o", "json"))] == [2, 1]


def test_host_with_trailing_slash(product: Product, tokens: Any, tmp_path: Path) -> None:
    commands = Commands(f"http://127.0.0.1:{product.port}/", tmp_path)
    client = AnyscaleClient(commands, tokens[1]["owner"], tmp_path)
    try:
        done = client.cli("apply", "-y", "-f", client.config(FIRST))
        assert "Applied scheduler config (version 1)." in done.err, done
        assert config_in(client.cli("get", "-o", "json")) == FORM.read(FIRST)
        assert versions_in(client.cli("list", "-o", "json")) == [(1, "owner token")]
    finally:
        commands.close()


@pytest.mark.parametrize("name", sorted(dialects().keys() - {DIALECT.name}))
def test_configs_of_other_dialects_refer_to_the_console(
    client: AnyscaleClient, api: Api, name: str
) -> None:
    text = next(iter(dialects()[name].samples().values()))
    version = {"dialect": name, "text": text, "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    refused = (
        f"Version 1 is in the language of {dialects()[name].title}; the anyscale client's "
        "protocol supports native configs only. View it, or roll back to it, on the pages or "
        "over the API."
    )
    assert client.cli("get").error == refused
    assert client.cli("apply", "-y", "-f", client.config(FIRST)).status == 0
    assert client.cli("rollback", "-y", "--version", "1").error == refused
    assert versions_in(client.cli("list", "-o", "json")) == [
        (2, "owner token"),
        (1, "owner token"),
    ]
