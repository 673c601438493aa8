"""
The capacity of queues as their discipline computes it, from the config and from usage rows.

Pages ask for the same again and again, so what was computed last of a policy is kept.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import Capacity, Used
from console.engine.model.policy import Policy

#: Policies of which the capacity that was asked for last is kept.
_KEPT: Final = 16

_kept: OrderedDict[int, Capacity] = OrderedDict()
_keeping = Lock()


def capacity_of(policy: Policy, used: Used) -> Capacity:
    """
    Return the capacity of *policy* with what is *used*, which must not be changed afterwards.

    It is the one returned last for this very policy, if as much was used then.
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
