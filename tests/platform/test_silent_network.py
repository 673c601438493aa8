"""A database or broker that vanishes without closing connections, as in a power failure."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from console.home import Home
from console.supervisor import broker
from tests.crash.load import Load
from tests.crash.products import serving_postgresql
from tests.crash.under_load import RECOVERY
from tests.network import own_network, silent
from tests.product import running

#: Ports in the private network of the test.
DATABASE, BROKER = 5432, 6379

#: Seconds within which a request is answered while the database is silent: ten until sent data
#: counts as lost, and five until a new connection times out.
ANSWERED = 25

#: Seconds that the network is silent. Unanswered data is sent again after pauses that double: 51 s
#: after the first time, and then after 102 s. Every process sends something within 5 s, so a
#: process that relies on these repetitions alone recovers too late.
SILENT = 62


@pytest.fixture(autouse=True)
def network() -> Iterator[None]:
    """Run the tests in a private network that can drop packets."""
    with own_network():
        yield


def test_silent_database_is_detected_and_recovers(tmp_path: Path) -> None:
    with (
        serving_postgresql(over_tcp=True, migrated=True) as url,
        running(tmp_path / "home", DATABASE_URL=url) as product,
    ):
        load = Load(product)
        load.probe()
        api = product.api()
        with silent(DATABASE):
            begun = time.monotonic()
            found = api.request("GET", "/workloads")
            assert (found.status, found.body["code"]) == (503, "database_unavailable")
            assert time.monotonic() - begun < ANSWERED
            assert product.checks()["database"] != "ok"
            time.sleep(max(0.0, begun + SILENT - time.monotonic()))
        recovery = load.probe()
        print(f"{recovery:.1f} s until recovery")
        assert recovery < RECOVERY


def test_silent_broker_is_detected_and_recovers(tmp_path: Path) -> None:
    command = [*broker.command(Home(tmp_path / "broker")), "--port", str(BROKER)]
    url = f"redis://127.0.0.1:{BROKER}/0"
    with ExitStack() as stack:
        server = stack.enter_context(_started(command))
        product = stack.enter_context(running(tmp_path / "home", REDIS_URL=url))
        load = Load(product)
        load.probe()
        with silent(BROKER):
            # A new broker in its place does not know the clients that still wait for answers.
            server.kill()
            server.wait()
            stack.enter_context(_started(command))
            time.sleep(SILENT)
        recovery = load.probe()
        print(f"{recovery:.1f} s until recovery")
        assert recovery < RECOVERY


@contextmanager
def _started(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    server = subprocess.Popen(command)
    try:
        yield server
    finally:
        server.kill()
        server.wait()
