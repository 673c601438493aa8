"""The garbage collector of a process: seldom, for hardly anything is in a cycle."""

from __future__ import annotations

import gc

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


def _after_request(**_: object) -> None:
    gc.collect(1 if gc.get_count()[1] >= _SECOND_LOOK else 0)
