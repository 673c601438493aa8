"""Memory that a web process returns after large requests."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections

from console.server import memory
from tests.platform.test_garbage_collection import made_cycle

#: Allocates large buffers between small ones that stay, frees the large ones, and prints the growth
#: of the resident memory in MiB since the start.
_PROGRAM = """
import sys
import psutil
from console.server.memory import return_large_buffers

def resident():
    return psutil.Process().memory_info().rss >> 20

if sys.argv[1] == "returns":
    return_large_buffers()
# The C library learns from it that buffers of this size come and go.
large = bytearray(512 * 1024)
del large
before, large, small = resident(), [], []
for _ in range(400):
    large.append(bytearray(b"x") * 400_000)
    small.append(bytearray(b"x") * 2_000)
large.clear()
print(resident() - before)
"""


def _memory_growth(how: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, how], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_memory_of_large_buffers_is_returned() -> None:
    assert _memory_growth("keeps") > 100
    assert _memory_growth("returns") < 10


@pytest.fixture
def after_large_requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Collect as in a process of expensive requests; the list holds its memory in use."""
    resident = [100 * 2**20]
    monkeypatch.setattr(memory, "_resident", lambda: resident[0])
    receivers = list(request_finished.receivers)
    request_finished.disconnect(close_old_connections)
    memory.collect_after_large_requests()
    gc.disable()
    gc.collect()
    yield resident
    gc.enable()
    request_finished.receivers = receivers
    request_finished.sender_receivers_cache.clear()


def test_survivors_of_a_collection_during_a_request_are_freed_after_it(
    after_large_requests: list[int],
) -> None:
    left = made_cycle()
    held = left()
    gc.collect(0)
    del held
    assert left() is not None
    request_finished.send(sender=None)
    assert left() is None


def test_full_collection_runs_when_the_process_has_grown(
    after_large_requests: list[int],
) -> None:
    left = made_cycle()
    held = left()
    gc.collect(1)
    del held
    after_large_requests[0] += memory._GROWTH
    request_finished.send(sender=None)
    assert left() is not None
    after_large_requests[0] += 1
    request_finished.send(sender=None)
    assert left() is None
    # Growth counts from the present memory.
    again = made_cycle()
    held = again()
    gc.collect(1)
    del held
    request_finished.send(sender=None)
    assert again() is not None
