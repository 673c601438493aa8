"""
The trace: the ordered facts that led to a decision, as values.

A trace holds no sentences; `explain` writes those. It is stored with the
decision, but for the rules that were tried, as `stored_trace` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.decision import Assignment, Outcome
from console.engine.model.origin import Origin
from console.engine.model.reasons import Reason
from console.engine.model.trace_sections import TraceSection
from console.engine.model.unsupported_settings import UnsupportedSetting


class RuleVerdict(StrEnum):
    """How one routing rule judged the workload."""

    TOOK = "took"
    SELECTOR_FALSE = "selector_false"
    PRIORITY_OUT_OF_RANGE = "priority_out_of_range"


class FlavorVerdict(StrEnum):
    """How one flavor of a resource group judged the workload, best last."""

    #: A group names it and the config does not describe it.
    FLAVOR_MISSING = "flavor_missing"
    SELECTOR_FALSE = "selector_false"
    TAINT_NOT_TOLERATED = "taint_not_tolerated"
    #: A node selector or a required affinity does not hold on its node labels.
    LABELS_DO_NOT_MATCH = "labels_do_not_match"
    #: Looked at again beside other victims, and this flavor was not the one first found.
    NOT_NOMINATED = "not_nominated"
    #: Looked at in an earlier turn; this turn began after it.
    PASSED_BEFORE = "passed_before"
    #: More than the queue can ever have of this flavor.
    EXCEEDS_MAX = "exceeds_max"
    #: More than is free, and the queue may not preempt for that much.
    NO_ROOM = "no_room"
    #: Would fit if others stopped, and nobody may be stopped for it.
    NO_CANDIDATES = "no_candidates"
    #: Fits when some running workloads stop, some of them of the same queue.
    PREEMPT = "preempt"
    #: Fits when some running workloads of other queues stop.
    RECLAIM = "reclaim"
    FITS = "fits"
    #: A flavor before it was taken, so this one was not looked at.
    NOT_REACHED = "not_reached"


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


class LocalQueueVerdict(StrEnum):
    """What became of the local queue and the priority class that a workload names."""

    LEADS = "leads"
    NOT_NAMED = "not_named"
    MISSING = "missing"
    STOPPED = "stopped"
    QUEUE_MISSING = "queue_missing"
    NAMESPACE_NOT_ALLOWED = "namespace_not_allowed"
    PRIORITY_CLASS_MISSING = "priority_class_missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueStep:
    """The local queue that a workload names by label or has by default, and where it leads."""

    namespace: str
    #: "" when the workload names none and its namespace has no default.
    name: str
    verdict: LocalQueueVerdict
    #: Name of the local queue that takes a workload which names none, where its namespace has it;
    #: only for such a workload, and only under a policy that has defaults.
    default: str | None = None
    #: The queue it leads to; None when it leads nowhere.
    queue: str | None = None
    #: The expression of the queue's namespace selector that does not hold.
    failed: FailedExpression | None = None
    #: Name of the priority class the workload asks for, and its value; None: no such class.
    priority_class: str | None = None
    priority: int | None = None
    priority_origin: Origin | None = None
    #: A name that is there and close to the one that is missing.
    nearest: str | None = None
    #: The label that would name it; only when the workload names none.
    label: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStep:
    """The queue the workload was routed to."""

    name: str
    passthrough: bool
    held: bool = False
    #: Stopped by its config.
    stopped: bool = False
    #: A flavor that one of its groups names and the config does not describe.
    missing_flavor: str | None = None
    #: Names of the cohorts above, the nearest first.
    path: tuple[str, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderStep:
    """The place in the queue's order: priority first, then submission."""

    #: Among those that could run, from 1; None for one that can never run.
    position: int | None = None
    #: How many wait that could run, this one included unless it can never run.
    pending: int
    #: Pending workloads that are alike and wait together, this one included.
    alike: int
    #: The queue is strict: nobody overtakes its first.
    strict: bool = False
    #: Id of the first of a strict queue, when it is another one.
    blocked_by: str | None = None
    #: How many of the queue can never run under the config, and have no position.
    cannot_run: int = 0


class TurnVerdict(StrEnum):
    """Why a workload that was found admissible, or near it, did not start in its turn."""

    #: Others took the room earlier in the same cycle, or hold it back.
    OVERTAKEN = "overtaken"
    #: Others already stop the workloads it would stop.
    VICTIMS_TAKEN = "victims_taken"
    #: Fits once workloads that others stop have stopped.
    AFTER_OTHERS = "after_others"
    #: Fits as soon as workloads that are stopping have stopped; their quota is still held.
    STILL_HELD = "still_held"
    #: It was stopped for another one that still waits, which goes first.
    YIELDS = "yields"
    #: So many of its queue wait for others to stop already that it asks for nobody's end.
    CROWDED = "crowded"
    #: Its turns went in a circle in which nothing changed, so it waits for a change.
    CIRCLE = "circle"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStep:
    """What became of the workload's turn in its cycle."""

    verdict: TurnVerdict
    #: Ids of the workloads that were in the way, where they are known: who took the room, for whom
    #: others are being stopped, who goes first; for STILL_HELD who has yet to stop.
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetStep:
    """A pod set as it asks, and the count it would start with; requests per pod."""

    name: str
    count: int
    requests: Mapping[str, int]
    min_count: int | None = None
    #: The count that was found to fit, or the fewest pods where none was, when that is not the
    #: whole.
    reduced_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptedStep:
    """Why a running workload has to stop: for whom, and under which setting."""

    preemptor: str
    preemptor_priority: int
    preemptor_requests: Mapping[str, int]
    rule: str
    #: The queue that may preempt: the preemptor's.
    queue: str
    #: Cohorts above the preemptor's queue and above the victim's, the nearest first.
    path: tuple[str, ...] = ()
    own_path: tuple[str, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeStep:
    """What came of it."""

    outcome: Outcome
    reason: Reason
    assignment: Assignment = ()
    #: Ids of workloads that have to stop first.
    victims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The facts behind one decision in the order of finding; a stage not reached is empty."""

    workload: str
    labels: Mapping[str, str]
    requests: Mapping[str, int]
    requested_priority: int | None
    namespace: str = ""
    #: Empty when the workload is one pod set of count 1.
    pod_sets: tuple[PodSetStep, ...] = ()
    rules: tuple[RuleTried, ...] = ()
    #: Instead of rules, where workloads name their queue.
    local_queue: LocalQueueStep | None = None
    #: One for each rule whose selector held; a rule that refuses the priority passes it on.
    priorities: tuple[PriorityStep, ...] = ()
    queue: QueueStep | None = None
    #: What disciplines found, by the codes of the sections.
    sections: Mapping[str, TraceSection] = field(default_factory=dict)
    turn: TurnStep | None = None
    preempted: PreemptedStep | None = None
    order: OrderStep | None = None
    #: Settings that matter to the workload and are not acted on.
    unsupported: tuple[UnsupportedSetting, ...] = ()
    outcome: OutcomeStep
