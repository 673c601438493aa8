"""When a web process runs the garbage collector."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections

from console import garbage_collection


@pytest.fixture
def between_requests() -> Iterator[None]:
    """Collect after requests, and never automatically."""
    garbage_collection.collect_between_requests()
    # The test has no database.
    request_finished.disconnect(close_old_connections)
    gc.disable()
    gc.collect()
    yield
    gc.enable()
    request_finished.connect(close_old_connections)
    request_finished.disconnect(garbage_collection._after_request)


@dataclass(eq=False)
class _Cycle:
    """An object that only the collector frees."""

    itself: _Cycle | None = None


def made_cycle() -> weakref.ref[_Cycle]:
    cycle = _Cycle()
    cycle.itself = cycle
    return weakref.ref(cycle)


def test_cycles_are_collected_when_a_response_is_sent(between_requests: None) -> None:
    left = made_cycle()
    assert left() is not None
    request_finished.send(sender=None)
    assert left() is None


def test_survivors_of_a_request_are_not_scanned_each_time(between_requests: None) -> None:
    made = [[number] for number in range(10_000)]
    request_finished.send(sender=None)
    assert len(gc.get_objects(generation=0)) < len(made)


def test_survivors_of_a_request_are_scanned_again_later(between_requests: None) -> None:
    held = made_cycle()
    cycle = held()
    request_finished.send(sender=None)
    del cycle
    for _ in range(garbage_collection._SECOND_LOOK):
        assert held() is not None
        request_finished.send(sender=None)
    assert held() is None
