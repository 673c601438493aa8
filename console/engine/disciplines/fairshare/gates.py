"""Whether limits and quotas of a queue, and of those above it, let pods start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from console.engine.disciplines.fairshare.resources import RESOURCES, Amounts, Bounds
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.model.amounts import Amount


class Gate(StrEnum):
    """What a queue compares before pods start."""

    #: The use of all workloads with its limit.
    LIMIT = "limit"
    #: The use of workloads that cannot be preempted with its quota.
    QUOTA = "quota"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The first queue and resource that refuse, with the amounts compared, in thousandths."""

    gate: Gate
    queue: str
    resource: str
    bound: Amount
    used: int
    requested: int


def refusal(
    path: Sequence[Standing], requested: Amounts, *, is_preemptible: bool
) -> Refusal | None:
    """
    Return why pods may not start; None if they may.

    *path* has the queue of the workload and those above it, the nearest first. All limits are
    compared before the first quota.
    """
    refused = limit_refusal(path, requested)
    return refused if refused or is_preemptible else quota_refusal(path, requested)


def limit_refusal(path: Sequence[Standing], requested: Amounts) -> Refusal | None:
    """Return the first limit on *path* that the use would exceed."""
    for each in path:
        if refused := _compare(Gate.LIMIT, each.name, each.limit, each.used, requested):
            return refused
    return None


def quota_refusal(path: Sequence[Standing], requested: Amounts) -> Refusal | None:
    """Return the first quota on *path* that the use that cannot be preempted would exceed."""
    for each in path:
        used = each.used_non_preemptible
        if refused := _compare(Gate.QUOTA, each.name, each.quota, used, requested):
            return refused
    return None


def _compare(
    gate: Gate, queue: str, bounds: Bounds, used: Amounts, requested: Amounts
) -> Refusal | None:
    for place, amount in enumerate(requested):
        # Resources that are not requested do not matter, even if their bound is exceeded.
        if amount > 0 and used[place] + amount > bounds[place]:
            return Refusal(
                gate=gate,
                queue=queue,
                resource=RESOURCES[place],
                bound=bounds[place],
                used=used[place],
                requested=amount,
            )
    return None
