"""
Processes of Celery, forked from one process that has loaded the code: a fork server.

Loading takes about one second of processor time, and `up` starts five such processes. Forked
processes start at once, also after a crash, and share the memory of the loaded code. The supervisor
does not load the code itself, because it reads its settings before the secret key and the port are
known.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from console.supervisor.parent_death import end_with_parent

_CONTEXT: Final = get_context("forkserver")


def start_fork_server(folder: str, environment: Mapping[str, str]) -> None:
    """
    Start the fork server in *folder*; it loads the code while the caller continues.

    The fork server and its processes get the environment of this process and *environment*.
    """
    os.environ.update(environment)
    _CONTEXT.set_forkserver_preload(["console.supervisor.preload"])
    with chdir(folder):
        forkserver.ensure_running()


class ForkedCelery:
    """
    A process that runs `celery` with *arguments*, with the methods of Popen that `Children` calls.

    It leads a session of its own, has *niceness* added to its priority, and ends with the fork
    server, which ends with the supervisor.
    """

    def __init__(self, arguments: Sequence[str], niceness: int, folder: str) -> None:
        self.stdout, output = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(target=_run, args=(tuple(arguments), niceness, output))
        with chdir(folder), output:
            self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return its exit status; None while it runs."""
        return self._process.exitcode

    def terminate(self) -> None:
        """Send it SIGTERM."""
        self._process.terminate()

    def kill(self) -> None:
        """Send it SIGKILL."""
        self._process.kill()

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.join()


def entitle(title: str) -> None:
    """Set the command line that `ps` shows for this process to *title*, on Linux."""
    if sys.platform == "linux":
        from setproctitle import setproctitle  # noqa: PLC0415

        setproctitle(title)


def _run(arguments: Sequence[str], niceness: int, output: Connection) -> None:
    """Run Celery in the forked process, as `python -m celery` does."""
    os.setsid()
    end_with_parent(os.getppid())
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    os.nice(niceness)
    entitle(f"celery {' '.join(arguments)}")
    from celery import __main__ as celery  # noqa: PLC0415

    sys.argv = [celery.__file__, *arguments]
    try:
        celery.main()
    finally:
        # Processes of multiprocessing do not run exit handlers.
        atexit._run_exitfuncs()  # noqa: SLF001
