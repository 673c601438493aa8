"""The garbage collector of a process: seldom, for hardly anything is in a cycle."""

from __future__ import annotations

import gc
import os
from pathlib import Path

from django.core.signals import request_finished

#: Objects made, beyond those that went, between two looks for cycles among the youngest.
#: The default of 700 looks at the same living workloads thousands of times a second.
_YOUNGEST = 50_000


def collect_seldom() -> None:
    """
    Let Python look for unreachable cycles seldom.

    An engine makes many objects that live as long as a workload, and a web process keeps
    what configs compile to; both make hardly any cycles. Whatever is in no cycle is freed at
    once anyway.
    """
    gc.set_threshold(_YOUNGEST, 20, 20)


#: Requests after which those are looked at again that outlived their own.
_SECOND_LOOK = 500


def collect_between_requests() -> None:
    """
    Look for cycles among the youngest when an answer is sent, so that no page waits for it.

    After every request, whatever it left: a check of a config puts as many objects into the
    caches as it takes out of them, so counting what is new would not tell how many are young.
    """
    request_finished.connect(_after_request)


#: Bytes by which a process may grow until everything is looked at again.
_GROWTH = 64 * 1024 * 1024


def collect_after_large_requests() -> None:
    """
    Also look for cycles among what was made during a request, in a process of expensive ones.

    An explanation makes states of tens of thousands of objects, whose trees and queues refer to
    each other. They live through many looks at the youngest until their request ends, and would
    then stay for hundreds of requests. Call it where requests are few and may take long.
    """
    grown_to = _resident()

    def collect(**_: object) -> None:
        nonlocal grown_to
        gc.collect(1)
        if _resident() > grown_to + _GROWTH:
            gc.collect()
            grown_to = _resident()

    # Signals hold on to what they call only weakly.
    request_finished.connect(collect, weak=False)


def _resident() -> int:
    """Return how many bytes of this process are in memory."""
    pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _after_request(**_: object) -> None:
    gc.collect(1 if gc.get_count()[1] >= _SECOND_LOOK else 0)
