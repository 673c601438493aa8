"""When the garbage collector looks for cycles in a process that serves."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections

from console import collector


@pytest.fixture
def between_requests() -> Iterator[None]:
    """Let the collector look after requests, and never by itself."""
    collector.collect_between_requests()
    # Here there is no database.
    request_finished.disconnect(close_old_connections)
    gc.disable()
    gc.collect()
    yield
    gc.enable()
    request_finished.connect(close_old_connections)
    request_finished.disconnect(collector._after_request)


@dataclass(eq=False)
class _Cycle:
    """Something that only the collector frees."""

    itself: _Cycle | None = None


def _cycle() -> weakref.ref[_Cycle]:
    cycle = _Cycle()
    cycle.itself = cycle
    return weakref.ref(cycle)


def test_cycles_are_looked_for_when_an_answer_is_sent(between_requests: None) -> None:
    left = _cycle()
    assert left() is not None
    request_finished.send(sender=None)
    assert left() is None


def test_what_a_request_left_is_not_walked_again_and_again(between_requests: None) -> None:
    made = [[number] for number in range(10_000)]
    request_finished.send(sender=None)
    assert len(gc.get_objects(generation=0)) < len(made)


def test_what_outlived_its_request_is_looked_at_again_in_time(between_requests: None) -> None:
    held = _cycle()
    cycle = held()
    request_finished.send(sender=None)
    del cycle
    for _ in range(collector._SECOND_LOOK):
        assert held() is not None
        request_finished.send(sender=None)
    assert held() is None


@pytest.fixture
def after_large_requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Let the collector look as in a process of expensive requests; the list has its memory."""
    resident = [100 * 2**20]
    monkeypatch.setattr(collector, "_resident", lambda: resident[0])
    receivers = list(request_finished.receivers)
    request_finished.disconnect(close_old_connections)
    collector.collect_after_large_requests()
    gc.disable()
    gc.collect()
    yield resident
    gc.enable()
    request_finished.receivers = receivers
    request_finished.sender_receivers_cache.clear()


def test_what_lived_through_a_look_during_its_request_is_freed_after_it(
    after_large_requests: list[int],
) -> None:
    left = _cycle()
    held = left()
    gc.collect(0)
    del held
    assert left() is not None
    request_finished.send(sender=None)
    assert left() is None


def test_everything_is_looked_at_once_the_process_has_grown(
    after_large_requests: list[int],
) -> None:
    left = _cycle()
    held = left()
    gc.collect(1)
    del held
    after_large_requests[0] += collector._GROWTH
    request_finished.send(sender=None)
    assert left() is not None
    after_large_requests[0] += 1
    request_finished.send(sender=None)
    assert left() is None
    # It counts from what is in memory now.
    again = _cycle()
    held = again()
    gc.collect(1)
    del held
    request_finished.send(sender=None)
    assert again() is not None
