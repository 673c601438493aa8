"""Keep what a state folder holds from other users of the machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from console.home import Home

#: What group and others may do.
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_private(home: Home) -> None:
    """
    Let only this user read what is in *home* and what this process writes from here on.

    A folder or file that an earlier version, a copy or a mount left open to group or others is
    tightened. Raises ImproperlyConfigured with a sentence for one that belongs to another user
    and cannot be; of the folder itself it is enough that others cannot write to it.
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
            # The log of a database goes with the last process that has it open.
            continue
        except PermissionError as error:
            raise _refusal(path) from error


def _files_of(home: Home) -> Iterator[Path]:
    """Yield what the console wrote into the folder; files of others beside it stay as they are."""
    for known in (home.database, home.secret_key, home.lock, home.schedule, home.static_stamp):
        # A database and a schedule have companions, such as its log.
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
