"""Child processes: started in their own sessions, with forwarded output, and stopped together."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import IO

from console.supervisor.forked import ForkedProcess
from console.supervisor.programs import Program

#: A child that ends within this many seconds counts as a failed start.
SHORT_LIFE = 2.0

#: Number of consecutive failed starts after which a child is not started again.
PATIENCE = 5


@dataclass(slots=True)
class Child:
    """One child process."""

    program: Program
    process: subprocess.Popen[bytes] | ForkedProcess
    output: IO[bytes] | Connection
    started: float
    #: Number of consecutive ends within SHORT_LIFE seconds.
    short_lives: int = 0
    #: The incomplete last line of its output.
    partial: bytes = b""

    @property
    def name(self) -> str:
        """The name in front of its output lines."""
        return self.program.name


class Children:
    """
    All child processes of one supervisor, driven from a single thread.

    Each child leads its own session, so that Ctrl-C in the terminal reaches only the supervisor,
    and the children are stopped once and in order. On Linux they receive a signal to end when the
    supervisor dies.
    """

    def __init__(self, folder: str, log: IO[bytes], *, named: bool) -> None:
        self._folder = folder
        self._log = log
        self._named = named
        self._children: list[Child] = []
        self._selector = selectors.DefaultSelector()

    def start(self, program: Program, short_lives: int = 0) -> None:
        """Start *program*."""
        process = program.start(self._folder)
        assert process.stdout is not None
        child = Child(program, process, process.stdout, time.monotonic(), short_lives)
        os.set_blocking(child.output.fileno(), False)
        self._children.append(child)
        self._selector.register(child.output, selectors.EVENT_READ, child)

    def forward(self, seconds: float) -> None:
        """Wait up to *seconds* for lines of the children, and write them, with names if wanted."""
        for key, _ in self._selector.select(seconds):
            self._forward_from(key.data)

    def ended(self) -> Child | None:
        """Return a child that is no longer running."""
        return next((child for child in self._children if child.process.poll() is not None), None)

    def revive(self, child: Child) -> bool:
        """Restart an ended child; return False if it keeps ending right after its start."""
        lived = time.monotonic() - child.started
        # A child that was killed from outside is not a failed start.
        failed = lived < SHORT_LIFE and child.process.returncode != -signal.SIGKILL
        short_lives = child.short_lives + 1 if failed else 0
        if short_lives >= PATIENCE:
            return False
        # Processes that the old child started must not run beside the new one.
        self.drop(child)
        self.start(child.program, short_lives)
        return True

    def stop(self, names: Sequence[str], seconds: float) -> None:
        """Terminate the children *names*, and kill those that still run after *seconds*."""
        stopping = [child for child in self._children if child.name in names]
        for child in stopping:
            if child.process.poll() is None:
                child.process.terminate()
        deadline = time.monotonic() + seconds
        while any(child.process.poll() is None for child in stopping):
            if time.monotonic() > deadline:
                break
            self.forward(0.02)
        for child in stopping:
            self.drop(child)

    def names(self) -> list[str]:
        """Return the names of the children that were started and not stopped."""
        return [child.name for child in self._children]

    def drop(self, child: Child) -> None:
        """Kill the remaining processes of the child."""
        with suppress(ProcessLookupError):
            os.killpg(child.process.pid, signal.SIGKILL)
        # A child forked just now may not lead its own session yet.
        child.process.kill()
        child.process.wait()
        while self._forward_from(child):
            pass
        # A dying process of the child still keeps the pipe open, so the end was not read.
        if child.output in self._selector.get_map():
            self._selector.unregister(child.output)
        child.output.close()
        self._children.remove(child)

    def _forward_from(self, child: Child) -> bool:
        """Write the available lines; return whether more can follow."""
        try:
            data = os.read(child.output.fileno(), 65536)
        except BlockingIOError:
            return False
        if not data and child.output in self._selector.get_map():
            self._selector.unregister(child.output)
        *lines, child.partial = (child.partial + data).split(b"\n")
        name = f"{child.name:<8} | ".encode() if self._named else b""
        # A closed terminal must not prevent the stop of the children.
        with suppress(BrokenPipeError):
            for line in lines:
                self._log.write(name + line + b"\n")
            self._log.flush()
        return bool(data)
