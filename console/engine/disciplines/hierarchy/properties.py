"""Properties of queues: which ones a queue inherits, and the settings that follow from them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

from console.engine.model.go_durations import NANOSECONDS_IN_MILLISECOND, go_nanoseconds

SORT_POLICY: Final = "application.sort.policy"
SORT_PRIORITY: Final = "application.sort.priority"
PRIORITY_POLICY: Final = "priority.policy"
PRIORITY_OFFSET: Final = "priority.offset"
PREEMPTION_POLICY: Final = "preemption.policy"
PREEMPTION_DELAY: Final = "preemption.delay"
QUOTA_PREEMPTION_DELAY: Final = "quota.preemption.delay"
BACKOFF: Final = "application.unschedasks.backoff"
BACKOFF_DELAY: Final = "application.unschedasks.backoff.delay"

DEFAULT: Final = "default"
FENCE: Final = "fence"
DISABLED: Final = "disabled"

#: Milliseconds.
DEFAULT_DELAY: Final = 30_000

_INTEGER: Final = re.compile(r"([+-]?)0*([0-9]{1,20})", re.ASCII)
_LEAST_OFFSET: Final = -(2**31)
_MOST_OFFSET: Final = 2**31 - 1
_MOST_COUNT: Final = 2**64 - 1


class SortPolicy(StrEnum):
    """The order of the members of a queue among those of one priority."""

    #: By time of submission.
    FIFO = auto()
    #: By share of the guarantee in use.
    FAIR = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSettings:
    """What the properties of a queue set; durations are in milliseconds."""

    sort: SortPolicy = SortPolicy.FIFO
    #: Whether members with a higher priority come first.
    sorts_by_priority: bool = True
    #: Whether priorities below have no effect above.
    is_priority_fence: bool = False
    #: Added to the priority of the queue in the one above it.
    priority_offset: int = 0
    #: Whether its applications may preempt others, and others its own.
    preempts: bool = True
    #: Whether its applications may only preempt others in it and below it.
    is_preemption_fence: bool = False
    #: How long an ask waits before it preempts.
    preemption_delay: int = DEFAULT_DELAY
    #: How long after its maximum was lowered a queue stops pods above it; 0: it stops none.
    quota_preemption_delay: int = 0
    #: The number of asks without room after which an application pauses; 0: it never does.
    backoff: int = 0
    #: How long it pauses.
    backoff_delay: int = DEFAULT_DELAY


def merged_properties(own: Mapping[str, str], above: Mapping[str, str]) -> dict[str, str]:
    """
    Return the properties of a configured queue, of its own ones and those of the queue *above*.

    >>> merged_properties({"x": "1"}, {"x": "2", "priority.offset": "5", "preemption.delay": "1s"})
    {'x': '1', 'priority.offset': '0', 'preemption.delay': '1s'}
    """
    return {name: _inherited(name, value) for name, value in above.items()} | dict(own)


def _inherited(name: str, value: str) -> str:
    if name == PRIORITY_POLICY:
        return DEFAULT
    if name == PRIORITY_OFFSET:
        return "0"
    if name == PREEMPTION_POLICY and value != DISABLED:
        return DEFAULT
    return value


def settings_of(properties: Mapping[str, str], *, is_leaf: bool) -> QueueSettings:
    """Return the settings of a queue; those with values that have no meaning are the defaults."""
    preemption = properties.get(PREEMPTION_POLICY)
    is_fair = not is_leaf or properties.get(SORT_POLICY) == SortPolicy.FAIR
    return QueueSettings(
        sort=SortPolicy.FAIR if is_fair else SortPolicy.FIFO,
        sorts_by_priority=properties.get(SORT_PRIORITY) != DISABLED,
        is_priority_fence=properties.get(PRIORITY_POLICY) == FENCE,
        priority_offset=read_offset(properties.get(PRIORITY_OFFSET, "")) or 0,
        preempts=preemption != DISABLED,
        is_preemption_fence=preemption == FENCE,
        preemption_delay=_delay_of_leaf(properties, PREEMPTION_DELAY, is_leaf=is_leaf),
        quota_preemption_delay=read_delay(properties.get(QUOTA_PREEMPTION_DELAY, "")) or 0,
        backoff=(read_count(properties.get(BACKOFF, "")) or 0) if is_leaf else 0,
        backoff_delay=_delay_of_leaf(properties, BACKOFF_DELAY, is_leaf=is_leaf),
    )


def _delay_of_leaf(properties: Mapping[str, str], name: str, *, is_leaf: bool) -> int:
    found = read_delay(properties.get(name, "")) if is_leaf else None
    return found or DEFAULT_DELAY


def read_offset(text: str) -> int | None:
    """
    Return a priority offset; None if *text* is not an integer of 32 bits.

    >>> read_offset("-7"), read_offset("+007"), read_offset("2147483648")
    (-7, 7, None)
    """
    found = _integer(text)
    return found if found is not None and _LEAST_OFFSET <= found <= _MOST_OFFSET else None


def read_count(text: str) -> int | None:
    """
    Return a count; None if *text* is not a natural number of 64 bits.

    >>> read_count("3"), read_count("-1"), read_count("x")
    (3, None, None)
    """
    found = None if text.startswith(("+", "-")) else _integer(text)
    return found if found is not None and found <= _MOST_COUNT else None


def read_delay(text: str) -> int | None:
    """
    Return a delay in milliseconds, rounded up; None if *text* is no duration of Go above 0.

    >>> read_delay("1m30s"), read_delay("1ns"), read_delay("0s"), read_delay("90")
    (90000, 1, None, None)
    """
    found = go_nanoseconds(text)
    return None if found is None or found <= 0 else -(-found // NANOSECONDS_IN_MILLISECOND)


def _integer(text: str) -> int | None:
    found = _INTEGER.fullmatch(text)
    return int(found[1] + found[2]) if found else None
