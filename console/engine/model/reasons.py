"""
Reasons: why a workload is where it is, as codes with all that is known of them.

A reason is registered by the module that produces it. Lists, pages and the API read it from this
registry, so that a new one needs no change anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache
from importlib import import_module
from typing import Any, Final, Self, TypeAlias

#: Columns that hold codes are as long.
LONGEST_CODE: Final = 32

_CODE: Final = re.compile(r"[a-z][a-z0-9_]*")


class ReasonClass(StrEnum):
    """What kind of answer a reason is, for people, for lists and for color."""

    RUNNING = "running"
    REJECTED = "rejected"
    CANNOT_RUN = "cannot_run"
    HELD = "held"
    SOON = "soon"
    WAITING = "waiting"
    UNSEEN = "unseen"
    PREEMPTED = "preempted"
    ENDED = "ended"
    #: Of a code that is not registered: the scheduler that stored it is no longer installed.
    UNKNOWN = "unknown"

    @property
    def is_pending(self) -> bool:
        """Whether workloads with such a reason are pending, all of them."""
        return self in _PENDING


_PENDING: Final = frozenset(
    {
        ReasonClass.CANNOT_RUN,
        ReasonClass.HELD,
        ReasonClass.SOON,
        ReasonClass.WAITING,
        ReasonClass.UNSEEN,
    }
)


class Shortage(Enum):
    """When a pending workload lacks capacity."""

    #: It fits the config, and running workloads use what it needs.
    NOW = "now"
    #: It requests more than the config can ever provide.
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionRight:
    """
    The right by which a workload of another queue is preempted.

    Its texts are formats. Those of events have the fields of `event_sentence`.
    """

    #: The preemption settings of the preemptor's queue -> the rule that grants the right.
    rule: Callable[[Any], StrEnum]
    #: What the right is: {queue} of the preemptor, {whom} it may preempt.
    words: str
    #: What is said of a candidate: {queue} of the candidate, {shares} of both queues.
    target: str
    #: The event of the workload that is preempted.
    preempted_event: str
    #: The event of the preemptor; None: it takes back quota.
    reclaim_event: str | None = None


#: One sentence, as a format with the {queue} of the workload, or what makes it of the `Telling`.
Headline: TypeAlias = str | Callable[[Any], str]


class Reason(str):
    """
    Why a workload is where it is: a stable code, which rows, JSON and addresses hold as text.

    Codes of stored rows become reasons by `reason_of`.
    """

    #: Short words for lists.
    label: str
    reason_class: ReasonClass
    #: What the submitter can do; "" when nothing is needed.
    advice: str
    #: None: the shell has its own sentence for it, or the label is all there is to say.
    headline: Headline | None
    #: Whether no end or release of other workloads lets such a pending workload start. Lists and
    #: sums count it apart from the demand that capacity could serve.
    cannot_run: bool
    shortage: Shortage | None
    right: PreemptionRight | None
    #: Whether pending workloads have it in rows of their own, not in the row of their class.
    is_of_workload: bool

    def __new__(
        cls,
        code: str,
        *,
        label: str,
        reason_class: ReasonClass,
        advice: str = "",
        headline: Headline | None = None,
        cannot_run: bool | None = None,
        shortage: Shortage | None = None,
        right: PreemptionRight | None = None,
        is_of_workload: bool = False,
    ) -> Self:
        """Return a reason; *cannot_run* follows from the class unless it is given."""
        self = super().__new__(cls, code)
        self.label = label
        self.reason_class = reason_class
        self.advice = advice
        self.headline = headline
        never = reason_class is ReasonClass.CANNOT_RUN
        self.cannot_run = never if cannot_run is None else cannot_run
        self.shortage = shortage
        self.right = right
        self.is_of_workload = is_of_workload
        return self

    def __reduce__(self) -> tuple[Callable[[str], Reason], tuple[str]]:
        """Let copies stay the one instance, so that `is` compares reasons."""
        return reason_of, (str(self),)


_REGISTERED: Final[dict[str, Reason]] = {}


def register(reason: Reason) -> Reason:
    """
    Add *reason* to the reasons of the product and return it.

    Raises ValueError when its code is taken, or is no name of at most 32 characters.
    """
    if len(reason) > LONGEST_CODE or _CODE.fullmatch(reason) is None:
        raise ValueError(
            f"the code of a reason has at most {LONGEST_CODE} small letters, digits and "
            f"underscores: {reason!r}"
        )
    if reason in _REGISTERED:
        raise ValueError(f"the reason {reason!r} is registered already")
    _REGISTERED[str(reason)] = reason
    return reason


def unregister(reason: Reason) -> None:
    """Remove *reason*, as if the scheduler that has it were not installed."""
    del _REGISTERED[reason]


def reason_of(code: str) -> Reason:
    """
    Return the reason with *code*.

    One that is not registered is labelled by its code and has the class UNKNOWN: rows outlive the
    schedulers that wrote them.
    """
    found = _REGISTERED.get(code)
    if found is None:
        _load_producers()
        found = _REGISTERED.get(code)
    return found or Reason(code, label=code, reason_class=ReasonClass.UNKNOWN)


def registered_reasons() -> tuple[Reason, ...]:
    """Return all reasons, in the order of their classes and then by code."""
    _load_producers()
    order = list(ReasonClass)
    return tuple(
        sorted(_REGISTERED.values(), key=lambda each: (order.index(each.reason_class), each))
    )


@cache
def _load_producers() -> None:
    """Import the modules that register reasons; those of disciplines are found by their folder."""
    import_module("console.engine.model.common_reasons")
    import_module("console.engine.routing.reasons")
    import_module("console.engine.disciplines").load_reasons()
