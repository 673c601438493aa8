"""The guard of plugins: exceptions and late calls fail the call, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded, WorkerShutdown

from console.engine.model.plugins import PluginFailed
from console.plugin_guard import LIMIT, MOST_LATE, REST, PluginGuard


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def take(self, seconds: float) -> Callable[[], str]:
        """Return a call that takes *seconds*."""

        def call() -> str:
            self.now += seconds
            return "done"

        return call


def raising(error: BaseException) -> Callable[[], Any]:
    def call() -> None:
        raise error

    return call


def test_result_is_returned() -> None:
    assert PluginGuard()("p", lambda: 7) == 7


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (KeyError("rack"), "KeyError: 'rack'."),
        (ValueError("a\n b"), "ValueError: a b."),
        (SystemExit(3), "SystemExit: 3."),
        (RecursionError(), "RecursionError."),
    ],
)
def test_exceptions_of_a_plugin_fail_the_call(error: BaseException, sentence: str) -> None:
    with pytest.raises(PluginFailed) as failed:
        PluginGuard()("p", raising(error))
    assert str(failed.value) == sentence


@pytest.mark.parametrize(
    "error", [SoftTimeLimitExceeded(), WorkerShutdown(0), KeyboardInterrupt()], ids=repr
)
def test_exceptions_for_the_process_are_passed_on(error: BaseException) -> None:
    with pytest.raises(type(error)):
        PluginGuard()("p", raising(error))


def endless() -> None:
    while True:
        with suppress(Exception):
            sum(range(1000))


def test_endless_call_is_interrupted_in_every_thread() -> None:
    found = [_failure_of_endless_call()]
    thread = threading.Thread(target=lambda: found.append(_failure_of_endless_call()))
    thread.start()
    thread.join()
    assert found == ["It took longer than 0.05 s."] * 2


def _failure_of_endless_call() -> str:
    with pytest.raises(PluginFailed) as failed:
        PluginGuard(limit=0.05)("p", endless)
    return str(failed.value)


def test_late_result_is_refused_in_every_thread() -> None:
    clock, found = Clock(), []

    def run() -> None:
        guard = PluginGuard(clock=clock)
        for seconds in (LIMIT, LIMIT + 1):
            try:
                found.append(guard("p", clock.take(seconds)))
            except PluginFailed as error:
                found.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == ["done", "It took longer than 1 s."]


def test_plugin_that_is_late_repeatedly_rests() -> None:
    clock, asked = Clock(), []
    guard = PluginGuard(clock=clock)

    def late() -> None:
        asked.append(clock.now)
        clock.take(LIMIT + 1)()

    for _ in range(MOST_LATE + 2):
        with pytest.raises(PluginFailed) as failed:
            guard("late", late)
    assert len(asked) == MOST_LATE
    assert str(failed.value) == (
        "It took longer than 1 s 3 times in succession, and is not asked for 60 s."
    )
    assert guard("other", lambda: "done") == "done"
    clock.now += REST
    assert guard("late", lambda: "done") == "done"


def test_call_in_time_between_late_ones_prevents_the_rest() -> None:
    clock = Clock()
    guard = PluginGuard(clock=clock)
    for _ in range(MOST_LATE):
        with pytest.raises(PluginFailed):
            guard("p", clock.take(LIMIT + 1))
        if _ < MOST_LATE - 1:
            guard("p", lambda: None)
    assert guard("p", lambda: "done") == "done"
