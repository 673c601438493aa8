"""Lints of a native config: probable mistakes in a valid document."""

from __future__ import annotations

from collections.abc import Sequence

from console.dialects.findings import Findings, Place
from console.dialects.native.codes import (
    FLAVOR_UNUSED,
    NEVER_HOLDS,
    NO_CATCH_ALL,
    QUEUE_WITHOUT_RULE,
    RULE_NEVER_REACHED,
)
from console.dialects.native.cohort_lints import lint_cohorts
from console.dialects.native.schema import Document, ExpressionDoc, RuleDoc
from console.dialects.wording import shorten
from console.dialects.written import Written, value_of, written_items
from console.engine.model.policy import Policy
from console.engine.model.selectors import Operator
from console.engine.routing.rules import OnViolation


def lint(document: Document, policy: Policy, findings: Findings) -> None:
    """Report probable mistakes in a document without errors; *policy* is its compiled form."""
    _lint_rules(document, findings)
    lint_cohorts(document, policy, findings)
    for selector in (
        *(flavor.selector for flavor in document.flavors),
        *(rule.selector for rule in document.rules),
    ):
        if isinstance(selector, Written):
            _lint_selector(selector.value, findings)
    reached = {value_of(rule.resource_queue) for rule in document.rules}
    for queue in document.queues:
        name = queue.name
        if isinstance(name, Written) and name.value not in reached:
            findings.add(
                QUEUE_WITHOUT_RULE,
                name.place,
                f'No rule routes to queue "{shorten(name.value)}", so no workload ever reaches it.',
                "Add a rule that routes to it, or remove it.",
            )
    used = {value_of(quota.name) for queue in document.queues for quota in queue.quotas()}
    for flavor in document.flavors:
        name = flavor.name
        if isinstance(name, Written) and name.value not in used:
            findings.add(
                FLAVOR_UNUSED,
                name.place,
                f'No queue uses flavor "{shorten(name.value)}".',
                "Add it to a resource group, or remove it.",
            )


def _lint_rules(document: Document, findings: Findings) -> None:
    catch_all: int | None = None
    for index, rule in enumerate(document.rules):
        if catch_all is not None:
            findings.add(
                RULE_NEVER_REACHED,
                _head(rule),
                f"This rule is never reached: scheduling_rules[{catch_all}] matches "
                "every workload.",
                "Move it up, or remove it.",
            )
        elif _matches_everything(rule):
            catch_all = index
    if document.rules and all(_has_selector(rule) for rule in document.rules):
        findings.add(
            NO_CATCH_ALL,
            _head(document.rules[-1]),
            "No rule matches every workload, so a workload that matches none is rejected.",
            "Add a last rule that has no selector.",
        )


def _lint_selector(expressions: Sequence[ExpressionDoc], findings: Findings) -> None:
    """Report the first expression that contradicts the earlier ones."""
    requirements: dict[str | None, _LabelRequirements] = {}
    for expression in expressions:
        key = value_of(expression.key)
        if not requirements.setdefault(key, _LabelRequirements()).add(expression):
            label = shorten(key or "")
            findings.add(
                NEVER_HOLDS,
                expression.place,
                f'No workload matches this together with earlier expressions on label "{label}".',
                "Put alternatives into one list of values.",
            )
            return


class _LabelRequirements:
    """The combined requirements of a selector on one label."""

    def __init__(self) -> None:
        self._present = False
        self._absent = False
        self._allowed: set[str] | None = None
        self._excluded: set[str] = set()

    def add(self, expression: ExpressionDoc) -> bool:
        """Add an expression; return whether a label can still match all of them."""
        values = {item.value for item in written_items(expression.values)}
        match value_of(expression.operator):
            case Operator.IN:
                self._present = True
                self._allowed = values if self._allowed is None else self._allowed & values
            case Operator.NOT_IN:
                self._excluded |= values
            case Operator.EXISTS:
                self._present = True
            case Operator.DOES_NOT_EXIST:
                self._absent = True
        none_left = self._allowed is not None and self._allowed <= self._excluded
        return not none_left and not (self._present and self._absent)


def _head(rule: RuleDoc) -> Place:
    """Return the place of a rule's queue, so that one line is marked instead of the whole rule."""
    queue = rule.resource_queue
    if not isinstance(queue, Written):
        return rule.place
    return Place(queue.place.start, queue.place.end, rule.place.path)


def _has_selector(rule: RuleDoc) -> bool:
    return isinstance(rule.selector, Written) and bool(rule.selector.value)


def _matches_everything(rule: RuleDoc) -> bool:
    """Return whether the rule matches every workload, for all labels and priorities."""
    policy = rule.priority_policy
    if _has_selector(rule):
        return False
    if policy is None or value_of(policy.on_violation) is OnViolation.FORCE_UPDATE:
        return True
    return not value_of(policy.minimum) and policy.maximum is None
