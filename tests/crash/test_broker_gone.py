"""The broker is down for a while under load: accepted workloads wait as rows until it is back."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from console.home import Home
from console.supervisor import broker
from tests.crash.products import databases, running_on
from tests.crash.under_load import checked_load

#: Seconds without a broker; `make soak` sets a minute.
GONE = float(os.environ.get("CRASH_GONE", "15"))


@pytest.mark.parametrize("database", databases("sqlite"))
def test_workloads_wait_as_rows_while_the_broker_is_down(database: str, tmp_path: Path) -> None:
    elsewhere = Home(tmp_path / "broker")
    command = broker.command(elsewhere)
    url = f"unix://{elsewhere.broker_socket}"
    server = subprocess.Popen(command)
    try:
        with (
            running_on(database, tmp_path / "home", REDIS_URL=url) as product,
            checked_load(product) as load,
        ):
            server.kill()
            server.wait()
            before = len(load.accepted)
            time.sleep(GONE)
            # Workloads that are accepted meanwhile wait as rows.
            assert len(load.accepted) > before
            server = subprocess.Popen(command)
    finally:
        server.kill()
        server.wait()
