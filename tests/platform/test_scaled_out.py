"""PostgreSQL, a broker over TCP and two workers, configured by two variables alone."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.dialects import dialects
from console.supervisor.broker import find_binary
from tests.postgres import MISSING, find_binaries, serving
from tests.product import PATIENCE, ROOT, Product, running


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The URL of an empty PostgreSQL server."""
    binaries = find_binaries()
    if binaries is None:
        pytest.fail(MISSING.format(verb="cannot run"), pytrace=False)
    with serving(binaries) as url:
        yield url


@pytest.fixture(scope="module")
def broker(tmp_path_factory) -> Iterator[str]:
    """The URL of a broker without persistence."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    folder = tmp_path_factory.mktemp("broker")
    server = subprocess.Popen(
        [find_binary(), "--bind", "127.0.0.1", "--port", str(port), "--save", ""],
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    yield f"redis://127.0.0.1:{port}/0"
    server.terminate()
    server.wait()


@pytest.fixture
def product(tmp_path: Path, database: str, broker: str) -> Iterator[Product]:
    """A product with nothing but static files in its state folder."""
    with running(tmp_path, DATABASE_URL=database, REDIS_URL=broker) as product:
        yield product


def test_two_workers_share_the_work(product: Product) -> None:
    environment = {**product.environment, "DJANGO_SETTINGS_MODULE": "console.settings"}
    second = subprocess.Popen(
        [sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "worker",
         "--concurrency", "1", "--without-gossip", "--without-mingle", "--hostname", "second@%h"],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        api = product.api()
        sample = dialects()["native"].samples()["Cap one instance type"]
        api.post(
            "/config/versions",
            {"dialect": "native", "text": sample, "message": "", "expected_version": 0},
            expect=201,
        )
        asked = {
            "name": "work",
            "instance_type": "m5.2xlarge",
            "requests": {"cpu": 8, "memory_gb": 32},
        }
        for _ in range(4):
            api.post("/workloads", {"workloads": [asked]})
        deadline = time.monotonic() + PATIENCE
        while (counts := _counts(api)) != {"admitted": 3, "pending": 1}:
            assert time.monotonic() < deadline, counts
            time.sleep(0.1)
    finally:
        second.terminate()
        second.wait()
    assert sorted(path.name for path in product.home.iterdir() if path.is_file()) == [
        *sorted(path.name for path in product.home.glob("beat-schedule*")),
        "lock",
        "secret_key",
        "static.stamp",
    ]


def _counts(api) -> dict[str, int]:
    rows = api.get("/workloads")["results"]
    decided = [row["state"] for row in rows if row["reason"]["code"] != "not_evaluated"]
    return {state: decided.count(state) for state in decided}
