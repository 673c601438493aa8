"""The programs that the supervisor starts: command lines, and forked Celery processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from console.supervisor.forked import ForkedCelery
from console.supervisor.parent_death import end_with_parent


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandProgram:
    """A program started by a command line."""

    #: The name in front of its output lines.
    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    #: Open file descriptors that it inherits.
    descriptors: Sequence[int] = ()
    #: Whether all processes are stopped if it keeps ending.
    vital: bool = True

    def start(self, folder: str) -> subprocess.Popen[bytes]:
        """Start the process in *folder*, in its own session, with its output in a pipe."""
        return subprocess.Popen(  # noqa: S603
            self.command,
            cwd=folder,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=self.descriptors,
            # Safe here: the supervisor has no other threads.
            preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CeleryProgram:
    """Celery with arguments, in the environment of the fork server."""

    #: The name in front of its lines.
    name: str
    arguments: Sequence[str]
    #: Added to its priority; 19 is the lowest.
    niceness: int = 0
    #: Whether all processes are stopped if it keeps ending.
    vital: bool = True

    def start(self, folder: str) -> ForkedCelery:
        """Fork the process in *folder*, in its own session, with its output in a pipe."""
        return ForkedCelery(self.arguments, self.niceness, folder)


Program = CommandProgram | CeleryProgram
