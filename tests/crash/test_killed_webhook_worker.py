"""A worker is killed after sending a webhook and before recording it: the delivery is repeated."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.product import Product
from tests.receiver import accept, answer, receiving

CONFIG = """
resource_flavors:
  - name: any
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: any, resources: [{name: gpu, nominal_quota: 2}]}
scheduling_rules:
  - selector: [{key: team, operator: in, values: [research]}]
    resource_queue: train
"""


pytestmark = pytest.mark.parametrize("product", ["sqlite"], ids=["shared-sqlite"], indirect=True)


def test_delivery_is_repeated_with_the_same_id(product: Product, org: str) -> None:
    api = product.api(org)
    version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    kinds = ["workload.rejected", "workload.cannot_run"]
    killed = threading.Event()

    def hang_until_killed(handler: BaseHTTPRequestHandler) -> None:
        killed.wait(60)
        answer(handler, 200, b"too late")

    with receiving() as receiver:
        receiver.answering = hang_until_killed
        hook = {"name": "hook", "url": receiver.url, "kinds": kinds}
        number = api.post("/webhooks", hook, expect=201)["id"]
        api.post("/workloads", {"workloads": [{"name": "lost"}] * 100})
        _wait(lambda: bool(receiver.got))
        receiver.answering = accept
        for pid in product.children("webhooks@"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed.set()
        path = f"/webhooks/{number}/deliveries"
        _wait(lambda: _states(api.get(path)) == {"delivered"})
        first, second = receiver.got[:2]
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert first.body == second.body
        # All events were delivered, in however many deliveries.
        bodies = {each.headers["webhook-id"]: json.loads(each.body) for each in receiver.got}
        assert sum(each["data"]["count"] for each in bodies.values()) == 100
        tries = api.get(f"{path}/{first.headers['webhook-id']}")["tries"]
        assert [(each["number"], each["ended_at"] is None) for each in tries] == [
            (1, True),
            (2, False),
        ]


def test_slow_receiver_does_not_delay_others(product: Product, org: str) -> None:
    api = product.api(org)
    version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    over = threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        over.wait(60)
        answer(handler, 200, b"")

    with receiving() as slow, receiving() as quick:
        slow.answering = hang
        numbers = {}
        for name, receiver in (("slow", slow), ("quick", quick)):
            hook = {"name": name, "url": receiver.url, "kinds": ["config.applied"]}
            numbers[name] = api.post("/webhooks", hook, expect=201)["id"]
        api.post(f"/webhooks/{numbers['slow']}/test", {})
        _wait(lambda: bool(slow.got))
        for _ in range(3):
            api.post(f"/webhooks/{numbers['quick']}/test", {})
        _wait(lambda: len(quick.got) == 3)
        waiting = api.get(f"/webhooks/{numbers['slow']}/deliveries")["results"]
        assert [each["state"] for each in waiting] == ["waiting"]
        over.set()


def _states(page: Any) -> set[str]:
    return {each["state"] for each in page["results"]}


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "not done within 120 s"
        time.sleep(0.1)
