"""The broker is gone for a minute, under load: what is accepted waits as rows, and goes on."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from console.home import Home
from console.supervisor import broker
from tests.crash.holding import held
from tests.crash.products import DATABASES, running_on

#: Seconds that the broker is gone.
GONE = 60


@pytest.mark.parametrize("database", DATABASES)
def test_a_broker_that_is_gone_for_a_minute(database: str, tmp_path: Path) -> None:
    elsewhere = Home(tmp_path / "broker")
    command = broker.command(elsewhere)
    url = f"unix://{elsewhere.broker_socket}"
    server = subprocess.Popen(command)
    try:
        with (
            running_on(database, tmp_path / "home", REDIS_URL=url) as product,
            held(product) as load,
        ):
            server.kill()
            server.wait()
            before = len(load.accepted)
            time.sleep(GONE)
            # What is accepted meanwhile waits as rows.
            assert len(load.accepted) > before
            server = subprocess.Popen(command)
    finally:
        server.kill()
        server.wait()
