"""The reasons of the discipline."""

from __future__ import annotations

from typing import Final

from console.engine.model.reasons import Reason, ReasonClass, register

NOT_PLACED: Final = register(
    Reason(
        "not_placed",
        label="No placement rule matched",
        reason_class=ReasonClass.REJECTED,
        advice="Name a queue to which the user may submit, and submit it again.",
    )
)
PLACEMENT_FAILED: Final = register(
    Reason(
        "placement_failed",
        label="Placement failed",
        reason_class=ReasonClass.REJECTED,
        advice="Correct the queue, the user or the tags, and submit it again.",
    )
)
QUEUE_NOT_CREATED: Final = register(
    Reason(
        "queue_not_created",
        label="Queue not created",
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Add the queue to the config.",
        is_of_workload=True,
    )
)
