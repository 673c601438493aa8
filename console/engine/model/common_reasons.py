"""The reasons that every discipline shares."""

from __future__ import annotations

from typing import Final

from console.engine.model.reasons import Reason, ReasonClass, register

PASSTHROUGH: Final = register(
    Reason("passthrough", label="Admitted without quota", reason_class=ReasonClass.RUNNING)
)
QUEUE_MISCONFIGURED: Final = register(
    Reason(
        "queue_misconfigured",
        label="Queue misconfigured",
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Have the config corrected.",
    )
)
#: The config stops the queue; with `QUEUE_HELD`, an operator or owner holds it.
QUEUE_STOPPED: Final = register(
    Reason(
        "queue_stopped",
        label="Queue stopped",
        reason_class=ReasonClass.HELD,
        advice="Have the stop policy changed.",
    )
)
QUEUE_HELD: Final = register(
    Reason(
        "queue_held",
        label="Queue on hold",
        reason_class=ReasonClass.HELD,
        advice=(
            "Ask the person named on the queue's page; an operator or owner resumes the queue."
        ),
    )
)
WAITING_FOR_PREEMPTED: Final = register(
    Reason(
        "waiting_for_preempted",
        label="Starting soon",
        reason_class=ReasonClass.SOON,
        advice="Wait. If it lasts, the executor has not released the workloads it stopped.",
    )
)
BEHIND_OTHERS: Final = register(
    Reason(
        "behind_others",
        label="Behind other workloads",
        reason_class=ReasonClass.WAITING,
        advice="Wait; the explanation names the workloads ahead of it.",
    )
)
#: For rows: the workload is submitted, and no worker has evaluated it yet.
NOT_EVALUATED: Final = register(
    Reason(
        "not_evaluated",
        label="Not evaluated yet",
        reason_class=ReasonClass.UNSEEN,
        advice=(
            "Nothing. If it lasts, no worker is running: ask the operators of the console to check "
            "`/readyz`."
        ),
        is_of_workload=True,
    )
)
PREEMPTED_IN_QUEUE: Final = register(
    Reason("preempted_in_queue", label="Preempted", reason_class=ReasonClass.PREEMPTED)
)
#: The config stops the queue of the workload with `StopPolicy.HOLD_AND_DRAIN`.
DRAINED: Final = register(
    Reason("drained", label="Queue drained", reason_class=ReasonClass.PREEMPTED)
)
#: A member or token deactivated the pending workload; the next is for a running one.
DEACTIVATED: Final = register(
    Reason(
        "deactivated",
        label="Deactivated",
        reason_class=ReasonClass.HELD,
        advice="Activate the workload.",
        is_deactivated=True,
        is_of_workload=True,
    )
)
DEACTIVATED_WHILE_RUNNING: Final = register(
    Reason(
        "deactivated_while_running",
        label="Deactivated while running",
        reason_class=ReasonClass.PREEMPTED,
    )
)
#: It ran for as long as it may (`Workload.max_run_time`), and is deactivated.
RUN_TIME_USED_UP: Final = register(
    Reason(
        "run_time_used_up",
        label="Maximum run time used up",
        reason_class=ReasonClass.HELD,
        advice="Activate the workload to let it run for its maximum run time again.",
        is_deactivated=True,
        is_of_workload=True,
    )
)
RUN_TIME_EXCEEDED: Final = register(
    Reason(
        "run_time_exceeded",
        label="Maximum run time exceeded",
        reason_class=ReasonClass.PREEMPTED,
    )
)
#: The reasons of running workloads that stop because they are deactivated.
STOPPED_BY_DEACTIVATION: Final = frozenset({DEACTIVATED_WHILE_RUNNING, RUN_TIME_EXCEEDED})
WITHDRAWN_WHILE_RUNNING: Final = register(
    Reason(
        "withdrawn_while_running", label="Withdrawn while running", reason_class=ReasonClass.ENDED
    )
)
#: Some config languages reject such a workload, others let it wait.
NO_FLAVOR_MATCHED: Final = register(
    Reason(
        "no_flavor_matched",
        label="No flavor matched",
        reason_class=ReasonClass.REJECTED,
        advice=(
            "Correct the instance, accelerator or market type and submit it again, or add a flavor."
        ),
        cannot_run=True,
    )
)
