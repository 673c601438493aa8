"""Calls that take too long are interrupted in the main thread and in others, and no later ones."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from console.interruption import Interrupted, call_within


def in_thread(run: Callable[[], Any]) -> Any:
    """Return the result of *run* in another thread."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(run()))
    thread.start()
    thread.join()
    return results[0]


EVERY_THREAD = pytest.mark.parametrize(
    "run", [lambda each: each(), in_thread], ids=["main", "other"]
)


def endless() -> None:
    while True:
        sum(range(100))


def interrupted(call: Callable[[], object], seconds: float = 0.05) -> bool:
    try:
        call_within(seconds, call)
    except Interrupted:
        return True
    return False


@EVERY_THREAD
def test_result_and_exceptions_are_passed_on(run: Callable[..., Any]) -> None:
    assert run(lambda: call_within(60, lambda: 7)) == 7

    def failing() -> None:
        with pytest.raises(ValueError, match="no"):
            call_within(60, lambda: int("no"))

    run(failing)


@EVERY_THREAD
def test_endless_call_is_interrupted(run: Callable[..., Any]) -> None:
    assert run(lambda: interrupted(endless))


@EVERY_THREAD
def test_no_interruption_arrives_after_the_call(run: Callable[..., Any]) -> None:
    """Calls end at about the time of the interruption, which then belongs to them or to none."""

    def many() -> bool:
        for number in range(200):
            until = time.monotonic() + 0.001

            def wait(until: float = until) -> None:
                while time.monotonic() < until:
                    pass

            interrupted(wait, 0.0008 + number * 0.000002)
            # Here, an interruption that arrived late would end the test.
            sum(range(100))
        return True

    assert run(many)


def test_timer_and_handler_of_the_process_are_as_before() -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert interrupted(endless)
    assert not interrupted(lambda: None)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_another_timer_of_the_process_keeps_running() -> None:
    signal.setitimer(signal.ITIMER_REAL, 600)
    try:
        assert interrupted(endless)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 500
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
