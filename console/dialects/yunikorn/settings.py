"""The properties of queues and the settings of the service: their values and defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from console.engine.disciplines.hierarchy import properties
from console.engine.disciplines.hierarchy.properties import (
    SortPolicy,
    read_count,
    read_delay,
    read_offset,
)
from console.engine.model.go_durations import go_nanoseconds

_SECONDS: Final = "a duration above 0, such as 30s or 5m"
_FLAGS: Final = ("1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting with texts as values."""

    #: What it does, as a sentence.
    about: str
    default: str
    #: Its values in words.
    takes: str
    is_valid: Callable[[str], bool]
    #: All values, if there are only some.
    words: tuple[str, ...] = ()
    #: Whether it has effect in queues without others below them only.
    is_of_leaf: bool = False


def _one_of(*words: str) -> Callable[[str], bool]:
    return lambda text: text in words


def _is_duration(text: str) -> bool:
    return read_delay(text) is not None


def _is_duration_or_zero(text: str) -> bool:
    found = go_nanoseconds(text)
    return found is not None and found >= 0


def _is_count(text: str) -> bool:
    return read_count(text) is not None


def _is_offset(text: str) -> bool:
    return read_offset(text) is not None


_SORTS: Final = (SortPolicy.FIFO.value, SortPolicy.FAIR.value, "stateaware")
_PRIORITY_SORTS: Final = ("enabled", "disabled")
_PRIORITY_POLICIES: Final = ("default", "fence")
_PREEMPTION_POLICIES: Final = ("default", "fence", "disabled")

#: Properties of queues.
PROPERTIES: Final[Mapping[str, Setting]] = {
    properties.SORT_POLICY: Setting(
        about="The order of the applications of a queue: by submission, or by share of the "
        "guarantee in use. stateaware is another word for fifo.",
        default=SortPolicy.FIFO.value,
        takes="fifo, fair or stateaware",
        is_valid=_one_of(*_SORTS),
        words=_SORTS,
        is_of_leaf=True,
    ),
    properties.SORT_PRIORITY: Setting(
        about="Whether higher priorities come first.",
        default="enabled",
        takes="enabled or disabled",
        is_valid=_one_of(*_PRIORITY_SORTS),
        words=_PRIORITY_SORTS,
    ),
    properties.PRIORITY_POLICY: Setting(
        about="With fence, priorities below the queue have no effect above it.",
        default="default",
        takes="default or fence",
        is_valid=_one_of(*_PRIORITY_POLICIES),
        words=_PRIORITY_POLICIES,
    ),
    properties.PRIORITY_OFFSET: Setting(
        about="Added to the priority of the queue in the one above it.",
        default="0",
        takes="a whole number of 32 bits",
        is_valid=_is_offset,
    ),
    properties.PREEMPTION_POLICY: Setting(
        about="With fence, its applications preempt others in it and below it only; with disabled, "
        "they are not preempted.",
        default="default",
        takes="default, fence or disabled",
        is_valid=_one_of(*_PREEMPTION_POLICIES),
        words=_PREEMPTION_POLICIES,
    ),
    properties.PREEMPTION_DELAY: Setting(
        about="How long an ask waits before it preempts.",
        default="30s",
        takes=_SECONDS,
        is_valid=_is_duration,
        is_of_leaf=True,
    ),
    properties.QUOTA_PREEMPTION_DELAY: Setting(
        about="How long after its maximum was lowered a queue stops pods above it; 0s is never.",
        default="0s",
        takes="a duration, such as 30s or 5m",
        is_valid=_is_duration_or_zero,
    ),
    properties.BACKOFF: Setting(
        about="The number of asks without room after which an application pauses; 0 is never.",
        default="0",
        takes="a whole number, 0 or more",
        is_valid=_is_count,
        is_of_leaf=True,
    ),
    properties.BACKOFF_DELAY: Setting(
        about="How long the application pauses.",
        default="30s",
        takes=_SECONDS,
        is_valid=_is_duration,
        is_of_leaf=True,
    ),
}


def _count(about: str, default: str) -> Setting:
    return Setting(
        about=about, default=default, takes="a whole number, 0 or more", is_valid=_is_count
    )


#: Settings of the service, which a ConfigMap has beside the config.
SERVICE_SETTINGS: Final[Mapping[str, Setting]] = {
    "event.trackingEnabled": Setting(
        about="Whether events are recorded.",
        default="true",
        takes="true or false",
        is_valid=_one_of(*_FLAGS),
    ),
    "event.requestCapacity": _count("The most requests with events.", "1000"),
    "event.ringBufferCapacity": _count("The most recorded events.", "100000"),
    "event.maxStreams": _count("The most streams of events.", "100"),
    "event.maxStreamsPerHost": _count("The most streams of events of one host.", "15"),
    "event.RESTResponseSize": _count("The most events of one answer.", "10000"),
    "health.checkInterval": Setting(
        about="The time between two checks of the service.",
        default="30s",
        takes="a duration, such as 30s or 5m",
        is_valid=_is_duration_or_zero,
    ),
}
#: Beginnings of the other settings of YuniKorn's service.
OTHER_SETTINGS: Final = ("service.", "log.", "kubernetes.", "admissionController.")
