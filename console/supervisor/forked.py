"""
Fork server: processes of the web server and of Celery, forked from one that has loaded the code.

Loading takes about one second of processor time, and `up` starts six such processes. Forked
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
from importlib import import_module
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socket
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


class ForkedProcess:
    """
    A process that runs a command line tool, with the methods of Popen that `Children` calls.

    *tool* names its module and function as `module:function`, which reads *arguments* from the
    command line. With *listener*, `--bind` is the last argument and gets this socket. The process
    leads a session of its own, has *niceness* added to its priority, and ends with the fork server,
    which ends with the supervisor.
    """

    def __init__(
        self,
        tool: str,
        arguments: Sequence[str],
        niceness: int,
        listener: socket | None,
        folder: str,
    ) -> None:
        self.stdout, output = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(
            target=_run, args=(tool, tuple(arguments), niceness, listener, output)
        )
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


def _run(
    tool: str,
    arguments: Sequence[str],
    niceness: int,
    listener: socket | None,
    output: Connection,
) -> None:
    """Run a tool in the forked process, as its command line does."""
    os.setsid()
    end_with_parent(os.getppid())
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    os.nice(niceness)
    if listener is not None:
        arguments = [*arguments, f"fd://{listener.fileno()}"]
    name, _, function = tool.partition(":")
    module = import_module(name)
    entitle(f"{name.partition('.')[0]} {' '.join(arguments)}")
    sys.argv = [str(module.__file__), *arguments]
    try:
        getattr(module, function)()
    finally:
        # Processes of multiprocessing do not run exit handlers.
        atexit._run_exitfuncs()  # noqa: SLF001
