"""Paths of the files in the state folder, SLUICE_HOME."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

#: The address of a unix socket has space for 107 bytes and the final NUL.
_LONGEST_SOCKET_PATH = 107


@dataclass(frozen=True, slots=True)
class Home:
    """Layout of one SLUICE_HOME; no method accesses the disk."""

    folder: Path

    @property
    def database(self) -> Path:
        """The SQLite file, used when DATABASE_URL is not set."""
        return self.folder / "sluice.sqlite3"

    @property
    def secret_key(self) -> Path:
        """The generated secret key, used when SECRET_KEY is not set."""
        return self.folder / "secret_key"

    @property
    def lock(self) -> Path:
        """The file that a running `up` keeps locked; it holds the process id."""
        return self.folder / "lock"

    @property
    def static(self) -> Path:
        """The collected static files."""
        return self.folder / "static"

    @property
    def static_stamp(self) -> Path:
        """The fingerprint of the sources that the static files were collected from."""
        return self.folder / "static.stamp"

    @property
    def schedule(self) -> Path:
        """The file in which beat stores the last run of each periodic task."""
        return self.folder / "beat-schedule"

    @property
    def broker(self) -> Path:
        """The folder with the data of the embedded broker."""
        return self.folder / "broker"

    @property
    def broker_log(self) -> Path:
        """The log file of the embedded broker."""
        return self.broker / "broker.log"

    @property
    def broker_socket(self) -> Path:
        """
        The unix socket of the embedded broker.

        It lies in `broker`, unless that path is too long for a unix socket: then
        in a private folder of the user's runtime or temporary directory, named
        after this folder, so that every process finds the same one.
        """
        inside = self.broker / "broker.sock"
        if len(os.fsencode(inside)) <= _LONGEST_SOCKET_PATH:
            return inside
        base = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:16]
        return base / f"sluice-{os.getuid()}-{digest}" / "broker.sock"
