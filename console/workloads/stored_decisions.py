"""
Traces of stored decisions, completed with the evaluated rules of the config version.

A version never changes, and the trace contains the facts of the workload. So rules are evaluated
again on each read, and a decision needs as much storage under 300 rules as under one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from console.engine.model.stored_trace import trace_from_json
from console.engine.model.trace import Trace
from console.engine.routing.rule_routing import lacks_rules, with_rules
from console.orgs.models import Organization
from console.policies.queries import policies_of
from console.workloads.models import Decision


def traces_of(org: Organization, decisions: Iterable[Decision]) -> Iterator[tuple[Decision, Trace]]:
    """Yield *decisions* of *org* in their order, each with its complete trace."""
    stored = [(each, trace_from_json(each.trace)) for each in decisions]
    versions = {
        each.config_version for each, trace in stored if lacks_rules(trace, each.rule_index)
    }
    policies = policies_of(org, versions)
    for each, trace in stored:
        policy = policies.get(each.config_version)
        yield each, trace if policy is None else with_rules(trace, policy, each.rule_index)
