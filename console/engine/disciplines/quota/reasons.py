"""The reasons of the quota discipline."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.quota.explain.headline import admitted, exceeds, short
from console.engine.explain.headline import preempted
from console.engine.model.reasons import (
    PreemptionGrant,
    Reason,
    ReasonClass,
    Shortage,
    register,
)

QUOTA_RESERVED: Final = register(
    Reason(
        "quota_reserved",
        label="Quota reserved",
        reason_class=ReasonClass.RUNNING,
        headline=admitted,
    )
)
EXCEEDS_MAX_QUOTA: Final = register(
    Reason(
        "exceeds_max_quota",
        label="Can never run under this config",
        reason_class=ReasonClass.CANNOT_RUN,
        headline=exceeds,
        advice="Request less, or have the config changed: every new version is tried again.",
        shortage=Shortage.ALWAYS,
    )
)
WAITING_FOR_QUOTA: Final = register(
    Reason(
        "waiting_for_quota",
        label="Waiting for quota",
        reason_class=ReasonClass.WAITING,
        headline=short,
        advice=(
            "Wait, request less, finish running workloads, or use a higher priority where the "
            "queue preempts."
        ),
        shortage=Shortage.NOW,
    )
)
RECLAIMED_IN_COHORT: Final = register(
    Reason(
        "reclaimed_in_cohort",
        label="Quota reclaimed",
        reason_class=ReasonClass.PREEMPTED,
        headline=preempted,
        preemption_grant=PreemptionGrant(
            rule=lambda rules: rules.reclaim_within_cohort,
            words="{queue} reclaims what other queues borrow, and may preempt {whom} there",
            target="is preempted: {queue} uses more than its nominal quota",
            preempted_event=(
                "{name} was preempted: {queue} reclaims quota that it lent, for {preemptor}."
            ),
        ),
    )
)
RECLAIMED_WHILE_BORROWING: Final = register(
    Reason(
        "reclaimed_while_borrowing",
        label="Preempted by a borrower",
        reason_class=ReasonClass.PREEMPTED,
        headline=preempted,
        preemption_grant=PreemptionGrant(
            rule=lambda rules: rules.borrow_within_cohort,
            words="{queue} borrows too, and may preempt {whom} in other queues that borrow",
            target="is preempted: its priority is lower, and {queue} borrows",
            preempted_event=(
                "{name} was preempted: {preemptor} has higher priority and borrows in its place."
            ),
            reclaim_event=(
                "{name} borrows quota from lower-priority borrowers in {cohort}{stops}."
            ),
        ),
    )
)
PREEMPTED_FOR_FAIR_SHARE: Final = register(
    Reason(
        "preempted_for_fair_share",
        label="Preempted for fair sharing",
        reason_class=ReasonClass.PREEMPTED,
        headline=preempted,
        preemption_grant=PreemptionGrant(
            rule=lambda rules: rules.reclaim_within_cohort,
            words="{queue} has the smaller share, and may preempt {whom} in queues that borrow",
            target="is preempted: {shares}",
            preempted_event=(
                "{name} was preempted for {preemptor}: {queue} has the smaller share."
            ),
            reclaim_event="{name} takes its fair share of {cohort}{stops}.",
        ),
    )
)
