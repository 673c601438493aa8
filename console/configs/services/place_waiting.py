"""Evaluate every cluster for waiting workloads, as the rule tester does for one workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from console.configs.compiled_configs import CompiledConfig
from console.configs.services.try_route import try_routes
from console.engine.explain.candidates import Candidate
from console.engine.explain.disciplines import candidates_of
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services.load_state import engine_workloads


def place_waiting(
    actor: Actor, config: CompiledConfig, rows: Sequence[Workload]
) -> dict[str, Mapping[str, Candidate]]:
    """
    Return the result of each cluster for the waiting workloads *rows*, by id and cluster.

    Each is tried alone, beside the running workloads. Of several pod sets, the first one that a
    cluster cannot take counts. Raises NotAllowed.
    """
    own = Workload.objects.filter(org=actor.org, pk__in=[each.pk for each in rows])
    workloads = list(engine_workloads(own))
    tests = try_routes(actor, config, workloads)
    found: dict[str, Mapping[str, Candidate]] = {}
    for workload, test in zip(workloads, tests, strict=True):
        by_cluster: dict[str, Candidate] = {}
        for each in candidates_of(test.fit.now or test.fit.ever):
            known = by_cluster.get(each.cluster)
            if known is None or (known.order is not None and each.order is None):
                by_cluster[each.cluster] = each
        found[workload.id] = by_cluster
    return found
