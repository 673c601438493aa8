"""Changes: single changes with which a workload would start, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from console.engine.model.amounts import Unlimited
from console.engine.model.origin import Origin


class ChangeKind(StrEnum):
    """The kind of a change, the least effort first."""

    #: No change: the workload starts after evicting workloads have stopped.
    WAIT = "wait"
    #: A smaller request for one resource, or fewer pods.
    ASK_LESS = "ask_less"
    #: One label of the workload.
    LABEL = "label"
    #: The requested priority.
    PRIORITY = "priority"
    #: A condition of a filter of the workload less, or no filters.
    FILTER = "filter"
    #: A preference of the workload less.
    PREFERENCE = "preference"
    #: Resuming the held queue.
    RESUME = "resume"
    #: One number in the quota of a queue or cohort.
    QUOTA = "quota"
    #: One other setting of a queue.
    POLICY = "policy"
    #: One label of a cluster, in the config if that declares the cluster.
    CLUSTER_LABEL = "cluster_label"
    #: The end of running workloads, by themselves or by a person.
    FINISH = "finish"
    # For rejected workloads:
    #: No change: the active config accepts the workload when it is submitted again.
    RESUBMIT = "resubmit"
    #: Several properties of the request, or labels that a flavor requires.
    REQUEST = "request"
    #: A rule of the config, so that it matches the workload.
    RULE = "rule"


class QuotaNumber(StrEnum):
    """A number of the quota of a flavor-resource."""

    NOMINAL = "nominal"
    BORROWING_LIMIT = "borrowing_limit"
    LENDING_LIMIT = "lending_limit"
    #: Of queues that share nodes by fair shares: the most that a queue may use.
    LIMIT = "limit"
    #: The amount that such a queue is guaranteed.
    QUOTA = "quota"
    #: Of hierarchical queues: the most that a queue may use, or applications that may run there.
    MAXIMUM = "maximum"
    #: What such a queue gets back by preemption.
    GUARANTEE = "guarantee"
    #: What a user, or a group, may use in such a queue.
    USER_LIMIT = "user_limit"
    GROUP_LIMIT = "group_limit"


class Setting(StrEnum):
    """A setting of a queue, named like its field in the policy."""

    WITHIN_QUEUE = "within_queue"
    RECLAIM_WITHIN_COHORT = "reclaim_within_cohort"
    BORROW_WITHIN_COHORT = "borrow_within_cohort"
    MAX_PRIORITY_THRESHOLD = "max_priority_threshold"
    STRATEGY = "strategy"
    WHEN_CAN_BORROW = "when_can_borrow"
    WHEN_CAN_PREEMPT = "when_can_preempt"
    PREFERENCE = "preference"
    STOP = "stop"


#: Amounts in thousandths, numbers, label values or values of settings; None: absent.
Value: TypeAlias = int | str | Unlimited | None

#: Settings of a config language with their possible values, those with the least effect first.
SettingValues: TypeAlias = Mapping[Setting, tuple[Value, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    One change with which the workload starts, as the engine has proven on a snapshot.

    The meaning of *subject*, *from_* and *to* depends on the kind:

    ============= =======================  ===========================================
    kind          subject                  from_ and to
    ============= =======================  ===========================================
    ``wait``      ""                       None
    ``ask_less``  resource, or ``pods``    amounts of one pod in thousandths, or counts of pods
    ``label``     key                      values; None: without the label
    ``priority``  ""                       requested priorities; None: none requested
    filter        name; "": all filters    the condition in words; None: the whole filter
    preference    name                     None
    ``resume``    ""                       None
    ``quota``     "flavor/resource"        amounts in thousandths, or UNLIMITED
                  "applications"           numbers in thousandths
    ``policy``    a `Setting`              codes of the setting; None: no bound
    cluster_label key                      values; None: without the label
    ``finish``    ""                       None
    ``resubmit``  ""                       None
    ``request``   key of one label, or ""  None
    ``rule``      ""                       None; the index of the rule
    ============= =======================  ===========================================
    """

    kind: ChangeKind
    subject: str = ""
    from_: Value = None
    to: Value = None
    #: Only ``wait`` and ``finish``: ids of the workloads that have to stop or end.
    workloads: tuple[str, ...] = ()
    #: ``quota`` and ``policy``: name of the queue or cohort whose config changes. ``resume``: the
    #: queue. ``label`` and ``priority``: the new queue of the workload, if it changes.
    #: ``resubmit``, ``request`` and ``rule``: the queue that would accept the workload.
    queue: str | None = None
    #: Only ``cluster_label``: the name of the cluster.
    cluster: str | None = None
    #: ``filter`` and ``preference``: the template that states it; None: the workload does.
    template: str | None = None
    #: Only ``quota``.
    number: QuotaNumber = QuotaNumber.NOMINAL
    #: Only `QuotaNumber.USER_LIMIT` and `GROUP_LIMIT`: the user or group as the config names it,
    #: ``*`` for every other one.
    holder: str = ""
    #: ``ask_less``: the pod set to reduce, if there are several or it has several pods.
    pod_set: str | None = None
    #: Ids of running workloads that would be preempted, and of evicting workloads that would
    #: have to stop first.
    who_loses: tuple[str, ...] = ()
    #: Ids of pending workloads that would start without the change, but not with it.
    who_waits: tuple[str, ...] = ()
    #: The lines of the config to change.
    origin: Origin | None = None
    #: Whether the workload would still have to wait for room: without the change, it can never
    #: start, and with it, it starts if nothing else runs.
    is_later: bool = False
