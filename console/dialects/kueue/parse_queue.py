"""ClusterQueues and Cohorts, in every version and in one form (Kueue, spec 1.3, 1.4)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeVar

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Place
from console.dialects.kueue.manifests import Manifest
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
from console.dialects.kueue.words import (
    AdmissionMode,
    BorrowPolicy,
    FlavorPreference,
    FlavorSearch,
    OldBorrow,
    OldPreempt,
    QueueingStrategy,
    Reclaim,
    SelectorOperator,
    Stop,
    WithinQueue,
)
from console.dialects.lists import each, each_known, known
from console.dialects.numbers import read_int32
from console.dialects.written import UNREAD, Read, Written

Old = TypeVar("Old", bound=StrEnum)

_COMMON: Final = (
    *("resourceGroups", "queueingStrategy", "namespaceSelector", "flavorFungibility"),
    *("preemption", "stopPolicy", "fairSharing", "admissionScope", "admissionChecksStrategy"),
)
#: What one version calls what the other calls otherwise, or does not have.
QUEUE: Final = {
    "v1beta1": Shape(
        "the spec of a ClusterQueue in v1beta1", ("cohort", *_COMMON, "admissionChecks")
    ),
    "v1beta2": Shape(
        "the spec of a ClusterQueue in v1beta2",
        ("cohortName", *_COMMON, "concurrentAdmissionPolicy"),
    ),
}
_COHORT_OF: Final = {"v1beta1": "cohort", "v1beta2": "cohortName"}
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
#: Words of v1beta1 that v1beta2 has no more.
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
            place=fields.place, name=header.name, parent=spec, resource_groups=spec, weight=None
        )
    return CohortDoc(
        place=fields.place,
        name=header.name,
        parent=spec.text(shape.keys[0], blank_is_absent=True),
        resource_groups=read_groups(spec),
        weight=read_weight(spec),
    )


def read_queue(manifest: Manifest, objects: ObjectReader) -> QueueDoc:
    """Read a ClusterQueue."""
    fields = objects.fields(manifest, "spec", "status")
    header = objects.header(fields, manifest)
    spec = fields.mapping("spec", QUEUE[manifest.version], required=True)
    if not isinstance(spec, Fields):
        return QueueDoc(
            place=fields.place,
            name=header.name,
            spec=fields.place,
            parent=UNREAD,
            resource_groups=UNREAD,
            weight=None,
            strategy=None,
            namespaces=UNREAD,
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
        spec=spec.place,
        parent=spec.text(_COHORT_OF[manifest.version], blank_is_absent=True),
        resource_groups=read_groups(spec),
        weight=read_weight(spec),
        strategy=spec.choice("queueingStrategy", QueueingStrategy),
        namespaces=_selector(spec),
        fungibility=_fungibility(fungibility, manifest.version)
        if isinstance(fungibility, Fields)
        else None,
        preemption=_preemption(preemption) if isinstance(preemption, Fields) else None,
        stop=spec.choice("stopPolicy", Stop),
        checks=_checks(spec),
        concurrent_admission=_concurrent_admission(spec),
    )


def _fungibility(fields: Fields, version: str) -> FungibilityDoc:
    if version == "v1beta1":
        borrow = _lifted(fields.choice("whenCanBorrow", OldBorrow))
        preempt = _lifted(fields.choice("whenCanPreempt", OldPreempt))
    else:
        borrow = fields.choice("whenCanBorrow", FlavorSearch, renamed=_RENAMED)
        preempt = fields.choice("whenCanPreempt", FlavorSearch, renamed=_RENAMED)
    return FungibilityDoc(
        place=fields.place,
        when_can_borrow=borrow,
        when_can_preempt=preempt,
        preference=fields.choice("preference", FlavorPreference),
    )


def _lifted(word: Read[Old]) -> Read[FlavorSearch]:
    """Return a word of v1beta1 as v1beta2 has it."""
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
        threshold = borrow.number("maxPriorityThreshold", read_int32)
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
    expressions = each(fields.mappings("matchExpressions", EXPRESSION), _expression)
    return Written(
        SelectorDoc(
            labels=fields.texts_by_key("matchLabels", "the value of a label"),
            expressions=known(expressions),
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


def _checks(spec: Fields) -> Read[tuple[CheckRuleDoc, ...]]:
    """Read the admission checks, by whichever field."""
    spec.texts("admissionChecks")
    strategy = spec.mapping("admissionChecksStrategy", CHECKS)
    if not isinstance(strategy, Fields):
        return None
    return each_known(strategy.mappings("admissionChecks", CHECK), _check)


def _check(fields: Fields) -> CheckRuleDoc:
    fields.text("name", required=True)
    return CheckRuleDoc(place=fields.place, on_flavors=fields.texts("onFlavors"))


def _check_scope(spec: Fields) -> None:
    scope = spec.mapping("admissionScope", SCOPE)
    if isinstance(scope, Fields):
        scope.choice("admissionMode", AdmissionMode, required=True)


def _concurrent_admission(spec: Fields) -> Place | None:
    key = "concurrentAdmissionPolicy"
    if not isinstance(spec.opaque(key), Written):
        return None
    return spec.key_place(key)
