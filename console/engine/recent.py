"""The last answers of a costly question about values that never change, bounded by their size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

from console.engine.policy import Policy
from console.engine.same import Same

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Objects of all policies that one question holds on to, about a kilobyte each: four comparisons of
#: ordinary configs. The last answer is kept whatever its size.
MOST_OBJECTS = 40_000

#: Answers that are kept, however small they are.
MOST_ANSWERS = 4


class Recent(Generic[_P, _R]):
    """
    Remembers the last answers of *ask*, found by the very objects that it was asked about.

    The memory holds on to those objects, too: what they weigh together bounds it.
    """

    def __init__(self, ask: Callable[_P, _R]) -> None:
        self.__doc__ = ask.__doc__
        self._ask = ask
        self._lock = Lock()
        self._kept: OrderedDict[tuple[Same[object], ...], _R] = OrderedDict()

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Return what *ask* answers."""
        key = tuple(map(Same, args))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        answer = self._ask(*args, **kwargs)
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > 1 and (
                len(self._kept) > MOST_ANSWERS or sum(map(_weight, self._kept)) > MOST_OBJECTS
            ):
                self._kept.popitem(last=False)
        return answer


def _weight(key: tuple[Same[object], ...]) -> int:
    """Return how many objects the policies of *key* have."""
    return sum(_objects(each.value) for each in key if isinstance(each.value, Policy))


def _objects(policy: Policy) -> int:
    routing = policy.local_routing
    doors = len(routing.local_queues) if routing is not None else 0
    return sum(map(len, (policy.flavors, policy.cohorts, policy.queues, policy.rules))) + doors
