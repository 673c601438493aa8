"""Compiles a native document without errors to the policy of the engine."""

from __future__ import annotations

from console.dialects.findings import Place
from console.dialects.native.schema import (
    Document,
    ExpressionDoc,
    FlavorDoc,
    GroupDoc,
    NeverOrLower,
    PreemptionDoc,
    PriorityDoc,
    QueueDoc,
    QuotaDoc,
    ResourceDoc,
    RuleDoc,
)
from console.dialects.positions import Positions
from console.dialects.written import Read, Written, value_of, written_items
from console.engine.disciplines.quota.spec import (
    Cohort,
    Flavor,
    FlavorQuotas,
    Preemption,
    PreemptionRule,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.model.selectors import EVERYTHING, MatchExpression, Selector
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import OnViolation, PriorityPolicy, Rule


def compile_policy(document: Document, positions: Positions) -> Policy:
    """Return the policy of a document without errors."""
    return _Compiler(positions).policy(document)


class _Compiler:
    """Converts the parts of a document to parts of a policy, each with its origin."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions

    def policy(self, document: Document) -> Policy:
        flavors = [self._flavor(flavor) for flavor in document.flavors]
        queues = [self._queue(queue) for queue in document.queues]
        return quota_policy(
            "native",
            flavors={flavor.name: flavor for flavor in flavors},
            queues={queue.name: queue for queue in queues},
            # A cohort exists because queues name it; it has no quota itself.
            cohorts={queue.parent: Cohort(name=queue.parent) for queue in queues if queue.parent},
            routing=route_by(self._rule(index, rule) for index, rule in enumerate(document.rules)),
        )

    def _origin(self, place: Place) -> Origin:
        return self._positions.span(place.start, place.end)

    def _flavor(self, flavor: FlavorDoc) -> Flavor:
        return Flavor(
            name=_required(flavor.name),
            selector=self._selector(flavor.selector),
            launch_config=value_of(flavor.advanced_instance_config),
            origin=self._origin(flavor.place),
        )

    def _selector(self, selector: Read[tuple[ExpressionDoc, ...]]) -> Selector:
        if not isinstance(selector, Written) or not selector.value:
            return EVERYTHING
        expressions = tuple(self._expression(expression) for expression in selector.value)
        return Selector(expressions, self._origin(selector.place))

    def _expression(self, expression: ExpressionDoc) -> MatchExpression:
        operator = value_of(expression.operator)
        assert operator is not None, expression
        values = tuple(value.value for value in written_items(expression.values))
        return MatchExpression(
            _required(expression.key), operator, values, self._origin(expression.place)
        )

    def _queue(self, queue: QueueDoc) -> QueueSpec:
        return QueueSpec(
            name=_required(queue.name),
            parent=value_of(queue.cohort_name),
            groups=tuple(self._group(group) for group in queue.groups),
            is_passthrough=not queue.groups,
            preemption=self._preemption(queue.preemption),
            origin=self._origin(queue.place),
        )

    def _preemption(self, preemption: PreemptionDoc | None) -> Preemption:
        if preemption is None:
            return Preemption()
        return Preemption(
            within_queue=_preemption_rule(preemption.within_resource_queue),
            reclaim_within_cohort=_preemption_rule(preemption.reclaim_within_cohort),
            borrow_within_cohort=_preemption_rule(preemption.borrow_within_cohort),
            origin=self._origin(preemption.place),
        )

    def _group(self, group: GroupDoc) -> ResourceGroup:
        resources = tuple(resource.value for resource in written_items(group.covered_resources))
        return ResourceGroup(
            resources=resources,
            flavors=tuple(self._quotas(quota, resources) for quota in group.flavors),
            origin=self._origin(group.place),
        )

    def _quotas(self, quota: QuotaDoc, covered: tuple[str, ...]) -> FlavorQuotas:
        origin = self._origin(quota.place)
        listed = {_required(resource.name): self._quota(resource) for resource in quota.resources}
        # A covered resource that is not listed is unlimited; its origin is the entry of the flavor.
        unlisted = Quota(nominal=UNLIMITED, origin=origin)
        return FlavorQuotas(
            flavor=_required(quota.name),
            quotas={resource: listed.get(resource, unlisted) for resource in covered},
            origin=origin,
        )

    def _quota(self, resource: ResourceDoc) -> Quota:
        return Quota(
            nominal=_amount(resource.nominal_quota),
            borrowing_limit=_amount(resource.borrowing_limit),
            lending_limit=_amount(resource.lending_limit),
            origin=self._origin(resource.place),
        )

    def _rule(self, index: int, rule: RuleDoc) -> Rule:
        return Rule(
            index=index,
            queue=_required(rule.resource_queue),
            selector=self._selector(rule.selector),
            priority=self._priority(rule.priority_policy),
            origin=self._origin(rule.place),
        )

    def _priority(self, policy: PriorityDoc | None) -> PriorityPolicy:
        if policy is None:
            return PriorityPolicy()
        return PriorityPolicy(
            default=value_of(policy.default),
            minimum=value_of(policy.minimum),
            maximum=value_of(policy.maximum),
            on_violation=value_of(policy.on_violation) or OnViolation.REJECT,
            origin=self._origin(policy.place),
        )


def _required(read: Read[str]) -> str:
    """Return a text that is present in every document without errors."""
    text = value_of(read)
    assert text is not None, read
    return text


def _amount(read: Read[int]) -> Amount:
    return read.value if isinstance(read, Written) else UNLIMITED


def _preemption_rule(read: Read[PreemptionRule] | Read[NeverOrLower]) -> PreemptionRule:
    return PreemptionRule(read.value.value) if isinstance(read, Written) else PreemptionRule.NEVER
