"""The child processes: each in a session of its own, their lines forwarded, stopped together."""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

_PR_SET_PDEATHSIG = 1

#: A child that ends sooner than this many seconds after its start did not come up.
SHORT_LIFE = 2.0

#: After so many short lives in a row starting it again is hopeless.
PATIENCE = 5

# Loaded before any fork: a child must not load libraries between fork and exec.
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What a child process runs."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    #: Open files that it inherits.
    descriptors: Sequence[int] = ()
    #: Whether everything stops when it cannot stay up.
    vital: bool = True


@dataclass(slots=True)
class Child:
    """One child process."""

    program: Program
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    started: float
    #: How often in a row it ended within SHORT_LIFE seconds.
    short_lives: int = 0
    #: The beginning of a line whose end has not come yet.
    partial: bytes = b""

    @property
    def name(self) -> str:
        """The name that its lines carry."""
        return self.program.name


class Children:
    """
    All child processes of one supervisor, driven from a single thread.

    Each child leads a session of its own, so that Ctrl-C in the terminal reaches the
    supervisor alone and the children are stopped once and in order. On Linux they are
    told to end when the supervisor dies, however it dies.
    """

    def __init__(self, folder: str, log: IO[bytes], *, named: bool) -> None:
        self._folder = folder
        self._log = log
        self._named = named
        self._children: list[Child] = []
        self._selector = selectors.DefaultSelector()

    def start(self, program: Program, short_lives: int = 0) -> None:
        """Start *program*."""
        parent = os.getpid()

        def die_with_parent() -> None:
            if _LIBC is not None:
                _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
                if os.getppid() != parent:
                    os._exit(1)

        process = subprocess.Popen(  # noqa: S603
            program.command,
            cwd=self._folder,
            env=dict(program.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=program.descriptors,
            # Safe here: the supervisor has no other threads.
            preexec_fn=die_with_parent,  # noqa: PLW1509
        )
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
        """Start an ended child again; return False when it keeps ending right after its start."""
        lived = time.monotonic() - child.started
        # One that was killed from outside did not fail.
        failed = lived < SHORT_LIFE and child.process.returncode != -signal.SIGKILL
        short_lives = child.short_lives + 1 if failed else 0
        if short_lives >= PATIENCE:
            return False
        # What it started itself must not go on beside the new one.
        self.drop(child)
        self.start(child.program, short_lives)
        return True

    def stop(self, names: Sequence[str], seconds: float) -> None:
        """Ask the children *names* to end, and kill those still there after *seconds*."""
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
        """Kill what is left of the child and of the processes it started."""
        with suppress(ProcessLookupError):
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.wait()
        while self._forward_from(child):
            pass
        # A process of the child that is only now dying keeps the pipe open: no end was read.
        if child.output in self._selector.get_map():
            self._selector.unregister(child.output)
        child.output.close()
        self._children.remove(child)

    def _forward_from(self, child: Child) -> bool:
        """Write the lines that have come; return whether there may be more."""
        try:
            data = os.read(child.output.fileno(), 65536)
        except BlockingIOError:
            return False
        if not data and child.output in self._selector.get_map():
            self._selector.unregister(child.output)
        *lines, child.partial = (child.partial + data).split(b"\n")
        name = f"{child.name:<8} | ".encode() if self._named else b""
        # A terminal that went away must not keep the children from being stopped.
        with suppress(BrokenPipeError):
            for line in lines:
                self._log.write(name + line + b"\n")
            self._log.flush()
        return bool(data)
