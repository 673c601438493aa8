"""
Registry of reasons: the codes that say why a workload is running, pending, preempted or rejected.

The module that produces a reason registers it. Lists, pages and the API read reasons from this
registry, so that a new reason needs no change anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache
from importlib import import_module
from typing import Any, Final, Self, TypeAlias

#: Maximum length of a code, which is the length of the columns that store codes.
LONGEST_CODE: Final = 32

_CODE: Final = re.compile(r"[a-z][a-z0-9_]*")


class ReasonClass(StrEnum):
    """The class of a reason, by which lists filter and pages choose colors."""

    RUNNING = "running"
    REJECTED = "rejected"
    CANNOT_RUN = "cannot_run"
    HELD = "held"
    SOON = "soon"
    WAITING = "waiting"
    UNSEEN = "unseen"
    PREEMPTED = "preempted"
    ENDED = "ended"
    #: The code is not registered: the discipline that stored it is no longer installed.
    UNKNOWN = "unknown"

    @property
    def is_pending(self) -> bool:
        """Whether every workload with a reason of this class is pending."""
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
    """How long capacity is short for a pending workload."""

    #: It fits the config, but running workloads use the capacity that it needs.
    NOW = "now"
    #: It requests more than the config can ever provide.
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionGrant:
    """
    The preemption policy that lets a workload preempt workloads of other queues.

    The texts are formats. Those of events have the fields of `event_sentence`.
    """

    #: Returns the policy from the preemption settings of the preemptor's queue.
    rule: Callable[[Any], StrEnum]
    #: Description of the policy: {queue} of the preemptor, {whom} it may preempt.
    words: str
    #: Sentence about a candidate: {queue} of the candidate, {shares} of both queues.
    target: str
    #: Sentence of the event of the preempted workload.
    preempted_event: str
    #: Sentence of the event of the preemptor; None: the usual one about reclaimed quota.
    reclaim_event: str | None = None


#: One sentence: a format with the {queue} of the workload, or a function of the `ExplainContext`.
Headline: TypeAlias = str | Callable[[Any], str]


class Reason(str):
    """
    The reason of a decision: a stable code, which rows, JSON and URLs store as text.

    `reason_of` returns the reason of a stored code.
    """

    #: Title in lists.
    label: str
    reason_class: ReasonClass
    #: What the submitter can do; "" when nothing is needed.
    advice: str
    #: None: `explain.headline` has the sentence, or the label is sufficient.
    headline: Headline | None
    #: Whether the workload cannot start however much quota other workloads release. Lists and
    #: sums count its requests apart from the demand that capacity could serve.
    cannot_run: bool
    shortage: Shortage | None
    preemption_grant: PreemptionGrant | None
    #: Whether it is stored in the rows of pending workloads, not in the row of their class.
    is_of_workload: bool
    #: Whether the workload is deactivated: it waits for its activation, so that its requests are
    #: no demand, although the config could let it start.
    is_deactivated: bool
    #: Of a rejection: whether the workload was rejected for lack of capacity at that time, so that
    #: the same changes help as for a pending one, when it is submitted again.
    depends_on_capacity: bool
    #: Sentence of the event that it is the reason of a running workload now, whose pods stay where
    #: they are: a format with its {name}.
    pods_event: str

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
        preemption_grant: PreemptionGrant | None = None,
        is_of_workload: bool = False,
        is_deactivated: bool = False,
        depends_on_capacity: bool = False,
        pods_event: str = "The pods of {name} stay where they are.",
    ) -> Self:
        """Create a reason; *cannot_run* is determined by the class unless it is given."""
        self = super().__new__(cls, code)
        self.label = label
        self.reason_class = reason_class
        self.advice = advice
        self.headline = headline
        never = reason_class is ReasonClass.CANNOT_RUN
        self.cannot_run = never if cannot_run is None else cannot_run
        self.shortage = shortage
        self.preemption_grant = preemption_grant
        self.is_of_workload = is_of_workload
        self.is_deactivated = is_deactivated
        self.depends_on_capacity = depends_on_capacity
        self.pods_event = pods_event
        return self

    @property
    def has_position(self) -> bool:
        """Whether a pending workload with this reason has a position in its queue."""
        return not (self.cannot_run or self.is_deactivated)

    def __reduce__(self) -> tuple[Callable[[str], Reason], tuple[str]]:
        """Make copies and pickles return the registered instance, so that `is` works."""
        return reason_of, (str(self),)


_REGISTERED: Final[dict[str, Reason]] = {}


def register(reason: Reason) -> Reason:
    """
    Register *reason* and return it.

    Raises ValueError when its code is taken, too long, or has other characters than a name.
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
    """Remove *reason* from the registry, as if its discipline were not installed."""
    del _REGISTERED[reason]


def reason_of(code: str) -> Reason:
    """
    Return the reason with *code*.

    A code that is not registered becomes a reason of the class UNKNOWN with the code as its label,
    because rows outlive the disciplines that wrote them.
    """
    found = _REGISTERED.get(code)
    if found is None:
        _load_producers()
        found = _REGISTERED.get(code)
    return found or Reason(code, label=code, reason_class=ReasonClass.UNKNOWN)


def registered_reasons() -> tuple[Reason, ...]:
    """Return all reasons, sorted by class and then by code."""
    _load_producers()
    order = list(ReasonClass)
    return tuple(
        sorted(_REGISTERED.values(), key=lambda each: (order.index(each.reason_class), each))
    )


@cache
def _load_producers() -> None:
    """Import the modules that register reasons, including those of all disciplines."""
    import_module("console.engine.model.common_reasons")
    import_module("console.engine.routing.reasons")
    import_module("console.engine.disciplines").load_reasons()
