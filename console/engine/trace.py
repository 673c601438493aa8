"""
The trace: the ordered facts that led to a decision, as values.

A trace holds no sentences; `explain` writes those. It is stored with the
decision, so `TRACE_VERSION` grows with every change of its shape and the
decoder keeps reading older shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from console.engine.amounts import Amount, Unlimited, decode_amount, encode_amount
from console.engine.decision import Outcome, Reason
from console.engine.origin import Origin

TRACE_VERSION = 1


class RuleVerdict(StrEnum):
    """How one routing rule judged the workload."""

    TOOK = "took"
    SELECTOR_FALSE = "selector_false"
    PRIORITY_OUT_OF_RANGE = "priority_out_of_range"


class FlavorVerdict(StrEnum):
    """How one flavor of a resource group judged the workload, best last."""

    SELECTOR_FALSE = "selector_false"
    #: More than the queue can ever have of this flavor.
    EXCEEDS_MAX = "exceeds_max"
    #: Would fit if others stopped, and nobody may be stopped for it.
    NO_CANDIDATES = "no_candidates"
    #: Fits when some running workloads of the queue stop.
    PREEMPT = "preempt"
    #: Fits when workloads that were already told to stop have stopped.
    WAITS_FOR_PREEMPTED = "waits_for_preempted"
    FITS = "fits"
    #: A flavor before it was taken, so this one was not looked at.
    NOT_REACHED = "not_reached"


class CandidateVerdict(StrEnum):
    """Why a running workload was or was not chosen to stop."""

    TARGET = "target"
    #: Would have been stopped, but the others free enough.
    NOT_NEEDED = "not_needed"
    PRIORITY_NOT_LOWER = "priority_not_lower"
    #: Holds nothing of the flavors and resources that are short.
    OTHER_CAPACITY = "other_capacity"
    #: Even with every candidate stopped there is not enough room.
    NOT_ENOUGH = "not_enough"
    #: Already on its way out; the room it leaves is counted as free or promised.
    DEPARTING = "departing"


class PreemptionVerdict(StrEnum):
    """How the search for room by preemption ended."""

    FOUND = "found"
    #: The queue's policy stops nobody.
    NOT_ALLOWED = "not_allowed"
    #: Stopping every candidate would still not make enough room.
    NOT_ENOUGH = "not_enough"


class PriorityVerdict(StrEnum):
    """Where the effective priority comes from."""

    REQUESTED = "requested"
    DEFAULT = "default"
    #: No request and no default: zero.
    ZERO = "zero"
    #: Moved to the nearer end of the range.
    FORCED = "forced"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedExpression:
    """The first false expression of a selector; *actual* None: the label is absent."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    actual: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTried:
    """One routing rule that was looked at."""

    index: int
    queue: str
    verdict: RuleVerdict
    failed: FailedExpression | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityStep:
    """How the requested priority became the effective one, under the policy of *rule*."""

    rule: int
    requested: int | None
    #: None when the rule refused the requested priority.
    effective: int | None
    verdict: PriorityVerdict | None
    default: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStep:
    """The queue the workload was routed to."""

    name: str
    passthrough: bool
    held: bool = False
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaCheck:
    """The arithmetic for one resource in one flavor; amounts in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: What the queue's running workloads hold.
    used: int
    #: Free quota that is promised to workloads whose preempted ones have yet to stop.
    promised: int
    #: What may be used now, never below zero.
    available: Amount
    #: What could be used if nothing ran.
    maximum: Amount
    #: requested - available, when positive.
    missing: int
    verdict: FlavorVerdict
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorTried:
    """One flavor of a resource group, in listed order."""

    flavor: str
    verdict: FlavorVerdict
    failed: FailedExpression | None = None
    checks: tuple[QuotaCheck, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStep:
    """The walk over one resource group's flavors."""

    resources: tuple[str, ...]
    flavors: tuple[FlavorTried, ...]
    #: The flavor taken, or the best one found when none fits; None when none can.
    chosen: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A running workload that the preemption search looked at."""

    workload: str
    priority: int
    verdict: CandidateVerdict
    #: What it holds of the flavor-resources that are short, in thousandths, as "flavor/resource".
    frees: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionStep:
    """The search for running workloads to stop."""

    rule: str
    verdict: PreemptionVerdict
    candidates: tuple[Candidate, ...] = ()
    #: Candidates beyond those listed.
    more_candidates: int = 0
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderStep:
    """The place in the queue's order: priority first, then submission."""

    #: From 1.
    position: int
    pending: int
    #: Pending workloads that are alike and wait together, this one included.
    alike: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptedStep:
    """Why a running workload has to stop: for whom, and under which setting."""

    preemptor: str
    preemptor_priority: int
    preemptor_requests: Mapping[str, int]
    rule: str
    queue: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeStep:
    """What came of it."""

    outcome: Outcome
    reason: Reason
    #: Resource -> flavor.
    assignment: Mapping[str, str]
    #: Ids of workloads that have to stop first.
    victims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The facts behind one decision in the order of finding; a stage not reached is empty."""

    workload: str
    labels: Mapping[str, str]
    requests: Mapping[str, int]
    requested_priority: int | None
    rules: tuple[RuleTried, ...] = ()
    #: One for each rule whose selector held; a rule that refuses the priority passes it on.
    priorities: tuple[PriorityStep, ...] = ()
    queue: QueueStep | None = None
    groups: tuple[GroupStep, ...] = ()
    #: Requested resources that no group of the queue covers: not limited.
    uncovered: tuple[str, ...] = ()
    preemption: PreemptionStep | None = None
    preempted: PreemptedStep | None = None
    order: OrderStep | None = None
    outcome: OutcomeStep


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """Return *trace* as plain JSON values, with its version; empty fields are left out."""
    return {"version": TRACE_VERSION, **_encode(trace)}


def trace_from_json(stored: Mapping[str, Any]) -> Trace:
    """
    Return the trace that `trace_to_json` wrote.

    Raises ValueError when the version is newer than this code.
    """
    version = stored.get("version")
    if version != TRACE_VERSION:
        raise ValueError(f"trace version {version} is not known; this code reads {TRACE_VERSION}")
    trace: Trace = _decode(Trace, stored)
    return trace


def _encode(value: Any) -> Any:
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, Origin):
        return [value.line, value.column, value.end_line, value.end_column]
    if isinstance(value, Unlimited):
        return encode_amount(value)
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    encoded = {}
    kind: Any = type(value)
    for name, default in _fields_of(kind):
        item = getattr(value, name)
        if item != default:
            encoded[name] = _encode(item)
    return encoded


@cache
def _fields_of(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in fields(kind))


@cache
def _hints_of(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _decode(hint: Any, stored: Any) -> Any:
    if hint is Origin:
        return Origin(*stored)
    if hint == Amount:
        return decode_amount(stored)
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        return None if stored is None else _decode(inner[0], stored)
    if origin is tuple:
        return tuple(_decode(get_args(hint)[0], item) for item in stored)
    if origin is not None:
        return dict(stored)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(stored)
    return _decode_fields(hint, stored) if is_dataclass(hint) else stored


def _decode_fields(kind: Any, stored: Any) -> Any:
    hints = _hints_of(kind)
    names = [name for name, _ in _fields_of(kind) if name in stored]
    return kind(**{name: _decode(hints[name], stored[name]) for name in names})
