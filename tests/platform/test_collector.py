"""When the garbage collector looks for cycles in a process that serves."""

from __future__ import annotations

import gc
from collections.abc import Iterator

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


@pytest.mark.parametrize(("young", "looks"), [(1_000, False), (10_000, True)])
def test_an_answer_is_sent_before_cycles_are_looked_for(
    between_requests: None, young: int, looks: bool
) -> None:
    made = [[number] for number in range(young)]
    request_finished.send(sender=None)
    assert (gc.get_count()[0] < young) is looks
    assert len(made) == young
