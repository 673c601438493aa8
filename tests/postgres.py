"""
Run a command with TEST_DATABASE_URL set to a temporary PostgreSQL server.

python -m tests.postgres pytest tests/services

The server runs as long as the command, in a temporary folder, on a unix socket. If the machine has
no PostgreSQL, the command is skipped with a message; with CI=true that is an error.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

MISSING = (
    "The tests on PostgreSQL {verb}: there is no PostgreSQL server on this machine; "
    "install one (on Debian and Ubuntu: apt install postgresql)."
)

#: Seconds within which the server must accept connections.
_PATIENCE = 30


def main(command: Sequence[str]) -> int:
    """Run *command* with a server and return its exit status."""
    binaries = find_binaries()
    if binaries is None:
        required = os.environ.get("CI") == "true"
        print(MISSING.format(verb="cannot run" if required else "were left out"), file=sys.stderr)
        return 1 if required else 0
    with serving(binaries) as url:
        return subprocess.run(
            command, env={**os.environ, "TEST_DATABASE_URL": url}, check=False
        ).returncode


def find_binaries() -> Path | None:
    """Return the binaries of the newest server version; Debian keeps them off the PATH."""
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    if debian:
        return debian[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextmanager
def serving(
    binaries: Path,
    *,
    crashing: bool = False,
    durable: bool = False,
    disk: Path | None = None,
    over_tcp: bool = False,
) -> Iterator[str]:
    """
    Start an empty server and yield its URL.

    *crashing*: committed data survives a crash of the server; *durable*: a crash of the machine,
    too, as in production. The tables are in the folder *disk* if it is given, the log is not. The
    server listens on a socket in its folder; with *over_tcp* on the usual port of loopback, for
    tests that have a network of their own.
    """
    address = "127.0.0.1" if over_tcp else ""
    commit, sync = ("on" if on else "off" for on in (crashing or durable, durable))
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        who = _unprivileged()
        if who:
            os.chown(folder, who["user"], who["group"])
        data = (disk or folder) / "data"
        _run([binaries / "initdb", "-D", data, "-U", "sluice", "-A", "trust", "-E", "UTF8",
              "--locale=C", "--no-sync", "--waldir", folder / "wal"], folder, who)  # fmt: skip
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(
                [binaries / "postgres", "-D", data, "-k", folder,
                 "-c", f"listen_addresses={address}", "-c", f"fsync={sync}",
                 "-c", f"full_page_writes={sync}", "-c", f"synchronous_commit={commit}"],
                cwd=folder, stdout=log, stderr=log, **who,
            )  # fmt: skip
        try:
            _wait_until_it_accepts(binaries, folder, server)
            yield f"postgresql://sluice@{address or quote(str(folder), safe='')}/postgres"
        finally:
            # Fast: connected clients do not delay the stop. It stops the current server, also after
            # a restart.
            _run([binaries / "pg_ctl", "stop", "-D", data, "-m", "fast", "-w"], folder, who)
            server.wait()


def restart(binaries: Path, url: str) -> None:
    """Stop the server at *url* as a crash would, and start it again on its data."""
    folder = Path(unquote(urlsplit(url).netloc.rpartition("@")[2]))
    _run(
        [binaries / "pg_ctl", "restart", "-D", folder / "data", "-m", "immediate", "-w",
         "-l", folder / "later-log"],
        folder, _unprivileged(),
    )  # fmt: skip


def _unprivileged() -> dict[str, Any]:
    """Return the user and group that run the server: PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    sys.exit("The tests on PostgreSQL cannot run as root without a user postgres or nobody.")


def _run(command: Sequence[str | Path], folder: Path, who: dict[str, Any]) -> None:
    result = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, **who)
    if result.returncode:
        sys.exit(f"{command[0]} failed:\n{result.stderr}")


def _wait_until_it_accepts(binaries: Path, folder: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    probe: list[str | Path] = [binaries / "pg_isready", "-q", "-h", folder]
    while subprocess.run(probe, check=False).returncode:
        if server.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"The PostgreSQL server did not start:\n{(folder / 'log').read_text()}")
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
