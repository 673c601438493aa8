"""The objects of a case: JSON manifests of Kueue, compiled to the policy of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from console.dialects.conformance.parts import MalformedCase, choice, objects_in, part, quantity
from console.dialects.quantity import parse_quantity
from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Flavor,
    FlavorQuotas,
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    Undeclared,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.nodes import FlavorToleration, Taint, TaintEffect, Toleration
from console.engine.model.policy import Policy, StopPolicy, Strategy
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting

Node = TypeVar("Node")

_RULES = {
    "Never": PreemptionRule.NEVER,
    "LowerPriority": PreemptionRule.LOWER_PRIORITY,
    "LowerOrNewerEqualPriority": PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY,
    "Any": PreemptionRule.ANY,
}
_STRATEGIES = {"BestEffortFIFO": Strategy.BEST_EFFORT_FIFO, "StrictFIFO": Strategy.STRICT_FIFO}
_SEARCHES = {
    "MayStopSearch": FungibilityPolicy.MAY_STOP,
    "TryNextFlavor": FungibilityPolicy.TRY_NEXT,
}
_PREFERENCES = {
    "BorrowingOverPreemption": Preference.BORROWING_OVER_PREEMPTION,
    "PreemptionOverBorrowing": Preference.PREEMPTION_OVER_BORROWING,
}
_STOPS = {
    "None": StopPolicy.NONE,
    "Hold": StopPolicy.HOLD,
    "HoldAndDrain": StopPolicy.HOLD_AND_DRAIN,
}
_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}
_UNDECLARED = {"BlockUndeclared": Undeclared.BLOCK, "IgnoreUndeclared": Undeclared.IGNORE}
_FAIR_STRATEGIES = {
    "LessThanOrEqualToFinalShare": FairStrategy.FINAL_SHARE,
    "LessThanInitialShare": FairStrategy.INITIAL_SHARE,
}


def read_policy(case: Mapping[str, Any], others: Iterable[LocalQueue] = ()) -> Policy:
    """
    Return the policy of the objects and switches of *case*.

    A missing field has the default of the API (Kueue, spec 1.2 to 1.5). A cohort that is only
    referenced exists without quota; a flavor that is only referenced stays missing, and a local
    queue may refer to a missing queue. *others* are local queues in addition to those of the case.

    Raises MalformedCase if an object is invalid.
    """
    by_kind: dict[str, dict[str, Mapping[str, Any]]] = {}
    local_queues = {}
    namespaces = {}
    for found in objects_in(case, "objects"):
        kind, metadata, spec = part(found, "kind", str), part(found, "metadata", dict), _spec(found)
        name = part(metadata, "name", str)
        if kind == "LocalQueue":
            local = _local_queue(part(metadata, "namespace", str, "default"), name, spec)
            local_queues[local.namespace, local.name] = local
        elif kind == "Namespace":
            namespaces[name] = part(metadata, "labels", dict, {})
        else:
            by_kind.setdefault(kind, {})[name] = spec
    for local_queue in others:
        local_queues[local_queue.namespace, local_queue.name] = local_queue
    queues = _read_each(by_kind, "ClusterQueue", _queue)
    cohorts = _read_each(by_kind, "Cohort", _cohort)
    parents = [queue.parent for queue in queues.values()]
    parents += [cohort.parent for cohort in cohorts.values()]
    for name in filter(None, parents):
        cohorts.setdefault(name, Cohort(name=name))
    return quota_policy(
        "kueue",
        flavors=_read_each(by_kind, "ResourceFlavor", _flavor),
        queues=queues,
        cohorts=cohorts,
        routing=LocalQueueRouting(local_queues=local_queues, namespaces=namespaces),
        settings=QuotaSettings(
            fair_sharing=_fair_sharing(case),
            undeclared=choice(case, "quota_check", _UNDECLARED, "BlockUndeclared"),
            zeros_take_flavors=True,
        ),
    )


def read_toleration(toleration: Mapping[str, Any]) -> Toleration:
    """Return a toleration; raises MalformedCase if a part of it is not a text."""
    return Toleration(
        key=part(toleration, "key", str, ""),
        operator=part(toleration, "operator", str, "Equal"),
        value=part(toleration, "value", str, ""),
        effect=part(toleration, "effect", str, ""),
    )


def _flavor_toleration(toleration: Mapping[str, Any]) -> FlavorToleration:
    read = read_toleration(toleration)
    has_seconds = "tolerationSeconds" in toleration
    return FlavorToleration(
        read.key,
        read.operator,
        read.value,
        read.effect,
        part(toleration, "tolerationSeconds", int) if has_seconds else None,
    )


def read_taint(taint: Mapping[str, Any]) -> Taint:
    """Return a taint; raises MalformedCase if its effect is unknown."""
    return Taint(
        key=part(taint, "key", str),
        value=part(taint, "value", str, ""),
        effect=choice(taint, "effect", {each.value: each for each in TaintEffect}, "NoSchedule"),
    )


def _read_each(
    by_kind: Mapping[str, Mapping[str, Mapping[str, Any]]],
    kind: str,
    read: Callable[[str, Mapping[str, Any]], Node],
) -> dict[str, Node]:
    return {name: read(name, spec) for name, spec in by_kind.get(kind, {}).items()}


def _spec(found: Mapping[str, Any]) -> Mapping[str, Any]:
    return part(found, "spec", dict, {})


def _flavor(name: str, spec: Mapping[str, Any]) -> Flavor:
    return Flavor(
        name=name,
        node_labels=part(spec, "nodeLabels", dict, {}),
        taints=tuple(read_taint(taint) for taint in objects_in(spec, "nodeTaints")),
        tolerations=tuple(map(_flavor_toleration, objects_in(spec, "tolerations"))),
    )


def _cohort(name: str, spec: Mapping[str, Any]) -> Cohort:
    return Cohort(
        name=name,
        parent=part(spec, "parentName", str, "") or None,
        groups=tuple(_groups(spec)),
        fair_weight=_weight(spec),
    )


def _queue(name: str, spec: Mapping[str, Any]) -> QueueSpec:
    return QueueSpec(
        name=name,
        parent=part(spec, "cohortName", str, "") or None,
        groups=tuple(_groups(spec)),
        preemption=_preemption(part(spec, "preemption", dict, {})),
        strategy=choice(spec, "queueingStrategy", _STRATEGIES, "BestEffortFIFO"),
        fungibility=_fungibility(part(spec, "flavorFungibility", dict, {})),
        stop=choice(spec, "stopPolicy", _STOPS, "None"),
        fair_weight=_weight(spec),
        namespaces=_selector(spec.get("namespaceSelector")),
    )


def _local_queue(namespace: str, name: str, spec: Mapping[str, Any]) -> LocalQueue:
    return LocalQueue(
        namespace=namespace,
        name=name,
        queue=part(spec, "clusterQueue", str, ""),
        stop=choice(spec, "stopPolicy", _STOPS, "None"),
    )


def _groups(spec: Mapping[str, Any]) -> Iterator[ResourceGroup]:
    for group in objects_in(spec, "resourceGroups"):
        yield ResourceGroup(
            resources=tuple(part(group, "coveredResources", list, [])),
            flavors=tuple(
                FlavorQuotas(
                    flavor=part(flavor, "name", str),
                    quotas={
                        part(resource, "name", str): _quota(resource)
                        for resource in objects_in(flavor, "resources")
                    },
                )
                for flavor in objects_in(group, "flavors")
            ),
        )


def _quota(resource: Mapping[str, Any]) -> Quota:
    return Quota(
        nominal=_amount(resource, "nominalQuota", 0),
        borrowing_limit=_amount(resource, "borrowingLimit", UNLIMITED),
        lending_limit=_amount(resource, "lendingLimit", UNLIMITED),
    )


def _amount(resource: Mapping[str, Any], name: str, default: Amount) -> Amount:
    if resource.get(name) is None:
        return default
    return quantity(resource, name, part(resource, "name", str))


def _weight(spec: Mapping[str, Any]) -> int:
    """Return the weight in billionths, the precision of quantities."""
    text = part(part(spec, "fairSharing", dict, {}), "weight", str, "1")
    try:
        return parse_quantity(text).nanos
    except ValueError as error:
        raise MalformedCase(f"weight: {error}") from error


def _preemption(spec: Mapping[str, Any]) -> Preemption:
    borrow = part(spec, "borrowWithinCohort", dict, {})
    has_threshold = borrow.get("maxPriorityThreshold") is not None
    return Preemption(
        within_queue=choice(spec, "withinClusterQueue", _RULES, "Never"),
        reclaim_within_cohort=choice(spec, "reclaimWithinCohort", _RULES, "Never"),
        borrow_within_cohort=choice(borrow, "policy", _RULES, "Never"),
        max_priority_threshold=part(borrow, "maxPriorityThreshold", int) if has_threshold else None,
    )


def _fungibility(spec: Mapping[str, Any]) -> Fungibility:
    return Fungibility(
        when_can_borrow=choice(spec, "whenCanBorrow", _SEARCHES, "MayStopSearch"),
        when_can_preempt=choice(spec, "whenCanPreempt", _SEARCHES, "TryNextFlavor"),
        preference=choice(spec, "preference", _PREFERENCES, "BorrowingOverPreemption"),
    )


def _selector(written: Mapping[str, Any] | None) -> Selector | None:
    """Return the selector; None if it is missing, which matches no namespace."""
    if written is None:
        return None
    labels = part(written, "matchLabels", dict, {})
    wanted = [MatchExpression(key, Operator.IN, (value,)) for key, value in labels.items()]
    wanted += [
        MatchExpression(
            part(expression, "key", str),
            choice(expression, "operator", _OPERATORS, ""),
            tuple(part(expression, "values", list, [])),
        )
        for expression in objects_in(written, "matchExpressions")
    ]
    return Selector(tuple(wanted))


def _fair_sharing(case: Mapping[str, Any]) -> tuple[FairStrategy, ...]:
    """Return the strategies; none for null (classical preemption), both for an empty object."""
    if case.get("fair_sharing") is None:
        return ()
    names = part(part(case, "fair_sharing", dict), "strategies", list, [])
    written = ({"name": name} for name in names)
    found = tuple(choice(each, "name", _FAIR_STRATEGIES, "") for each in written)
    return found or tuple(_FAIR_STRATEGIES.values())
