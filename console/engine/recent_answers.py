"""Cache of recent answers to a costly question about immutable values, bounded by their size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

from console.engine.model.policy import Policy
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.rule_routing import rules_of

_P = ParamSpec("_P")
_T = TypeVar("_T")
_R = TypeVar("_R")

#: Objects of all policies that one cache holds, about a kilobyte each: four comparisons of
#: ordinary configs. The last answer is kept whatever its size.
MOST_OBJECTS = 40_000

#: Maximum number of cached answers, however small.
MOST_ANSWERS = 4


class IdentityKey(Generic[_T]):
    """
    Stands for *value*, which is too large to compare, in the keys of a cache, and keeps it alive.

    Two are equal when they refer to one object. Only for values that never change.
    """

    __slots__ = ("value",)

    def __init__(self, value: _T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


class Recent(Generic[_P, _R]):
    """
    Caches the last answers of *ask*, by the identity of its arguments.

    The cache keeps the arguments alive, too: their total weight bounds it.
    """

    def __init__(self, ask: Callable[_P, _R]) -> None:
        self.__doc__ = ask.__doc__
        self._ask = ask
        self._lock = Lock()
        self._kept: OrderedDict[tuple[IdentityKey[object], ...], _R] = OrderedDict()

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Return the answer of *ask*."""
        key = tuple(map(IdentityKey, args))
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


def _weight(key: tuple[IdentityKey[object], ...]) -> int:
    """Return the number of objects in the policies of *key*."""
    return sum(_objects(each.value) for each in key if isinstance(each.value, Policy))


def _objects(policy: Policy) -> int:
    routing = local_routing_of(policy)
    local_queues = len(routing.local_queues) if routing is not None else 0
    return policy.spec.object_count + len(rules_of(policy)) + local_queues
