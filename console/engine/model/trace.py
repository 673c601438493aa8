"""
The trace: the ordered facts that led to a decision, as values.

A trace holds no sentences; `explain` writes those. It is stored with the
decision, but for the rules that were tried, as `stored_trace` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.decision import Assignment, Outcome
from console.engine.model.origin import Origin
from console.engine.model.policy import UnsupportedSetting
from console.engine.model.reasons import Reason


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
    #: Already on its way out.
    DEPARTING = "departing"
    #: Its queue does not use more than its nominal quota.
    QUEUE_WITHIN_NOMINAL = "queue_within_nominal"
    #: A cohort between its queue and the preemptor's uses no more than its own quota.
    COHORT_WITHIN_NOMINAL = "cohort_within_nominal"
    #: Could only be stopped by a workload that need not borrow.
    NOT_WHILE_BORROWING = "not_while_borrowing"
    #: Above the priority up to which a borrower may preempt.
    ABOVE_THRESHOLD = "above_threshold"
    #: The preemptor's share would be no smaller than that of its queue.
    SHARE_NOT_LARGER = "share_not_larger"
    #: Same priority and not submitted later.
    NOT_NEWER = "not_newer"
    #: Its queue is stopped or misconfigured: what runs there is left alone.
    QUEUE_INACTIVE = "queue_inactive"
    #: It was stopped for the same preemptor again and again, which ends here.
    STOPPED_BEFORE = "stopped_before"


class PreemptionVerdict(StrEnum):
    """How the search for room by preemption ended."""

    FOUND = "found"
    #: The queue's policy stops nobody.
    NOT_ALLOWED = "not_allowed"
    #: Where the policy lets somebody be stopped, nobody runs.
    NOBODY_RUNS = "nobody_runs"
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
class NodeFact:
    """What one node on the way up the quota tree has of a flavor-resource, in thousandths."""

    name: str
    #: Its own quota and what its children put in.
    quota: Amount
    used: int
    #: What it can still give, negative when it is over its quota.
    available: Amount
    borrowing_limit: Amount
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaCheck:
    """The arithmetic for one resource in one flavor; amounts in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: What the queue's running workloads hold.
    used: int
    #: What may be used now, never below zero.
    available: Amount
    #: What could be used if nothing ran.
    maximum: Amount
    #: requested - available, when positive.
    missing: int
    verdict: FlavorVerdict
    #: What earlier pod sets of the same workload take of it already.
    assumed: int = 0
    #: How far up the cohorts it would borrow; 0: it fits the queue's nominal quota.
    borrow_level: int = 0
    #: The nearest cohort that covers what it would borrow; None: not known, or it need not borrow.
    borrows_from: str | None = None
    #: How far above its nominal quota the queue may use.
    borrowing_limit: Amount = UNLIMITED
    #: The cohorts above, the nearest first; only when somebody asks for an explanation.
    path: tuple[NodeFact, ...] = ()
    #: Queue -> nominal quota it does not use itself, in thousandths; only in explanations.
    lenders: Mapping[str, int] = field(default_factory=dict)
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorTried:
    """One flavor of a resource group, in listed order."""

    flavor: str
    verdict: FlavorVerdict
    failed: FailedExpression | None = None
    #: The taint that is not tolerated, as "key=value:Effect".
    taint: str | None = None
    checks: tuple[QuotaCheck, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStep:
    """The walk over one resource group's flavors."""

    resources: tuple[str, ...]
    #: Names of the pod sets that took part; empty: the workload has only one.
    pod_sets: tuple[str, ...] = ()
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
    #: The queue it runs in; None: the one of the preemptor.
    queue: str | None = None
    #: For a target: by what right, as the code of the reason it will be told.
    right: str | None = None
    #: Fair sharing: dominant shares in thousandths of what the cohort can lend, of the preemptor's
    #: side with its request and of the candidate's side before and after it stops; None: without
    #: bound.
    share: int | None = None
    share_before: int | None = None
    share_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionStep:
    """The search for running workloads to stop."""

    #: `within_queue` of the preemptor's queue.
    rule: str
    verdict: PreemptionVerdict
    #: `reclaim_within_cohort`; None: the queue has no cohort.
    reclaim: str | None = None
    #: `borrow_within_cohort`; None: the queue has no cohort, or shares are fair.
    borrow: str | None = None
    threshold: int | None = None
    #: Names of the fair sharing strategies; empty: classical preemption.
    strategies: tuple[str, ...] = ()
    #: What has to become free, in thousandths, as "flavor/resource".
    needs: Mapping[str, int] = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()
    #: Candidates beyond those listed.
    more_candidates: int = 0
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
    groups: tuple[GroupStep, ...] = ()
    #: Requested resources that no group of the queue covers: not limited.
    uncovered: tuple[str, ...] = ()
    #: The requested resource that no group covers, where that keeps a workload out.
    undeclared: str | None = None
    preemption: PreemptionStep | None = None
    turn: TurnStep | None = None
    preempted: PreemptedStep | None = None
    order: OrderStep | None = None
    #: Settings that matter to the workload and are not acted on.
    unsupported: tuple[UnsupportedSetting, ...] = ()
    outcome: OutcomeStep
