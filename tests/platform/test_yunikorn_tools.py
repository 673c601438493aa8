"""Tools of YuniKorn read a running product: its web interface, and scripts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.api.yunikorn.conftest import CONFIG, NODES, WORKLOADS
from tests.api.yunikorn.web_interface import show_dashboard, show_partition
from tests.product import PATIENCE, Api, Product, running

ORG = "main"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product with the config, the nodes and the workloads of the tests of the protocol."""
    with running(Path(tmp_path_factory.mktemp("home"))) as product:
        owner = product.api(ORG)
        fields = {"dialect": "yunikorn", "text": CONFIG, "message": "", "expected_version": 0}
        owner.post("/config/versions", fields, expect=201)
        answer = owner.request("PUT", "/capacity/clusters/east", NODES)
        assert answer.status in (200, 201), answer
        workloads = [{"type": "job", **each} for each in WORKLOADS]
        ids = owner.post("/workloads", {"workloads": workloads})["ids"]
        wait_until_decided(owner, ids)
        yield product


def wait_until_decided(api: Api, ids: list[str]) -> None:
    """Wait until the worker has decided about all workloads."""
    until = time.monotonic() + PATIENCE
    while any(api.get(f"/workloads/{uid}")["reason"]["code"] == "not_evaluated" for uid in ids):
        assert time.monotonic() < until
        time.sleep(0.1)


def ask(product: Product, method: str, path: str, body: str | None = None) -> tuple[int, Any]:
    """Send a request with the token of a viewer and return status and answer."""
    product.api(ORG, "viewer")
    token = product.tokens[ORG, "viewer"]
    connection = HTTPConnection("127.0.0.1", product.port, timeout=PATIENCE)
    headers = {"Authorization": f"Bearer {token}"}
    connection.request(method, f"/ws/v1/{path}", body, headers)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response.status, json.loads(text)


def test_the_web_interface_shows_a_running_product(product: Product) -> None:
    def read(path: str) -> Any:
        status, answer = ask(product, "GET", path)
        assert status == 200, answer
        return answer

    partitions = show_dashboard(read)
    assert [each["name"] for each in partitions] == ["default", "gpu"]
    shown = [show_partition(read, each["name"]) for each in partitions]
    assert [sorted(each.values()) for each in shown] == [
        ["Accepted", "Running", "Running", "Running"],
        ["Running"],
    ]
    assert read("scheduler/healthcheck")["Healthy"] is True
    [ann, _] = read("partition/default/usage/users")
    assert (ann["userName"], ann["queues"]["resourceUsage"]["vcore"]) == ("ann", 1500)


def test_a_large_config_is_checked_with_low_priority(product: Product) -> None:
    queues = "".join(f"      - name: q{number}\n" for number in range(6_000))
    text = f"partitions:\n  - queues:\n{queues}"
    assert ask(product, "POST", "validate-conf", text) == (200, {"allowed": True})
    twice = f"{text}      - name: Q7\n"
    reason = "duplicate child name found with name 'Q7', level 1"
    assert ask(product, "POST", "validate-conf", twice) == (
        200,
        {"allowed": False, "reason": reason},
    )
