"""Finds the unsupported settings of a policy that concern one workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from console.engine.model.policy import Policy
from console.engine.model.run_time import read_run_time
from console.engine.model.unsupported_settings import Unsupported, UnsupportedSetting


def unsupported_for(
    policy: Policy, labels: Mapping[str, str], requests: Mapping[str, int]
) -> Iterator[UnsupportedSetting]:
    """
    Yield the unsupported settings that concern a workload, whatever its queue.

    These are the settings of its *labels*, and those of the whole policy that concern *requests*.
    """
    for setting in policy.unsupported:
        if _concerns(setting, requests):
            yield setting
    for label, kind in policy.unsupported_labels.items():
        if label in labels:
            yield UnsupportedSetting(kind=kind, subject=label)
    run_time = labels.get(policy.run_time_label or "")
    if run_time is not None and read_run_time(run_time) is None:
        kind = Unsupported.LABELED_EXECUTION_TIME
        yield UnsupportedSetting(kind=kind, subject=policy.run_time_label or "")


def _concerns(setting: UnsupportedSetting, requests: Mapping[str, int]) -> bool:
    match setting.kind:
        case Unsupported.TRANSFORMATIONS:
            return not requests.keys().isdisjoint(setting.names)
        case Unsupported.EXCLUDED_RESOURCES:
            return any(resource.startswith(setting.names) for resource in requests)
    return True
