"""A state folder that other users can read is made private, or refused with a message."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from console.home import Home
from console.private_state import keep_private
from console.supervisor.failure import StartFailed
from console.supervisor.lock import hold
from tests.product import ROOT, environment_of

#: Files that a product leaves in its folder.
LEFT = (
    "sluice.sqlite3",
    "sluice.sqlite3-wal",
    "sluice.sqlite3-shm",
    "secret_key",
    "lock",
    "beat-schedule",
    "beat-schedule.db",
    "broker/dump.rdb",
    "broker/broker.log",
    "broker/appendonlydir/appendonly.aof.1.incr.aof",
)


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Start with the usual umask of a shell, and restore the umask of the process."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A folder of an earlier version or of a copy, which all users may read."""
    folder = tmp_path / "var"
    for name in LEFT:
        path = folder / name
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        path.write_text("something")
    return Home(folder)


def open_to_others(folder: Path) -> list[str]:
    """Return the paths that group or others may access."""
    paths = [folder, *folder.rglob("*")]
    return [str(path.relative_to(folder)) for path in paths if path.stat().st_mode & 0o077]


def test_open_folder_is_made_private(home: Home) -> None:
    assert len(open_to_others(home.folder)) > len(LEFT)
    keep_private(home)
    assert open_to_others(home.folder) == []
    assert stat.S_IMODE(home.database.stat().st_mode) == 0o600


def test_later_files_are_private(home: Home) -> None:
    keep_private(home)
    (home.folder / "later").write_text("something")
    (home.folder / "folder").mkdir()
    assert open_to_others(home.folder) == []


def test_files_of_others_in_the_folder_stay_as_they_are(home: Home, tmp_path: Path) -> None:
    (home.folder / "notes").write_text("theirs")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    (home.broker / "link").symlink_to(elsewhere)
    keep_private(home)
    assert [path.stat().st_mode & 0o077 for path in (home.folder / "notes", elsewhere)] == [
        0o044,
        0o044,
    ]


def test_missing_folder_is_not_created(tmp_path: Path) -> None:
    keep_private(Home(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_file_that_cannot_be_made_private_is_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Path.chmod

    def chmod(path: Path, mode: int) -> None:
        if path == home.database:
            raise PermissionError(1, "Operation not permitted")
        plain(path, mode)

    monkeypatch.setattr(Path, "chmod", chmod)
    sentence = (
        f"{home.database} can be read or written by other users of this machine and belongs to "
        f"another user, so that it cannot be changed; run `chmod go-rwx {home.database}` as its "
        "owner, or set SLUICE_HOME to a folder of this user."
    )
    with pytest.raises(ImproperlyConfigured) as refused:
        keep_private(home)
    assert str(refused.value) == sentence
    with pytest.raises(StartFailed) as failed, hold(home):
        pass
    assert str(failed.value) == sentence


@pytest.mark.parametrize(("mode", "is_refused"), [(0o755, False), (0o775, False), (0o777, True)])
def test_a_folder_of_root_may_be_read_and_not_written_by_others(
    mode: int, is_refused: bool, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.folder.chmod(mode)
    plain = Path.chmod

    def chmod(path: Path, mode: int) -> None:
        if path == home.folder:
            raise PermissionError(1, "Operation not permitted")
        plain(path, mode)

    monkeypatch.setattr(Path, "chmod", chmod)
    if is_refused:
        with pytest.raises(ImproperlyConfigured, match="can be read or written by other users"):
            keep_private(home)
    else:
        keep_private(home)
        assert open_to_others(home.folder) == ["."]


@pytest.mark.parametrize(
    "start",
    [
        # The tables of one app suffice: the migration creates the file.
        ("manage.py", "migrate", "contenttypes", "--no-input", "-v", "0"),
        ("-c", "import console.wsgi"),
    ],
)
def test_every_process_keeps_the_folder_private(start: tuple[str, ...], home: Home) -> None:
    home.database.unlink()
    for name in ("sluice.sqlite3-wal", "sluice.sqlite3-shm"):
        (home.folder / name).unlink()
    subprocess.run(
        [sys.executable, *start],
        cwd=ROOT,
        env=environment_of(
            home.folder, DJANGO_SETTINGS_MODULE="console.settings", SECRET_KEY="k" * 60
        ),
        timeout=120,
        check=True,
        umask=0o022,
    )
    assert open_to_others(home.folder) == []
