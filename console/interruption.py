"""
Interruption of a call that takes too long, in any thread.

In the main thread of a process on Unix, a timer of the system raises the exception, also during a
call that waits. In other threads it is raised with the next instruction of Python, so code in C
ends first.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Protocol, TypeVar

T = TypeVar("T")


class Interrupted(BaseException):
    """The time is over; an `except Exception` in the call does not catch it."""


def call_within(seconds: float, call: Callable[[], T]) -> T:
    """
    Return the result of *call*; raises Interrupted in it after *seconds*.

    A call that cannot be interrupted, or catches Interrupted, may take longer.
    """
    timer: _Timer = _SystemTimer(seconds) if _may_use_signals() else _ThreadTimer(seconds)
    try:
        return call()
    finally:
        timer.stop()


class _Timer(Protocol):
    def stop(self) -> None:
        """Prevent the interruption from now on; it may still arrive within this call."""


def _may_use_signals() -> bool:
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        # Another timer of the process keeps running.
        and not signal.getitimer(signal.ITIMER_REAL)[0]
    )


class _SystemTimer:
    """Raises Interrupted in the main thread by SIGALRM."""

    def __init__(self, seconds: float) -> None:
        self._is_over = False
        self._before = signal.signal(signal.SIGALRM, self._interrupt)
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def stop(self) -> None:
        self._is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if not self._is_over:
            self._is_over = True
            # `stop` may itself be interrupted before it does so.
            signal.signal(signal.SIGALRM, self._before)
            raise Interrupted


class _ThreadTimer:
    """Raises Interrupted in the thread that created it, from a thread that waits."""

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._is_over = False
        self._timer = threading.Timer(seconds, self._interrupt)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        with self._lock:
            self._is_over = True
            # If it was raised and has not arrived, it does not arrive any more.
            _raise_in(self._thread, None)
        self._timer.cancel()

    def _interrupt(self) -> None:
        with self._lock:
            if not self._is_over:
                _raise_in(self._thread, Interrupted)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise *error* in *thread* with its next instruction; None withdraws what has not arrived."""
    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
