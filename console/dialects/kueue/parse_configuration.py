"""Kueue's own Configuration: fair sharing, and what is not declared (Kueue, spec 1.9)."""

from __future__ import annotations

from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Edit, Repair
from console.dialects.kueue.codes import BAD_STRATEGIES, QUOTA_CHECK_CONFLICT
from console.dialects.kueue.lint_codes import SETTINGS_NOT_USED
from console.dialects.kueue.manifests import Manifest
from console.dialects.kueue.objects import ObjectReader
from console.dialects.kueue.schema import ConfigurationDoc
from console.dialects.kueue.words import QuotaCheck, SharingStrategy
from console.dialects.nodes import ListNode, ScalarNode
from console.dialects.repairs import without_line
from console.dialects.wording import listed
from console.dialects.written import Read, Written

#: Settings that would change who is admitted, and do not here.
_MISSED: Final = ("waitForPodsReady", "admissionFairSharing", "featureGates")
#: Settings of the controller that have nothing to do with admission.
_UNUSED: Final = (
    *("namespace", "webhook", "leaderElection", "metrics", "health", "pprofBindAddress"),
    *("controller", "tls", "gracefulShutDown", "cacheNamespace", "syncPeriod"),
    *("manageJobsWithoutQueueName", "managedJobsNamespaceSelector", "internalCertManagement"),
    *("clientConnection", "integrations", "queueVisibility", "multiKueue"),
    *("objectRetentionPolicies", "visibility"),
)
#: Everything that a Configuration may have.
KEYS: Final = ("fairSharing", "resources", *_MISSED, *_UNUSED)
FAIR_SHARING: Final = {
    "v1beta1": Shape("fair sharing in v1beta1", ("enable", "preemptionStrategies")),
    "v1beta2": Shape("fair sharing in v1beta2", ("preemptionStrategies",)),
}
RESOURCES: Final = Shape(
    "resources",
    (
        *("quotaCheckStrategy", "excludeResourcePrefixes", "transformations"),
        "deviceClassMappings",
    ),
)
_COMBINATIONS: Final = (
    (SharingStrategy.FINAL_SHARE,),
    (SharingStrategy.INITIAL_SHARE,),
    (SharingStrategy.FINAL_SHARE, SharingStrategy.INITIAL_SHARE),
)


def read_configuration(manifest: Manifest, objects: ObjectReader) -> ConfigurationDoc:
    """Read a Configuration; it has no name."""
    fields = objects.fields(manifest, *KEYS)
    _note_others(fields)
    version = FAIR_SHARING[manifest.version]
    sharing = fields.mapping("fairSharing", version)
    strategies: Read[tuple[Written[SharingStrategy], ...]] = None
    is_enabled = isinstance(sharing, Fields)
    if isinstance(sharing, Fields):
        strategies = _strategies(sharing, required="enable" not in version.keys)
        enable = sharing.node("enable")
        is_enabled = not (isinstance(enable, ScalarNode) and enable.text == "false")
    resources = fields.mapping("resources", RESOURCES)
    return ConfigurationDoc(
        place=fields.place,
        fair_sharing=fields.key_place("fairSharing") if is_enabled else None,
        strategies=strategies,
        quota_check=_quota_check(resources) if isinstance(resources, Fields) else None,
    )


def _note_others(fields: Fields) -> None:
    places = {key: place for key in _UNUSED if (place := fields.key_place(key)) is not None}
    if places:
        names = listed(places, "and")
        verb = "is" if len(places) == 1 else "are"
        first = min(places.values())
        fields.findings.add(SETTINGS_NOT_USED, first, f"{names} {verb} not used.")


def _strategies(sharing: Fields, *, required: bool) -> Read[tuple[Written[SharingStrategy], ...]]:
    key = "preemptionStrategies"
    read = sharing.choices(key, SharingStrategy, required=required)
    if isinstance(read, Written) and read.value:
        words = tuple(word.value for word in read.value)
        if words not in _COMBINATIONS:
            meant = tuple(word for word in SharingStrategy if word in words)
            order = f"[{', '.join(meant)}]"
            edits = [
                Edit(old.place.start, old.place.end, word.value)
                for old, word in zip(read.value, meant, strict=False)
            ]
            sharing.findings.add(
                BAD_STRATEGIES,
                read.place,
                f"[{', '.join(words)}] is not a combination of strategies.",
                f"Write {order}.",
                (Repair(f"Write {order}", tuple(edits)),) if len(meant) == len(words) else (),
            )
    return read


def _quota_check(resources: Fields) -> Read[QuotaCheck]:
    check = resources.choice("quotaCheckStrategy", QuotaCheck)
    excluded = resources.node("excludeResourcePrefixes")
    if (
        isinstance(excluded, ListNode)
        and excluded.items
        and isinstance(check, Written)
        and check.value is QuotaCheck.IGNORE_UNDECLARED
    ):
        resources.findings.add(
            QUOTA_CHECK_CONFLICT,
            check.place,
            "IgnoreUndeclared cannot be combined with excludeResourcePrefixes.",
            "Remove one of the two.",
            (without_line(resources.findings, check.place, "quotaCheckStrategy"),),
        )
    return check
