"""Whether a workload may reclaim capacity from workloads of other queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import inf

from console.engine.disciplines.fairshare.resources import (
    NOTHING,
    RESOURCES,
    Amounts,
    fits,
    minus,
    plus,
)
from console.engine.disciplines.fairshare.spec import FairQueue
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.disciplines.fairshare.tree import QueueTree
from console.engine.model.amounts import Amount, Unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaimer:
    """The workload that needs capacity."""

    queue: str
    #: What the pods request that start together.
    request: Amounts = NOTHING
    is_preemptible: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What one queue without children would lose, in the order in which it loses it."""

    queue: str
    #: Pods above the minimum of a workload one by one, then the others together.
    chunks: Sequence[Amounts]


class Step(StrEnum):
    """The check that refuses a reclaim."""

    #: The use of the reclaiming queue would exceed its fair share.
    FAIR_SHARE = "fair_share"
    #: Its use that cannot be preempted would exceed its quota, or that of a queue above.
    QUOTA = "quota"
    #: The other queue does not use more than it is entitled to.
    ENTITLED = "entitled"
    #: The reclaiming queue, or one above it, would exceed its fair share by more than its sibling.
    SATURATION = "saturation"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReclaimRefusal:
    """The check that refuses, and between which two queues it compares."""

    step: Step
    #: The reclaiming queue, or the one above it on the level of *victim*.
    queue: str
    #: The queue that would lose, or the one above it; None: no other queue is compared.
    victim: str | None = None
    #: The resource that decides; None: all of them together.
    resource: str | None = None


def may_try(standing: Standing, reclaimer: Reclaimer) -> ReclaimRefusal | None:
    """
    Return why no victim has to be looked for; None if the workload may try.

    All resources count, also those that the workload does not request.
    """
    if not fits(plus(standing.used, reclaimer.request), standing.fair_share):
        return ReclaimRefusal(step=Step.FAIR_SHARE, queue=standing.name)
    if not reclaimer.is_preemptible and _exceeds_quota(standing, reclaimer.request):
        return ReclaimRefusal(step=Step.QUOTA, queue=standing.name)
    return None


def exceeds_entitlement(remaining: Amounts, victim: Standing) -> bool:
    """Return whether a queue still uses more than fair share and quota of some resource."""
    return not fits(remaining, victim.allocatable)


def serves_quota(
    reclaiming: Standing, requested: Amounts, remaining: Amounts, victim: Standing
) -> bool:
    """Return whether one queue stays within its quota, and the other still exceeds its own."""
    return fits(plus(reclaiming.used, requested), reclaiming.quota) and not fits(
        remaining, victim.quota
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReclaimCheck:
    """The check of victims, with all queues as they stood before the first one was taken."""

    tree: QueueTree[FairQueue]
    #: Of all members of the tree.
    standings: Mapping[str, Standing]
    #: As in the settings.
    saturation_multiplier: Fraction = field(default=Fraction(1))

    def refusal(self, reclaimer: Reclaimer, losses: Sequence[Loss]) -> ReclaimRefusal | None:
        """Return why the workload may not reclaim all *losses*; None if it may."""
        remaining: dict[str, Amounts] = {}
        for loss in losses:
            if refused := self._take(reclaimer, loss, remaining):
                return refused
        involved = [
            place
            for place in range(len(RESOURCES))
            if reclaimer.request[place] > 0
            or any(chunk[place] > 0 for loss in losses for chunk in loss.chunks)
        ]
        for name in self.tree.path(reclaimer.queue):
            standing = self.standings[name]
            if not reclaimer.is_preemptible and _exceeds_quota(standing, reclaimer.request):
                return ReclaimRefusal(step=Step.QUOTA, queue=name)
            used = plus(remaining.get(name, standing.used), reclaimer.request)
            parent = self.tree.queues[name].parent
            for sibling, left in remaining.items():
                if sibling == name or self.tree.queues[sibling].parent != parent:
                    continue
                place = self._saturated(standing, used, self.standings[sibling], left, involved)
                if place is not None:
                    return ReclaimRefusal(
                        step=Step.SATURATION,
                        queue=name,
                        victim=sibling,
                        resource=RESOURCES[place],
                    )
        return None

    def _take(
        self, reclaimer: Reclaimer, loss: Loss, remaining: dict[str, Amounts]
    ) -> ReclaimRefusal | None:
        """
        Subtract the chunks of *loss* from what *remaining* has left of each queue.

        Only what remains before a chunk is checked: the chunk itself may take the queue below
        its entitlement.
        """
        branches = self.tree.branches(reclaimer.queue, loss.queue)
        assert branches is not None, "victims are in other queues without children"
        queue, victim = branches
        reclaiming, losing = self.standings[queue], self.standings[victim]
        for chunk in loss.chunks:
            left = remaining.get(victim, losing.used)
            if not exceeds_entitlement(left, losing) and not serves_quota(
                reclaiming, reclaimer.request, left, losing
            ):
                return ReclaimRefusal(step=Step.ENTITLED, queue=queue, victim=victim)
            for name in self.tree.path(loss.queue):
                used = remaining.get(name, self.standings[name].used)
                remaining[name] = minus(used, chunk)
        return None

    def _saturated(
        self,
        standing: Standing,
        used: Amounts,
        sibling: Standing,
        sibling_used: Amounts,
        involved: Sequence[int],
    ) -> int | None:
        """Return the resource of which the queue would exceed its fair share by too much."""
        for place in involved:
            share = sibling.fair_share[place]
            if share > 0:
                ratio = _utilization(used[place], standing.fair_share[place])
                limit = _utilization(sibling_used[place], share)
                if ratio > 1 and ratio * self.saturation_multiplier >= limit:
                    return place
        return None


def _exceeds_quota(standing: Standing, requested: Amounts) -> bool:
    return not fits(plus(standing.used_non_preemptible, requested), standing.quota)


def _utilization(used: int, share: Amount) -> Fraction | float:
    """Return the used part of a fair share, which may be infinite."""
    if isinstance(share, Unlimited):
        return 0.0
    if share == 0:
        return inf if used > 0 else 0.0
    return Fraction(used, share)
