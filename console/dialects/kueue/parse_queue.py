"""ClusterQueues and Cohorts of every version, in the form of v1beta2 (Kueue, spec 1.3, 1.4)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeVar

from console.dialects.codes import DUPLICATE_ITEM, DUPLICATE_NAME
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.kueue.codes import BAD_NAME
from console.dialects.kueue.limits import MOST_ITEMS, check_count
from console.dialects.kueue.manifests import Manifest
from console.dialects.kueue.names import check_name
from console.dialects.kueue.objects import ObjectReader
from console.dialects.kueue.parse_groups import read_groups, read_weight
from console.dialects.kueue.schema import (
    CheckRuleDoc,
    CohortDoc,
    ExpressionDoc,
    FungibilityDoc,
    PreemptionDoc,
    QueueDoc,
    SelectorDoc,
)
from console.dialects.kueue.values import read_whole32
from console.dialects.kueue.words import (
    AdmissionMode,
    BorrowPolicy,
    FlavorPreference,
    FlavorSearch,
    MigrationMode,
    OldBorrow,
    OldPreempt,
    QueueingStrategy,
    Reclaim,
    SelectorOperator,
    Stop,
    WithinQueue,
)
from console.dialects.lists import parse_each, parse_valid, valid_items
from console.dialects.nodes import ScalarNode
from console.dialects.repairs import remove_field
from console.dialects.repeated import note_repeated
from console.dialects.written import UNREAD, Read, Written, written_items

Old = TypeVar("Old", bound=StrEnum)

_COMMON: Final = (
    *("resourceGroups", "queueingStrategy", "namespaceSelector", "flavorFungibility"),
    *("preemption", "stopPolicy", "fairSharing", "admissionScope", "admissionChecksStrategy"),
)
#: By version, because fields were renamed, added and removed.
QUEUE: Final = {
    "v1beta1": Shape(
        "the spec of a ClusterQueue in v1beta1", ("cohort", *_COMMON, "admissionChecks")
    ),
    "v1beta2": Shape(
        "the spec of a ClusterQueue in v1beta2",
        ("cohortName", *_COMMON, "concurrentAdmissionPolicy"),
    ),
}
#: The field of a queue with its cohort, by version.
COHORT_OF: Final = {"v1beta1": "cohort", "v1beta2": "cohortName"}
COHORT: Final = {
    version: Shape(f"the spec of a Cohort in {version}", (parent, "resourceGroups", "fairSharing"))
    for version, parent in (
        ("v1alpha1", "parent"),
        ("v1beta1", "parentName"),
        ("v1beta2", "parentName"),
    )
}
FUNGIBILITY: Final = Shape("flavor fungibility", ("whenCanBorrow", "whenCanPreempt", "preference"))
PREEMPTION: Final = Shape(
    "preemption", ("withinClusterQueue", "reclaimWithinCohort", "borrowWithinCohort")
)
BORROW: Final = Shape("borrowing within the cohort", ("policy", "maxPriorityThreshold"))
SELECTOR: Final = Shape("a label selector", ("matchLabels", "matchExpressions"))
EXPRESSION: Final = Shape("an expression of a label selector", ("key", "operator", "values"))
SCOPE: Final = Shape("an admission scope", ("admissionMode",))
CHECKS: Final = Shape("a strategy of admission checks", ("admissionChecks",))
CHECK: Final = Shape("an admission check", ("name", "onFlavors"))
CONCURRENT: Final = Shape("a concurrent admission policy", ("migration",))
MIGRATION: Final = Shape("a migration", ("mode", "constraints"))
CONSTRAINTS: Final = Shape("constraints of a migration", ("lastAcceptableFlavorName",))
#: Words that only v1beta1 has -> the words of v1beta2.
_RENAMED: Final = {
    OldBorrow.BORROW.value: FlavorSearch.MAY_STOP_SEARCH.value,
    OldPreempt.PREEMPT.value: FlavorSearch.MAY_STOP_SEARCH.value,
}


def read_cohort(manifest: Manifest, objects: ObjectReader) -> CohortDoc:
    """Read a Cohort."""
    fields = objects.fields(manifest, "spec", "status")
    header = objects.header(fields, manifest)
    shape = COHORT[manifest.version]
    spec = fields.mapping("spec", shape)
    if not isinstance(spec, Fields):
        return CohortDoc(
            place=fields.place,
            name=header.name,
            deleted=header.deleted,
            parent=spec,
            resource_groups=spec,
            weight=None,
        )
    return CohortDoc(
        place=fields.place,
        name=header.name,
        deleted=header.deleted,
        parent=_parent(spec, shape.keys[0]),
        resource_groups=read_groups(spec),
        weight=read_weight(spec),
    )


def read_queue(manifest: Manifest, objects: ObjectReader) -> QueueDoc:
    """Read a ClusterQueue."""
    fields = objects.fields(manifest, "spec", "status")
    header = objects.header(fields, manifest)
    spec = fields.mapping("spec", QUEUE[manifest.version])
    if not isinstance(spec, Fields):
        return QueueDoc(
            place=fields.place,
            name=header.name,
            deleted=header.deleted,
            spec=None,
            parent=spec,
            resource_groups=spec,
            weight=None,
            strategy=None,
            namespaces=spec,
            fungibility=None,
            preemption=None,
            stop=None,
            checks=None,
            concurrent_admission=None,
        )
    _check_scope(spec)
    preemption = spec.mapping("preemption", PREEMPTION)
    fungibility = spec.mapping("flavorFungibility", FUNGIBILITY)
    return QueueDoc(
        place=fields.place,
        name=header.name,
        deleted=header.deleted,
        spec=spec.place,
        parent=_parent(spec, COHORT_OF[manifest.version]),
        resource_groups=read_groups(spec),
        weight=read_weight(spec),
        strategy=spec.choice("queueingStrategy", QueueingStrategy),
        namespaces=_selector(spec),
        fungibility=_fungibility(fungibility, manifest.version)
        if isinstance(fungibility, Fields)
        else None,
        preemption=_preemption(preemption) if isinstance(preemption, Fields) else None,
        stop=spec.choice("stopPolicy", Stop),
        checks=_checks(spec, manifest.version),
        concurrent_admission=_concurrent_admission(spec),
    )


def _parent(spec: Fields, key: str) -> Read[str]:
    """Read the parent cohort; the pattern of the CRD rejects "", and absent means no parent."""
    node = spec.node(key)
    if not isinstance(node, ScalarNode) or node.text.strip():
        return spec.text(key)
    place = Place(node.start, node.end, f"{spec.place.path}.{key}")
    spec.findings.add(
        BAD_NAME,
        place,
        f"{key} is empty, which the API server refuses.",
        f"Leave {key} out when there is no cohort above.",
        (remove_field(spec.findings, place, key),),
    )
    return UNREAD


def _fungibility(fields: Fields, version: str) -> FungibilityDoc:
    if version == "v1beta1":
        borrow = _to_v1beta2(fields.choice("whenCanBorrow", OldBorrow))
        preempt = _to_v1beta2(fields.choice("whenCanPreempt", OldPreempt))
    else:
        borrow = fields.choice("whenCanBorrow", FlavorSearch, renamed=_RENAMED)
        preempt = fields.choice("whenCanPreempt", FlavorSearch, renamed=_RENAMED)
    return FungibilityDoc(
        place=fields.place,
        when_can_borrow=borrow,
        when_can_preempt=preempt,
        preference=fields.choice("preference", FlavorPreference),
    )


def _to_v1beta2(word: Read[Old]) -> Read[FlavorSearch]:
    """Return a word of v1beta1 as the word of v1beta2."""
    if not isinstance(word, Written):
        return word
    text: str = word.value
    return Written(FlavorSearch(_RENAMED.get(text, text)), word.place)


def _preemption(fields: Fields) -> PreemptionDoc:
    borrow = fields.mapping("borrowWithinCohort", BORROW)
    policy: Read[BorrowPolicy] = None
    threshold: Read[int] = None
    if isinstance(borrow, Fields):
        policy = borrow.choice("policy", BorrowPolicy)
        threshold = borrow.number("maxPriorityThreshold", read_whole32)
    return PreemptionDoc(
        place=fields.place,
        within_queue=fields.choice("withinClusterQueue", WithinQueue),
        reclaim=fields.choice("reclaimWithinCohort", Reclaim),
        borrow=policy,
        threshold=threshold,
    )


def _selector(spec: Fields) -> Read[SelectorDoc]:
    fields = spec.mapping("namespaceSelector", SELECTOR)
    if not isinstance(fields, Fields):
        return fields
    expressions = parse_each(fields.mappings("matchExpressions", EXPRESSION), _expression)
    return Written(
        SelectorDoc(
            labels=fields.texts_by_key("matchLabels", "the value of a label"),
            expressions=valid_items(expressions),
        ),
        fields.place,
    )


def _expression(fields: Fields) -> ExpressionDoc:
    return ExpressionDoc(
        place=fields.place,
        key=fields.text("key", required=True),
        operator=fields.choice("operator", SelectorOperator, required=True),
        values=fields.texts("values"),
    )


def _checks(spec: Fields, version: str) -> Read[tuple[CheckRuleDoc, ...]]:
    """
    Read the admission checks, from either field.

    Only the schema of v1beta2 requires 1 to 64 checks, and unique names and flavors.
    """
    spec.texts("admissionChecks")
    strategy = spec.mapping("admissionChecksStrategy", CHECKS)
    if not isinstance(strategy, Fields):
        return None
    is_bounded = version != "v1beta1"
    rules = parse_valid(strategy.mappings("admissionChecks", CHECK, required=is_bounded), _check)
    if isinstance(rules, Written) and is_bounded:
        _check_bounds(rules.value, spec.findings)
    return rules


def _check(fields: Fields) -> CheckRuleDoc:
    return CheckRuleDoc(
        place=fields.place,
        name=fields.text("name", required=True),
        on_flavors=fields.texts("onFlavors"),
    )


def _check_bounds(rules: tuple[CheckRuleDoc, ...], findings: Findings) -> None:
    check_count([rule.place for rule in rules], MOST_ITEMS, "admission checks", findings)
    names = [rule.name for rule in rules if isinstance(rule.name, Written)]
    note_repeated(findings, DUPLICATE_NAME, names, "Admission check")
    for rule in rules:
        flavors = written_items(rule.on_flavors)
        places = [flavor.place for flavor in flavors]
        check_count(places, MOST_ITEMS, "flavors of a check", findings)
        note_repeated(findings, DUPLICATE_ITEM, flavors, "Flavor")


def _check_scope(spec: Fields) -> None:
    scope = spec.mapping("admissionScope", SCOPE)
    if isinstance(scope, Fields):
        scope.choice("admissionMode", AdmissionMode, required=True)


def _concurrent_admission(spec: Fields) -> Place | None:
    key = "concurrentAdmissionPolicy"
    policy = spec.mapping(key, CONCURRENT)
    if not isinstance(policy, Fields):
        return None
    migration = policy.mapping("migration", MIGRATION, required=True)
    if isinstance(migration, Fields):
        migration.choice("mode", MigrationMode, required=True)
        constraints = migration.mapping("constraints", CONSTRAINTS)
        if isinstance(constraints, Fields):
            flavor = constraints.text("lastAcceptableFlavorName")
            check_name(flavor, "the name of a ResourceFlavor", spec.findings)
    return spec.key_place(key)
