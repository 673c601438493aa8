"""What two changes of one policy mean together, which a merged text is held to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from console.dialects.merging.lines import regions
from console.dialects.merging.orders import Orders
from console.dialects.merging.rules import number_rules
from console.engine.diff.plain import plain, plain_fields
from console.engine.model.policy import LocalQueueRouting, Policy

Key = TypeVar("Key")

#: Stands for what is not there.
_ABSENT = object()


class Contradiction(Exception):
    """Both sides changed the same thing, each in its own way."""


def meaning_of(policy: Policy) -> dict[str, Any]:
    """Return *policy* as plain data, which is equal for two exactly when they mean the same."""
    meaning: dict[str, Any] = plain_fields(policy, ("rules", "local_routing"))
    meaning["rules"] = [plain_fields(rule, ("index",)) for rule in policy.rules]
    routing = policy.local_routing
    meaning["local_routing"] = None if routing is None else _routing(routing)
    exact: dict[str, Any] = _exact(meaning)
    return exact


@dataclass(frozen=True, slots=True)
class Together:
    """What both changes mean together: rules apart by number, and all else as plain data."""

    _rest: Mapping[str, Any]
    _rules: Mapping[int, Any]
    _orders: Orders

    def is_meant_by(self, policy: Policy) -> bool:
        """Say whether *policy* means both changes, and nothing else."""
        meaning = meaning_of(policy)
        rules = meaning.pop("rules")
        if meaning != self._rest or len(rules) != len(self._rules):
            return False
        # Of equal rules any may be any.
        waiting: dict[str, list[int]] = {}
        for number in sorted(self._rules, reverse=True):
            waiting.setdefault(repr(self._rules[number]), []).append(number)
        found = []
        for rule, said in zip(policy.rules, rules, strict=True):
            numbers = waiting.get(repr(said))
            if not numbers:
                return False
            found.append((numbers.pop(), rule))
        return self._orders.allow(found)


def both_meanings(base: Policy, theirs: Policy, yours: Policy) -> Together | None:
    """Return what both changes of *base* mean together; None when they contradict each other."""
    meanings = [meaning_of(policy) for policy in (base, theirs, yours)]
    numbers = number_rules(base, theirs, yours)
    sides = [
        dict(zip(of, meaning.pop("rules"), strict=True))
        for of, meaning in zip(numbers, meanings, strict=True)
    ]
    try:
        return Together(_both(*meanings), _both_mappings(*sides), Orders(*numbers))
    except Contradiction:
        return None


def _routing(routing: LocalQueueRouting) -> dict[str, Any]:
    fields: dict[str, Any] = plain_fields(routing, ("local_queues",))
    fields["local_queues"] = {
        f"{namespace}/{name}": plain(local_queue)
        for (namespace, name), local_queue in routing.local_queues.items()
    }
    return fields


def _both(base: Any, theirs: Any, yours: Any) -> Any:
    if theirs in (base, yours):
        return yours
    if yours == base:
        return theirs
    if all(isinstance(each, Mapping) for each in (base, theirs, yours)):
        return _both_mappings(base, theirs, yours)
    if all(isinstance(each, list) for each in (base, theirs, yours)):
        return _both_lists(base, theirs, yours)
    raise Contradiction


def _both_mappings(
    base: Mapping[Key, Any], theirs: Mapping[Key, Any], yours: Mapping[Key, Any]
) -> dict[Key, Any]:
    merged = {
        key: _both(base.get(key, _ABSENT), theirs.get(key, _ABSENT), yours.get(key, _ABSENT))
        for key in dict.fromkeys((*base, *theirs, *yours))
    }
    return {key: value for key, value in merged.items() if value is not _ABSENT}


def _both_lists(base: list[Any], theirs: list[Any], yours: list[Any]) -> list[Any]:
    # Sequences are matched by what can be hashed; an item is looked up by its words.
    items = {repr(item): item for item in (*base, *theirs, *yours)}
    sides = [[repr(item) for item in side] for side in (base, theirs, yours)]
    merged: list[str] = []
    for old, one, other in regions(*sides):
        if one in (old, other):
            merged += other
        elif other == old:
            merged += one
        elif len(base) == len(theirs) == len(yours):
            return [_both(*each) for each in zip(base, theirs, yours, strict=True)]
        else:
            raise Contradiction
    return [items[word] for word in merged]


def _exact(value: Any) -> Any:
    """Return plain data in which true is not 1, as `==` would have it."""
    if isinstance(value, Mapping):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return repr(value)
