"""Database and broker that are gone without a word, as when their machine lost power."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from console.home import Home
from console.supervisor import broker
from tests.crash.holding import RECOVERY
from tests.crash.load import Load
from tests.crash.products import serving_here
from tests.network import own_network, silent
from tests.product import running

#: Ports of a network that nobody else uses.
DATABASE, BROKER = 5432, 6379

#: Seconds within which a request has an answer while the database is silent: it takes ten until
#: what was sent counts as lost, and five to find out that nobody answers a new connection.
ANSWERED = 25

#: Seconds that the network is silent. What has no answer is sent again after pauses that double:
#: 51 s after the first time, and then after 102. Everybody sends something within 5 s, so that who
#: relies on that alone is late.
SILENT = 62


@pytest.fixture(autouse=True)
def network() -> Iterator[None]:
    """Have tests here where what is sent can be lost."""
    with own_network():
        yield


def test_a_database_that_is_gone_without_a_word(tmp_path: Path) -> None:
    with (
        serving_here(over_tcp=True) as url,
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


def test_a_broker_that_is_gone_without_a_word(tmp_path: Path) -> None:
    command = [*broker.command(Home(tmp_path / "broker")), "--port", str(BROKER)]
    url = f"redis://127.0.0.1:{BROKER}/0"
    with ExitStack() as stack:
        server = stack.enter_context(_started(command))
        product = stack.enter_context(running(tmp_path / "home", REDIS_URL=url))
        load = Load(product)
        load.probe()
        with silent(BROKER):
            # Another one in its place knows nothing of those who still wait for its answers.
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
