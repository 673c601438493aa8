"""The lock of the state folder: two brokers would corrupt its files."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

from console.home import Home
from console.private_state import keep_private
from console.supervisor.failure import StartFailed


@contextmanager
def hold(home: Home) -> Iterator[None]:
    """
    Create the state folder with access for this user only, and lock it.

    The kernel releases the lock when the process ends, so there are no stale locks. Raises
    StartFailed if another supervisor holds the lock, or if the folder cannot be written or
    protected from other users.
    """
    try:
        home.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        keep_private(home)
        descriptor = os.open(home.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except ImproperlyConfigured as error:
        raise StartFailed(str(error)) from error
    except OSError as error:
        raise StartFailed(
            f"The state folder {home.folder} cannot be written ({error.strerror}); set "
            "SLUICE_HOME to a writable folder."
        ) from error
    with os.fdopen(descriptor, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StartFailed(
                f"Sluice already runs on {home.folder} as process {file.read().strip()}; stop "
                "this process first, or set SLUICE_HOME to another folder."
            ) from error
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
