"""
The capacity of queues, computed by their discipline from the config and usage rows.

Pages request the same capacity repeatedly, so the last result of each policy is cached.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import Capacity, Used
from console.engine.model.policy import Policy

#: Maximum number of policies with a cached capacity.
_KEPT: Final = 16

_kept: OrderedDict[int, Capacity] = OrderedDict()
_keeping = Lock()


def capacity_of(policy: Policy, used: Used) -> Capacity:
    """
    Return the capacity of *policy* with *used*, which must not be changed afterwards.

    Returns the cached result for the same policy object if *used* is equal.
    """
    with _keeping:
        last = _kept.get(id(policy))
        if last is not None and last.policy is policy and last.used == used:
            _kept.move_to_end(id(policy))
            return last
    capacity = load_discipline(policy.discipline).capacity(policy, used)
    with _keeping:
        _kept[id(policy)] = capacity
        _kept.move_to_end(id(policy))
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return capacity
