"""The programs that the supervisor starts: command lines, and tools that are forked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from socket import socket

from console.supervisor.forked import ForkedProcess
from console.supervisor.parent_death import end_with_parent


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandProgram:
    """A program started by a command line."""

    #: The name in front of its output lines.
    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
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
            # Safe here: the supervisor has no other threads.
            preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkedProgram:
    """A command line tool, in a process and the environment of the fork server."""

    #: The name in front of its lines.
    name: str
    #: Its module and function, as `module:function`.
    tool: str
    arguments: Sequence[str]
    #: The socket that follows the last argument, `--bind`.
    listener: socket | None = None
    #: Added to its priority; 19 is the lowest.
    niceness: int = 0
    #: Whether all processes are stopped if it keeps ending.
    vital: bool = True

    def start(self, folder: str) -> ForkedProcess:
        """Fork the process in *folder*, in its own session, with its output in a pipe."""
        return ForkedProcess(self.tool, self.arguments, self.niceness, self.listener, folder)


Program = CommandProgram | ForkedProgram
