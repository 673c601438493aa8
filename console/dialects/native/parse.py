"""Nodes to the native document, with all findings about single fields."""

from __future__ import annotations

from console.dialects.codes import NOT_A_MAPPING
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.lists import parse_each, parse_valid, valid_items
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
from console.dialects.nodes import MapNode, Node, ScalarNode, UnreadNode
from console.dialects.written import Read, Unread, Written
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.model.selectors import Operator
from console.engine.routing.rules import OnViolation

DOCUMENT = Shape("the config", ("resource_flavors", "resource_queues", "scheduling_rules"))
FLAVOR = Shape("a flavor", ("name", "selector", "advanced_instance_config"))
QUEUE = Shape("a queue", ("name", "preemption", "resource_groups", "cohort_name"))
PREEMPTION = Shape(
    "preemption", ("within_resource_queue", "reclaim_within_cohort", "borrow_within_cohort")
)
GROUP = Shape("a resource group", ("covered_resources", "flavors"))
QUOTA = Shape("a flavor of a resource group", ("name", "resources"))
RESOURCE = Shape(
    "a resource of a flavor", ("name", "nominal_quota", "borrowing_limit", "lending_limit")
)
RULE = Shape("a scheduling rule", ("selector", "resource_queue", "priority_policy"))
PRIORITY = Shape("a priority policy", ("default", "min", "max", "on_violation"))
EXPRESSION = Shape("a match expression", ("key", "operator", "values"))


def parse(root: Node, findings: Findings) -> Document:
    """Read *root* as a native document; invalid parts are reported and omitted."""
    if isinstance(root, MapNode):
        return _document(Fields(root, "", DOCUMENT, findings))
    if not isinstance(root, UnreadNode) and not (isinstance(root, ScalarNode) and root.is_null):
        kind = "text" if isinstance(root, ScalarNode) else "a list"
        findings.add(
            NOT_A_MAPPING,
            Place(root.start, root.end),
            f"A config is a mapping, not {kind}.",
            "It has resource_flavors, resource_queues and scheduling_rules.",
        )
    return Document()


def _document(fields: Fields) -> Document:
    flavors = parse_each(fields.mappings("resource_flavors", FLAVOR), _flavor)
    queues = parse_each(fields.mappings("resource_queues", QUEUE), _queue)
    rules = parse_each(fields.mappings("scheduling_rules", RULE), _rule)
    return Document(
        flavors=valid_items(flavors),
        queues=valid_items(queues),
        rules=valid_items(rules),
        all_flavors_known=_all_known(flavors),
        all_queues_known=_all_known(queues),
    )


def _all_known(
    read: Read[tuple[FlavorDoc | Unread, ...]] | Read[tuple[QueueDoc | Unread, ...]],
) -> bool:
    """Return whether no item and no name is invalid; an item without a name is allowed."""
    if not isinstance(read, Written):
        return read is None
    return not any(isinstance(i, Unread) or isinstance(i.name, Unread) for i in read.value)


def _flavor(fields: Fields) -> FlavorDoc:
    return FlavorDoc(
        place=fields.place,
        name=fields.text("name", required=True),
        selector=_selector(fields),
        advanced_instance_config=fields.opaque("advanced_instance_config"),
    )


def _queue(fields: Fields) -> QueueDoc:
    name = fields.text("name", required=True)
    preemption = fields.mapping("preemption", PREEMPTION)
    groups = parse_valid(fields.mappings("resource_groups", GROUP), _group)
    return QueueDoc(
        place=fields.place,
        name=name,
        cohort_name=fields.text("cohort_name"),
        preemption=_preemption(preemption) if isinstance(preemption, Fields) else None,
        resource_groups=groups,
    )


def _preemption(fields: Fields) -> PreemptionDoc:
    return PreemptionDoc(
        place=fields.place,
        within_resource_queue=fields.choice("within_resource_queue", NeverOrLower),
        reclaim_within_cohort=fields.choice("reclaim_within_cohort", PreemptionRule),
        borrow_within_cohort=fields.choice("borrow_within_cohort", NeverOrLower),
    )


def _group(fields: Fields) -> GroupDoc:
    return GroupDoc(
        place=fields.place,
        covered_resources=fields.texts("covered_resources", required=True),
        flavors=valid_items(parse_each(fields.mappings("flavors", QUOTA, required=True), _quota)),
    )


def _quota(fields: Fields) -> QuotaDoc:
    return QuotaDoc(
        place=fields.place,
        name=fields.text("name", required=True),
        resources=valid_items(parse_each(fields.mappings("resources", RESOURCE), _resource)),
    )


def _resource(fields: Fields) -> ResourceDoc:
    return ResourceDoc(
        place=fields.place,
        name=fields.text("name", required=True),
        nominal_quota=fields.amount("nominal_quota"),
        borrowing_limit=fields.amount("borrowing_limit"),
        lending_limit=fields.amount("lending_limit"),
    )


def _rule(fields: Fields) -> RuleDoc:
    priority = fields.mapping("priority_policy", PRIORITY)
    return RuleDoc(
        place=fields.place,
        selector=_selector(fields),
        resource_queue=fields.text("resource_queue", required=True),
        priority_policy=_priority(priority) if isinstance(priority, Fields) else None,
    )


def _priority(fields: Fields) -> PriorityDoc:
    return PriorityDoc(
        place=fields.place,
        default=fields.priority("default"),
        minimum=fields.priority("min"),
        maximum=fields.priority("max"),
        on_violation=fields.choice("on_violation", OnViolation),
    )


def _selector(fields: Fields) -> Read[tuple[ExpressionDoc, ...]]:
    return parse_valid(fields.mappings("selector", EXPRESSION), _expression)


def _expression(fields: Fields) -> ExpressionDoc:
    return ExpressionDoc(
        place=fields.place,
        key=fields.text("key", required=True),
        operator=fields.choice("operator", Operator, required=True),
        values=fields.texts("values", may_be_empty=True),
    )
