"""
Settings of Python's garbage collector for web and worker processes.

Collections are rare, because hardly any object is part of a reference cycle.
"""

from __future__ import annotations

import gc

from django.core.signals import request_finished

#: Threshold of the youngest generation: allocated minus freed objects between two collections.
#: Python's default of 700 would examine the same live workloads thousands of times a second.
_YOUNGEST = 50_000


def collect_rarely() -> None:
    """
    Make Python's garbage collections rare.

    An engine makes many objects that live as long as a workload, and a web process keeps compiled
    configs. Both make hardly any reference cycles, and an object in no cycle is freed at once
    anyway.
    """
    gc.set_threshold(_YOUNGEST, 20, 20)


#: Requests after which objects that survived one collection are collected too.
_SECOND_LOOK = 500


def collect_between_requests() -> None:
    """
    Collect the youngest generation after each response, so that no page waits for a collection.

    It runs after every request, whatever the allocation count: a check of a config puts as many
    objects into the caches as it removes from them, so the count would not show how many are young.
    """
    request_finished.connect(_after_request)


def _after_request(**_: object) -> None:
    gc.collect(1 if gc.get_count()[1] >= _SECOND_LOOK else 0)
