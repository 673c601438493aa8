"""Preview impact: the impact of a policy on live workloads, while its author still types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.dialects.objects import find_replacements
from console.engine.impact import LiveImpact, live_impact
from console.engine.impact.binding import ResourceBalance, resource_balances
from console.engine.model.policy import Policy
from console.orgs.permissions import Actor, Permission
from console.workloads.models import Workload
from console.workloads.queries.workloads import live_count
from console.workloads.services.load_state import load_policy
from console.workloads.services.snapshot_state import snapshot_state

#: Maximum number of running and pending workloads of a preview, which takes 30 ms for each 1,000.
MOST_LIVE: Final = 20_000

#: Characters of a text whose check takes as long as the decision on one workload.
_CHARACTERS: Final = 30

#: Number of workloads of each outcome whose names a preview states.
NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactPreview:
    """The impact of a policy on all live workloads, and what it leaves to one object."""

    impact: LiveImpact
    #: The resources of the object afterwards.
    balances: tuple[ResourceBalance, ...]
    #: Names of the first workloads of each outcome, by id.
    names: dict[str, str]


def preview_impact(actor: Actor, policy: Policy, base: int, owner: str) -> ImpactPreview | None:
    """
    Return the impact of *policy* in place of version *base*.

    It includes what is left to *owner*, a queue or cohort. None if the organization has too many
    live workloads for an answer within a request; then a draft's impact run computes it. Raises
    NotAllowed.
    """
    actor.require(Permission.READ)
    if live_count(actor.org) > MOST_LIVE:
        return None
    state, version = snapshot_state(actor.org)
    if version != base:
        # Version *base* was applied a moment ago, and the worker has not loaded it yet.
        state.change_policy(load_policy(actor.org, base))
    replaced = find_replacements(state.policy, policy, state.policy.queues)
    impact = live_impact(state, policy, replaced=replaced)
    ids = [each.workload for group in impact.groups.values() for each in group.first[:NAMED]]
    rows = Workload.objects.filter(org=actor.org, uid__in=ids)
    return ImpactPreview(
        impact=impact,
        balances=resource_balances(state, owner),
        names=dict(rows.values_list("uid", "name")),
    )


def preview_size(actor: Actor, text: str) -> int:
    """Return the costs of a check of *text* and of its preview, in characters of a text."""
    live = live_count(actor.org)
    return len(text) + (live * _CHARACTERS if live <= MOST_LIVE else 0)
