"""The disk of the state folder, or of the tables of PostgreSQL, is full for a while under load."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crash.load import Load
from tests.crash.products import databases, running_on
from tests.crash.under_load import A_WHILE, checked_load

#: Status and code of an answer when the disk is full.
_UNAVAILABLE = (503, "database_unavailable")

#: Size of the disk in MiB.
DISK = 256


@pytest.mark.parametrize("database", databases("sqlite"))
def test_a_full_disk(database: str, tmp_path: Path) -> None:
    with _disk() as disk:
        with (
            running_on(database, disk / "home") as product,
            checked_load(product) as load,
            # The rows of PostgreSQL are elsewhere.
            _disk_filled(disk, load, refuses=database == "sqlite"),
        ):
            said = product.checks()["database"]
        assert said == ("ok" if database != "sqlite" else "its disk is full: 0 MiB are left")
        expected = {_UNAVAILABLE} if database == "sqlite" else set()
        assert load.refusals == expected


def test_a_full_disk_of_the_database_server(tmp_path: Path) -> None:
    with _disk() as disk:
        with (
            running_on("postgresql", tmp_path / "home", disk=disk) as product,
            checked_load(product) as load,
            _disk_filled(disk, load, refuses=True),
        ):
            assert product.checks()["database"] == "ok"
        assert load.refusals == {_UNAVAILABLE}


@contextmanager
def _disk_filled(disk: Path, load: Load, *, refuses: bool) -> Iterator[None]:
    """Fill *disk* for a while, until a request is refused because of it."""
    assert load.refusals == set()
    ballast = disk / "ballast"
    _fill(ballast)
    # Existing files have some free space left.
    deadline = time.monotonic() + 5 * A_WHILE
    while refuses and not load.refusals:
        assert time.monotonic() < deadline, "nothing was refused"
        time.sleep(0.1)
    time.sleep(A_WHILE)
    yield
    ballast.unlink()


@contextmanager
def _disk() -> Iterator[Path]:
    """Mount a small disk that all users may write to; skip the test where that is not allowed."""
    with tempfile.TemporaryDirectory(prefix="disk-") as name:
        Path(name).chmod(0o755)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m,mode=0777", "tmpfs", name]
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"No disk can be mounted here: {done.stderr.strip()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def _fill(path: Path) -> None:
    """Write until the disk is full."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(b"\0" * size) == size:
                    pass
            except OSError:
                continue
