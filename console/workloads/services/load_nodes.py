"""Load the clusters and nodes of an organization into a state that lacks some of its workloads."""

from __future__ import annotations

from console.capacity.queries.inventory import load_inventory
from console.engine.disciplines import load_discipline
from console.engine.live.node_usage import NodeUsage
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads.queries.node_usage import node_usage_of


def load_nodes(state: State, org: Organization) -> None:
    """
    Give *state* the clusters of *org*, and the usage of all workloads on their nodes.

    Call this after running workloads are restored: the rows include their usage. Does nothing if
    the discipline does not read them.
    """
    inventory = inventory_for(org, state.policy)
    if inventory is not None:
        usage = NodeUsage()
        for key, used in node_usage_of(org).items():
            usage.charge(key, used)
        state.node_usage = usage
        state.change_inventory(inventory)


def inventory_for(org: Organization, policy: Policy) -> Inventory | None:
    """Return the clusters of *org*; None if the discipline of *policy* does not read them."""
    if not load_discipline(policy.discipline).reads_inventory:
        return None
    return load_inventory(org.pk)
