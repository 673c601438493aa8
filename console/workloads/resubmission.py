"""The request of an existing workload, to be submitted again."""

from __future__ import annotations

from console.workloads.models import Workload
from console.workloads.stored_facts import decode_facts
from console.workloads.stored_pod_sets import decode_pod_sets
from console.workloads.submissions import RESERVED, Submission


def submission_of(workload: Workload) -> Submission:
    """
    Return the request of *workload*, a row of `workload_rows`, as it was submitted.

    Pods that have finished are requested again.
    """
    labels: dict[str, str] = workload.labels  # type: ignore[attr-defined]
    facts = decode_facts(workload.facts)
    reserved = {field: labels.get(key) for key, field in RESERVED.items() if field != "type"}
    has_pod_sets = bool(workload.pod_sets)
    return Submission(
        name=workload.name,
        type=workload.type,
        tags={key: value for key, value in labels.items() if key not in RESERVED},
        **reserved,
        priority=workload.requested_priority,
        requests={} if has_pod_sets else workload.requests,
        pod_sets=decode_pod_sets(workload.pod_sets, workload.requests) if has_pod_sets else (),
        user=workload.user,
        groups=tuple(workload.groups),
        project=workload.project,
        namespace=workload.namespace,
        preemptible=facts.is_preemptible,
        placement=facts.placement,
        max_run_seconds=None if workload.max_run_time is None else workload.max_run_time // 1000,
    )
