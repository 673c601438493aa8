"""Cache for the results of expensive functions of policies, limited by the size of the policies."""

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

#: Maximum number of objects in the policies of one cache, about a kilobyte each: enough for four
#: comparisons of ordinary configs. The last result is cached whatever its size.
MOST_OBJECTS = 40_000

#: Maximum number of cached results, however small.
MOST_RESULTS = 4


class IdentityKey(Generic[_T]):
    """
    A cache key for *value*, which is too large to compare; the key keeps the value alive.

    Keys are equal when they refer to the same object. Only for values that never change.
    """

    __slots__ = ("value",)

    def __init__(self, value: _T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


class CachedFunction(Generic[_P, _R]):
    """
    A function that caches the last results of *function* by the identity of its arguments.

    The cache keeps the arguments alive, too, so their total size limits it.
    """

    def __init__(self, function: Callable[_P, _R]) -> None:
        self.__doc__ = function.__doc__
        self._function = function
        self._lock = Lock()
        self._results: OrderedDict[tuple[IdentityKey[object], ...], _R] = OrderedDict()

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Return the result of *function*, from the cache if possible."""
        key = tuple(map(IdentityKey, args))
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        result = self._function(*args, **kwargs)
        with self._lock:
            self._results[key] = result
            while len(self._results) > 1 and (
                len(self._results) > MOST_RESULTS or sum(map(_weight, self._results)) > MOST_OBJECTS
            ):
                self._results.popitem(last=False)
        return result


def _weight(key: tuple[IdentityKey[object], ...]) -> int:
    """Return the number of objects in the policies of *key*."""
    return sum(_objects(each.value) for each in key if isinstance(each.value, Policy))


def _objects(policy: Policy) -> int:
    routing = local_routing_of(policy)
    local_queues = len(routing.local_queues) if routing is not None else 0
    return policy.spec.object_count + len(rules_of(policy)) + local_queues
