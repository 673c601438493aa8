"""Checks between fields of one ClusterQueue: preemption, flavors, admission checks (spec 1.3)."""

from __future__ import annotations

from typing import Final

from console.dialects.findings import Findings
from console.dialects.kueue.codes import (
    BAD_CONCURRENT_ADMISSION,
    BORROW_NEEDS_RECLAIM,
    CHECK_UNKNOWN_FLAVOR,
    PREFERENCE_NEEDS_TRY_NEXT,
)
from console.dialects.kueue.schema import FungibilityDoc, PreemptionDoc, QueueDoc
from console.dialects.kueue.words import BorrowPolicy, FlavorSearch, QueueingStrategy, Reclaim
from console.dialects.repairs import did_you_mean, remove_field, replace
from console.dialects.wording import shorten
from console.dialects.written import Unread, Written, value_of, written_items

_MOST_CONCURRENT: Final = 16


def check_queue(queue: QueueDoc, findings: Findings, *, concurrent: bool) -> None:
    """
    Report errors in *queue*.

    *concurrent* states whether the gate ConcurrentAdmission is on: only then does Kueue's webhook
    check ``concurrentAdmissionPolicy``. The default is off.
    """
    if queue.preemption is not None:
        _check_preemption(queue.preemption, findings)
    if queue.fungibility is not None:
        _check_preference(queue.fungibility, findings)
    _check_checks(queue, findings)
    if concurrent:
        _check_concurrent_admission(queue, findings)


def _check_preemption(preemption: PreemptionDoc, findings: Findings) -> None:
    borrow, reclaim = preemption.borrow, preemption.reclaim
    reclaims = isinstance(reclaim, Unread) or value_of(reclaim) not in (None, Reclaim.NEVER)
    if isinstance(borrow, Written) and borrow.value is not BorrowPolicy.NEVER and not reclaims:
        findings.add(
            BORROW_NEEDS_RECLAIM,
            borrow.place,
            "borrowWithinCohort needs reclaimWithinCohort to be LowerPriority or Any.",
            "Set reclaimWithinCohort, or set the policy to Never.",
            (replace(borrow.place, BorrowPolicy.NEVER.value),),
        )


def _check_preference(fungibility: FungibilityDoc, findings: Findings) -> None:
    preference = fungibility.preference
    borrow, preempt = fungibility.when_can_borrow, fungibility.when_can_preempt
    # Their defaults differ: MayStopSearch and TryNextFlavor.
    compares = (
        isinstance(borrow, Unread) or value_of(borrow) is FlavorSearch.TRY_NEXT_FLAVOR
    ) and (
        preempt is None
        or isinstance(preempt, Unread)
        or preempt.value is FlavorSearch.TRY_NEXT_FLAVOR
    )
    if isinstance(preference, Written) and not compares:
        findings.add(
            PREFERENCE_NEEDS_TRY_NEXT,
            preference.place,
            "preference needs whenCanBorrow and whenCanPreempt to be TryNextFlavor.",
            "Set both, or remove preference.",
            (remove_field(findings, preference.place, "preference"),),
        )


def _check_checks(queue: QueueDoc, findings: Findings) -> None:
    if not isinstance(queue.checks, Written):
        return
    rules = queue.checks.value
    flavors = {value_of(quota.name) for quota in queue.quotas()}
    known = {name for name in flavors if name is not None}
    all_known = None not in flavors and not isinstance(queue.resource_groups, Unread)
    for rule in rules:
        for name in written_items(rule.on_flavors):
            if name.value in known or not all_known:
                continue
            hint, repairs = did_you_mean(findings, name.place, name.value, known)
            findings.add(
                CHECK_UNKNOWN_FLAVOR,
                name.place,
                f'"{shorten(name.value)}" is not a flavor of this queue.',
                hint or "Name a flavor of the queue, or leave onFlavors out for all of them.",
                repairs,
            )


def _check_concurrent_admission(queue: QueueDoc, findings: Findings) -> None:
    place = queue.concurrent_admission
    if place is None or isinstance(queue.resource_groups, Unread):
        return
    why = ""
    if len(queue.groups) != 1:
        why = f"exactly one resource group, and there are {len(queue.groups)}"
    elif len(queue.groups[0].quotas()) > _MOST_CONCURRENT:
        why = f"at most {_MOST_CONCURRENT} flavors"
    elif value_of(queue.strategy) is QueueingStrategy.STRICT_FIFO:
        why = "a queueingStrategy other than StrictFIFO"
    if why:
        findings.add(BAD_CONCURRENT_ADMISSION, place, f"concurrentAdmissionPolicy needs {why}.", "")
