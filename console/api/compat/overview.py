"""The overview in the client's protocol: counts, usage, and the objects of the config."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.compat.base import ClientView, result
from console.api.compat.resources import counts_answer, market_answer, nodes_answer, usage_answer
from console.configs.models import ConfigVersion
from console.engine.model.amounts import FlavorResource
from console.engine.model.policy import Policy
from console.engine.routing.rule_routing import rules_of
from console.policies.queries import NO_POLICY, active_version, policy_of
from console.workloads.models import State
from console.workloads.queries import state_counts
from console.workloads.queries.nodes import RUNNING, nodes_of
from console.workloads.queries.used import used_of


class Overview(ClientView):
    """Totals, utilization and topology of the organization, as the client reads them."""

    def get(self, request: Request) -> Response:
        """Return the overview."""
        org = self.actor.org
        version = active_version(org)
        policy = policy_of(version) if version else NO_POLICY
        states = state_counts(org)
        running, pending = sum(states[state] for state in RUNNING), states[State.PENDING]
        nodes = nodes_of(org, (running, pending))
        counts = {
            "nodes": nodes_answer(nodes),
            "workloads": counts_answer(running, pending),
            "market": market_answer(nodes),
        }
        used: Counter[FlavorResource] = Counter()
        for of_queue in used_of(org).values():
            used.update(of_queue)
        return result(
            {
                "totals": {**counts, "active_workloads": running + pending},
                "utilization": list(_utilization(policy, used)),
                # The protocol's cloud is the organization.
                "clouds": [{"cloud_id": org.slug, **counts}],
                "topology": _topology(policy, version),
            }
        )


def _utilization(policy: Policy, used: Counter[FlavorResource]) -> Iterator[dict[str, Any]]:
    """Yield the usage of each flavor-resource against the nominal quota of all nodes together."""
    for key, amount in policy.spec.guaranteed().items():
        usage = usage_answer(*key, used[key], amount)
        if usage:
            yield usage


def _topology(policy: Policy, version: ConfigVersion | None) -> dict[str, Any]:
    return {
        "active_queues": len(policy.queues),
        "active_flavors": len(policy.spec.capacity_names),
        "active_rules": len(rules_of(policy)),
        "active_cohorts": len(policy.spec.parents),
        "config_version": version.number if version else 0,
        "config_updated_at": time_answer(version.created_at) if version else None,
    }
