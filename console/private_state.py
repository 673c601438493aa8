"""File permissions of the state folder, which other users of the machine must not read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from console.home import Home

#: Permission bits of group and others.
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_private(home: Home) -> None:
    """
    Restrict the files in *home*, and all files that this process writes later, to this user.

    Permissions of group and others that an earlier version, a copy or a mount left are removed.
    Raises ImproperlyConfigured for a file of another user, whose permissions cannot be changed; for
    the folder itself it is enough that others cannot write to it.
    """
    os.umask(_OF_OTHERS)
    if not home.folder.exists():
        return
    try:
        _tighten(home.folder)
    except PermissionError as error:
        # A mounted volume may belong to root.
        if home.folder.stat().st_mode & stat.S_IWOTH:
            raise _refusal(home.folder) from error
    for path in _files_of(home):
        try:
            _tighten(path)
        except FileNotFoundError:
            # SQLite deletes its log when the last process closes the database.
            continue
        except PermissionError as error:
            raise _refusal(path) from error


def _files_of(home: Home) -> Iterator[Path]:
    """Yield the files that the console wrote into the folder; other files stay unchanged."""
    for known in (home.database, home.secret_key, home.lock, home.schedule, home.static_stamp):
        # The database and the schedule have additional files, such as the database's log.
        yield from home.folder.glob(f"{known.name}*")
    yield home.broker
    yield from home.broker.rglob("*")


def _tighten(path: Path) -> None:
    mode = path.lstat().st_mode
    if mode & _OF_OTHERS and not stat.S_ISLNK(mode):
        path.chmod(stat.S_IMODE(mode) & ~_OF_OTHERS)


def _refusal(path: Path) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{path} can be read or written by other users of this machine and belongs to another "
        f"user, so that it cannot be changed; run `chmod go-rwx {path}` as its owner, or set "
        "SLUICE_HOME to a folder of this user."
    )
