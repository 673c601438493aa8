"""
Trace: the facts that led to a decision, in order, as values.

A trace has no sentences; `explain` writes them. It is stored with the
decision, except for the rules that were tried; see `stored_trace`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.amounts import Amount
from console.engine.model.decision import Assignment, Outcome, Resize
from console.engine.model.origin import Origin
from console.engine.model.reasons import Reason
from console.engine.model.trace_sections import TraceSection
from console.engine.model.unsupported_settings import UnsupportedSetting


class RuleVerdict(StrEnum):
    """The result of one routing rule for the workload."""

    TOOK = "took"
    SELECTOR_FALSE = "selector_false"
    PRIORITY_OUT_OF_RANGE = "priority_out_of_range"


class FlavorVerdict(StrEnum):
    """The result of one flavor of a resource group for the workload, in ascending preference."""

    #: A resource group refers to the flavor, and the config does not define it.
    FLAVOR_MISSING = "flavor_missing"
    SELECTOR_FALSE = "selector_false"
    TAINT_NOT_TOLERATED = "taint_not_tolerated"
    #: A node selector or required affinity of the pod set is false for the flavor's node labels.
    LABELS_DO_NOT_MATCH = "labels_do_not_match"
    #: The search was repeated with other victims, and only for the flavor found first.
    NOT_NOMINATED = "not_nominated"
    #: Tried in an earlier turn; this turn resumed after it.
    PASSED_BEFORE = "passed_before"
    #: The request exceeds the most that the queue can ever use of the flavor.
    EXCEEDS_MAX = "exceeds_max"
    #: The request exceeds the available quota, and the queue may not preempt for that much.
    NO_ROOM = "no_room"
    #: The request would fit after preemption, but no workload may be preempted for it.
    NO_CANDIDATES = "no_candidates"
    #: Fits after preemption of running workloads, some of them of the same queue.
    PREEMPT = "preempt"
    #: Fits after preemption of running workloads of other queues.
    RECLAIM = "reclaim"
    FITS = "fits"
    #: An earlier flavor was assigned, so this one was not tried.
    NOT_REACHED = "not_reached"


class PriorityVerdict(StrEnum):
    """The source of the effective priority."""

    REQUESTED = "requested"
    DEFAULT = "default"
    #: No request and no default: zero.
    ZERO = "zero"
    #: Moved to the nearer end of the range.
    FORCED = "forced"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedExpression:
    """The first false expression of a selector; *actual* is None if the label is absent."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    actual: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTried:
    """One routing rule that was tried."""

    index: int
    queue: str
    verdict: RuleVerdict
    failed: FailedExpression | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityStep:
    """The effective priority for a requested one, under the priority policy of *rule*."""

    rule: int
    requested: int | None
    #: None when the rule rejects the requested priority.
    effective: int | None
    verdict: PriorityVerdict | None
    default: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    origin: Origin | None = None


class LocalQueueVerdict(StrEnum):
    """The result for the local queue and the priority class of a workload."""

    LEADS = "leads"
    NOT_NAMED = "not_named"
    MISSING = "missing"
    STOPPED = "stopped"
    QUEUE_MISSING = "queue_missing"
    #: A language without local queues: the workload names a queue that does not exist.
    NO_QUEUE = "no_queue"
    NAMESPACE_NOT_ALLOWED = "namespace_not_allowed"
    PRIORITY_CLASS_MISSING = "priority_class_missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueStep:
    """The local queue of a workload, by label or by default, and its queue."""

    namespace: str
    #: "" when the workload has no local queue, by label or by default.
    name: str
    verdict: LocalQueueVerdict
    #: Name of the default local queue of every namespace that has one of this name; only for a
    #: workload without the label, and only under a policy with such a default.
    default: str | None = None
    #: The queue of the local queue; None without a local queue.
    queue: str | None = None
    #: The false expression of the queue's namespace selector.
    failed: FailedExpression | None = None
    #: Name of the requested priority class, and its value; None: no such class.
    priority_class: str | None = None
    priority: int | None = None
    priority_origin: Origin | None = None
    #: An existing name that is similar to the missing one.
    nearest: str | None = None
    #: The label that selects the local queue; only when the workload has no local queue.
    label: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStep:
    """The queue the workload was routed to."""

    name: str
    passthrough: bool
    held: bool = False
    #: The config stops the queue.
    stopped: bool = False
    #: A flavor that one of its resource groups refers to and the config does not define.
    missing_flavor: str | None = None
    #: Names of the cohorts above, the nearest first.
    path: tuple[str, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderStep:
    """The position in the queue: by priority, then by submission."""

    #: Among the workloads that could run, from 1; None for one that can never run.
    position: int | None = None
    #: Number of pending workloads that could run, this one included unless it can never run.
    pending: int
    #: Number of pending workloads of its class, this one included.
    alike: int
    #: The queue is strict: no workload may overtake the head.
    strict: bool = False
    #: Id of the head of a strict queue, when it is another workload.
    blocked_by: str | None = None
    #: Number of workloads of the queue that can never run under the config, without a position.
    cannot_run: int = 0


class TurnVerdict(StrEnum):
    """Why a workload that fits, with or without preemption, did not start in its turn."""

    #: Other workloads took the quota earlier in the same cycle, or reserve it.
    OVERTAKEN = "overtaken"
    #: Its victims are already being preempted for other workloads.
    VICTIMS_TAKEN = "victims_taken"
    #: It fits after the victims of other workloads have stopped.
    AFTER_OTHERS = "after_others"
    #: It fits after evicting workloads, which still use their quota, have stopped.
    STILL_HELD = "still_held"
    #: It was preempted for a workload that is still pending, which goes first.
    YIELDS = "yields"
    #: Too many workloads of its queue already wait for victims, so it preempts none.
    CROWDED = "crowded"
    #: Its turns repeated the same states without a result, so it waits for a change.
    CIRCLE = "circle"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStep:
    """The result of the workload's turn in its cycle."""

    verdict: TurnVerdict
    #: Ids of the workloads that prevented its start, where known: those that took the quota, that
    #: preempt others, or that go first; for STILL_HELD, those that have yet to stop.
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetStep:
    """A pod set as requested, and the count it would start with; requests per pod."""

    name: str
    count: int
    requests: Mapping[str, int]
    min_count: int | None = None
    #: The reduced count that fits, or the minimum count if none fits; None: not reduced.
    reduced_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueUse:
    """What a queue used of one resource, and was entitled to, before a preemption; thousandths."""

    queue: str
    resource: str
    used: int
    guaranteed: Amount
    fair_share: Amount
    #: The priority of the queue.
    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptedStep:
    """Why a running workload is preempted: the preemptor, and the preemption policy."""

    preemptor: str
    preemptor_priority: int
    preemptor_requests: Mapping[str, int]
    rule: str
    #: The preemptor's queue.
    queue: str
    #: Cohorts above the preemptor's queue and above the victim's, the nearest first.
    path: tuple[str, ...] = ()
    own_path: tuple[str, ...] = ()
    #: Under fair sharing: the queues that were compared, that of the preemptor or one above it
    #: first, each with its resources; empty if they are not known any more.
    uses: tuple[QueueUse, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeStep:
    """The outcome of the decision."""

    outcome: Outcome
    reason: Reason
    assignment: Assignment = ()
    #: Ids of workloads that have to stop first.
    victims: tuple[str, ...] = ()
    #: The changes of the pods of a running workload.
    resize: Resize | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The facts behind one decision, stage by stage; a stage that was not reached is empty."""

    workload: str
    labels: Mapping[str, str]
    requests: Mapping[str, int]
    requested_priority: int | None
    namespace: str = ""
    #: Empty when the workload has one pod set with a count of 1.
    pod_sets: tuple[PodSetStep, ...] = ()
    rules: tuple[RuleTried, ...] = ()
    #: Instead of rules, if local queues route.
    local_queue: LocalQueueStep | None = None
    #: One for each rule whose selector holds; after a rule that rejects the priority, the next
    #: rule is tried.
    priorities: tuple[PriorityStep, ...] = ()
    queue: QueueStep | None = None
    #: Facts of disciplines, by the codes of their sections.
    sections: Mapping[str, TraceSection] = field(default_factory=dict)
    turn: TurnStep | None = None
    preempted: PreemptedStep | None = None
    order: OrderStep | None = None
    #: Settings that concern the workload and have no effect.
    unsupported: tuple[UnsupportedSetting, ...] = ()
    outcome: OutcomeStep
