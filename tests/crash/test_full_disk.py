"""The disk of the state folder is full for a while, under load."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.crash.holding import A_WHILE, held
from tests.crash.products import DATABASES, running_on

#: MiB of the disk that is filled.
DISK = 256


@pytest.mark.parametrize("database", DATABASES)
def test_a_full_disk(database: str, tmp_path: Path) -> None:
    with _disk(tmp_path / "disk") as disk:
        with running_on(database, disk / "home") as product, held(product) as load:
            assert load.refusals == set()
            ballast = disk / "ballast"
            _fill(ballast)
            # PostgreSQL has its rows elsewhere. SQLite has some room left in its log.
            deadline = time.monotonic() + 5 * A_WHILE
            while database == "sqlite" and not load.refusals:
                assert time.monotonic() < deadline, "nothing was refused"
                time.sleep(0.1)
            time.sleep(A_WHILE)
            said = _checks(product.port)["database"]
            assert said == ("ok" if database != "sqlite" else "its disk is full: 0 MiB are left")
            before = len(load.accepted)
            ballast.unlink()
        assert len(load.accepted) > before
        expected = {(503, "database_unavailable")} if database == "sqlite" else set()
        assert load.refusals == expected


@contextmanager
def _disk(folder: Path) -> Iterator[Path]:
    """Mount a small disk at *folder*; where that is not allowed, the test is left out."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m,mode=0777", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"No disk can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _checks(port: int) -> dict[str, str]:
    """Return what `/readyz` says of each part."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/readyz")
    checks: dict[str, str] = json.loads(connection.getresponse().read())["checks"]
    connection.close()
    return checks


def _fill(path: Path) -> None:
    """Write until there is no room left."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(b"\0" * size) == size:
                    pass
            except OSError:
                continue
