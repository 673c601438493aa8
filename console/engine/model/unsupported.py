"""Settings that are not acted on: which of those of a policy matter to one workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from console.engine.model.policy import Policy, Unsupported, UnsupportedSetting
from console.engine.model.trace import GroupStep, OutcomeStep
from console.engine.model.workload import Workload


def unsupported_for(
    policy: Policy,
    workload: Workload,
    queue: str | None,
    groups: tuple[GroupStep, ...],
    outcome: OutcomeStep,
) -> tuple[UnsupportedSetting, ...]:
    """
    Return the settings of *policy* that are not acted on and matter to *workload*.

    Those of its queue and of its labels do, of the whole policy those that concern what it
    requests or how far it came, and of flavors those of the flavors it got, or was looked at for.
    """
    found = [each for each in policy.unsupported if _concerns(each, workload.total())]
    found += (
        UnsupportedSetting(kind=kind, subject=label)
        for label, kind in policy.unsupported_labels.items()
        if label in workload.labels
    )
    if queue is not None and queue in policy.queues:
        found += policy.queues[queue].unsupported
    for name in dict.fromkeys(_flavors(groups, outcome)):
        found += policy.spec.unsupported_of(name)
    return tuple(found)


def _concerns(setting: UnsupportedSetting, requests: Mapping[str, int]) -> bool:
    match setting.kind:
        case Unsupported.TRANSFORMATIONS:
            return not requests.keys().isdisjoint(setting.names)
        case Unsupported.EXCLUDED_RESOURCES:
            return any(resource.startswith(setting.names) for resource in requests)
    return True


def _flavors(groups: tuple[GroupStep, ...], outcome: OutcomeStep) -> Iterator[str]:
    if outcome.assignment:
        for each in outcome.assignment:
            yield from each.flavors.values()
        return
    for group in groups:
        yield from (tried.flavor for tried in group.flavors)
