"""Response bodies of preemptions and their receipts."""

from __future__ import annotations

from typing import Any

from console.api.answers.times import time_answer
from console.api.answers.workloads import amounts_answer, stage_answer
from console.engine.model.amounts import amount_to_number
from console.engine.wording.reasons import reason_title
from console.workloads.receipts import Preemption, Receipt, Side


def preemption_answer(short: Preemption) -> dict[str, Any]:
    """Return the summary of one preemption."""
    return {
        "seq": short.number,
        "role": "victim" if short.is_victim else "beneficiary",
        "victim": _side(short.victim),
        "beneficiary": _side(short.beneficiary) if short.beneficiary is not None else None,
        "reason": {"code": short.reason, "message": reason_title(short.reason)},
        "config_version": short.config_version,
        "told_at": time_answer(short.at),
    }


def receipt_answer(receipt: Receipt) -> dict[str, Any]:
    """Return the receipt of one preemption."""
    return {
        **preemption_answer(receipt.preemption),
        "headline": receipt.explained.explanation.headline,
        "policy": stage_answer(receipt.policy) if receipt.policy is not None else None,
        "search": stage_answer(receipt.search) if receipt.search is not None else None,
        "frees": {place: amount_to_number(amount) for place, amount in receipt.frees.items()},
        "released_at": time_answer(receipt.released_at),
        "released_by": receipt.released_by,
        "is_stopping": receipt.is_stopping,
        "times": receipt.times,
        "times_for_it": receipt.times_for_it,
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "id": side.uid,
        "name": side.name,
        "queue": side.queue,
        "priority": side.priority,
        "requests": amounts_answer(side.requests),
    }
