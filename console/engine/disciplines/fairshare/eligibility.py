"""Eligibility of workloads: requests that the discipline cannot serve are rejected."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final

from console.engine.disciplines.fairshare.reasons import UNSUPPORTED_REQUEST
from console.engine.disciplines.fairshare.requests import GPU_DEVICES, GPU_MEMORY, GPU_NAMES
from console.engine.disciplines.fairshare.spec import POOL
from console.engine.model.amounts import SCALE, format_amount
from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload, constraints_of
from console.engine.pending.eligibility import Eligibility

#: Prefix of the resources that stand for slices of a device.
_MIG: Final = "nvidia.com/mig-"


class FairshareJudge:
    """Evaluates requests; queues and settings do not matter."""

    def under(self, policy: Policy) -> FairshareJudge:
        """Return the judge itself."""
        return self

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return what matters besides the pod sets: no label does."""
        return workload.is_preemptible, workload.placement is not None

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return whether the request is supported, and what sets its class apart."""
        problem = problem_of(workload)
        constraints = tuple(constraints_of(each) for each in workload.pod_sets)
        return Eligibility(
            rejection=UNSUPPORTED_REQUEST if problem else None,
            alike=(workload.is_preemptible, constraints),
        )

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return UNSUPPORTED_REQUEST for a request that the discipline cannot serve."""
        return UNSUPPORTED_REQUEST if problem_of(workload) else None

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[()]:
        """Return nothing: the pool accepts every workload that is not rejected."""
        return ()

    def allowed(self, workload: Workload, queue: Queue) -> Hashable:
        """Return what `label_values` returns."""
        return self.label_values(workload, queue)

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the pool, the only capacity."""
        return (POOL,)


def problem_of(workload: Workload) -> str:
    """Return why a request is not supported, in one sentence; "" if it is."""
    if workload.placement is not None:
        return (
            "It states a placement, which has no meaning here: remove it, or use node selectors "
            "of its pods."
        )
    several = len(workload.pod_sets) > 1
    for each in workload.pod_sets:
        if problem := _problem_of_pod(each.requests):
            return (
                f"A pod of {each.name} requests {problem}"
                if several
                else (f"A pod requests {problem}")
            )
    return ""


def _problem_of_pod(requests: Mapping[str, int]) -> str:
    for name, amount in requests.items():
        if name.startswith(_MIG) and amount:
            return f"{name}: slices of devices (MIG) are not supported. Request a part of a GPU."
    named = [name for name in GPU_NAMES if requests.get(name)]
    if len(named) > 1:
        return f"GPUs under two names, {' and '.join(named)}: state one of them."
    gpu = requests[named[0]] if named else 0
    memory, devices = requests.get(GPU_MEMORY, 0), requests.get(GPU_DEVICES, 0)
    if devices % SCALE:
        return f"{format_amount(devices)} {GPU_DEVICES}: the number has to be whole."
    if memory and gpu:
        return f"both GPUs and {GPU_MEMORY}: state one of them."
    if devices and not (memory or gpu):
        return f"{GPU_DEVICES} without GPUs or {GPU_MEMORY}: state the part of each device."
    if memory:
        return ""
    count = devices // SCALE
    if count > 1 and (gpu >= devices or gpu % count):
        return (
            f"{format_amount(gpu)} GPUs as parts of {count} devices: each device has to give the "
            "same part, below 1 and in whole thousandths."
        )
    if count <= 1 and gpu > SCALE and gpu % SCALE:
        return (
            f"{format_amount(gpu)} GPUs: from 1 on, the number has to be whole. Request "
            f"{GPU_DEVICES}, too, for parts of several devices."
        )
    return ""
