"""Changes: what single thing would have to be different for a workload to start, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from console.engine.model.amounts import Unlimited
from console.engine.model.origin import Origin


class ChangeKind(StrEnum):
    """What is changed, the least effort first."""

    #: Nothing: it starts once workloads that were told to stop have stopped.
    WAIT = "wait"
    #: The workload asks for less of one resource, or for fewer pods.
    ASK_LESS = "ask_less"
    #: One label of the workload.
    LABEL = "label"
    #: The priority that the workload requests.
    PRIORITY = "priority"
    #: The queue, which a person holds, is resumed.
    RESUME = "resume"
    #: One number in a queue's or cohort's quota.
    QUOTA = "quota"
    #: One other setting of a queue.
    POLICY = "policy"
    #: Running workloads end, by themselves or because somebody finishes them.
    FINISH = "finish"
    # of a rejected workload
    #: Nothing: the config that is active now takes it when it is submitted again.
    RESUBMIT = "resubmit"
    #: Several things that the request says, or what a flavor asks of its labels.
    REQUEST = "request"
    #: A rule of the config is changed so that it takes the workload.
    RULE = "rule"


class QuotaNumber(StrEnum):
    """Which number of a flavor-resource's quota is changed."""

    NOMINAL = "nominal"
    BORROWING_LIMIT = "borrowing_limit"
    LENDING_LIMIT = "lending_limit"


class Setting(StrEnum):
    """Which setting of a queue is changed, named after its field in the policy."""

    WITHIN_QUEUE = "within_queue"
    RECLAIM_WITHIN_COHORT = "reclaim_within_cohort"
    BORROW_WITHIN_COHORT = "borrow_within_cohort"
    MAX_PRIORITY_THRESHOLD = "max_priority_threshold"
    STRATEGY = "strategy"
    WHEN_CAN_BORROW = "when_can_borrow"
    WHEN_CAN_PREEMPT = "when_can_preempt"
    PREFERENCE = "preference"
    STOP = "stop"


#: Amounts in thousandths, numbers, label values or codes of settings; None: there is none.
Value: TypeAlias = int | str | Unlimited | None

#: Settings that the language of a config has, with the values they may take, the mildest first.
Menu: TypeAlias = Mapping[Setting, tuple[Value, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    One change that the engine has tried on a copy of the state, and with which the workload starts.

    What *subject*, *from_* and *to* hold depends on the kind:

    ============  =======================  ===========================================
    kind          subject                  from_ and to
    ============  =======================  ===========================================
    ``wait``      ""                       None
    ``ask_less``  resource, or ``pods``    amounts of one pod in thousandths, or counts of pods
    ``label``     key                      values; None: without the label
    ``priority``  ""                       requested priorities; None: none requested
    ``resume``    ""                       None
    ``quota``     "flavor/resource"        amounts in thousandths, or UNLIMITED
    ``policy``    a `Setting`              codes of the setting; None: no bound
    ``finish``    ""                       None
    ``resubmit``  ""                       None
    ``request``   key of one label, or ""  None
    ``rule``      ""                       None; the index of the rule
    ============  =======================  ===========================================
    """

    kind: ChangeKind
    subject: str = ""
    from_: Value = None
    to: Value = None
    #: Only ``wait`` and ``finish``: ids of the workloads that have to stop or end.
    workloads: tuple[str, ...] = ()
    #: ``quota`` and ``policy``: name of the queue or cohort whose config changes. ``resume``: the
    #: queue. ``label`` and ``priority``: the queue it would go to, when that is another one.
    #: ``resubmit``, ``request`` and ``rule``: the queue it would go to.
    queue: str | None = None
    #: Only ``quota``.
    number: QuotaNumber = QuotaNumber.NOMINAL
    #: ``ask_less``: the pod set that asks for less, when there are several or it has several pods.
    pod_set: str | None = None
    #: Ids of running workloads that would be told to stop, and those it would have to wait for
    #: because they were told before.
    who_loses: tuple[str, ...] = ()
    #: Ids of pending workloads that would start without the change, and not with it.
    who_waits: tuple[str, ...] = ()
    #: The lines of the config that would have to change.
    origin: Origin | None = None
