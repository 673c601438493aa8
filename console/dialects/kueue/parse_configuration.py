"""Kueue's Configuration: fair sharing, quota checks, and checks of other settings (spec 1.9)."""

from __future__ import annotations

from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Edit, Findings, Repair
from console.dialects.kueue.codes import BAD_STRATEGIES, QUOTA_CHECK_CONFLICT
from console.dialects.kueue.configuration_fields import RESOURCES as RESOURCE_SETTINGS
from console.dialects.kueue.configuration_fields import SETTINGS
from console.dialects.kueue.lint_codes import FAIR_SHARING_NOT_ENABLED, SETTINGS_NOT_USED
from console.dialects.kueue.manifests import Manifest
from console.dialects.kueue.schema import ConfigurationDoc
from console.dialects.kueue.typed_fields import check_type, read_boolean
from console.dialects.kueue.words import QuotaCheck, SharingStrategy
from console.dialects.nodes import ListNode, MapNode, ScalarNode
from console.dialects.repairs import remove_field
from console.dialects.wording import listed
from console.dialects.written import Read, Written, value_of

#: Settings that affect admission in Kueue, and not here.
_UNSUPPORTED: Final = ("waitForPodsReady", "admissionFairSharing", "featureGates")
#: By version: the fields of a Configuration other than apiVersion and kind.
KEYS: Final = {
    version: ("fairSharing", "resources", *settings) for version, settings in SETTINGS.items()
}
CONFIGURATION: Final = {
    version: Shape(f"a Configuration in {version}", ("apiVersion", "kind", *keys))
    for version, keys in KEYS.items()
}
FAIR_SHARING: Final = {
    "v1beta1": Shape("fair sharing in v1beta1", ("enable", "preemptionStrategies")),
    "v1beta2": Shape("fair sharing in v1beta2", ("preemptionStrategies",)),
}
RESOURCES: Final = Shape("resources", ("quotaCheckStrategy", *RESOURCE_SETTINGS))
_COMBINATIONS: Final = (
    (SharingStrategy.FINAL_SHARE,),
    (SharingStrategy.INITIAL_SHARE,),
    (SharingStrategy.FINAL_SHARE, SharingStrategy.INITIAL_SHARE),
)


def read_configuration(manifest: Manifest, findings: Findings) -> ConfigurationDoc:
    """Read a Configuration; unlike objects of the API server it has no metadata."""
    shape = CONFIGURATION[manifest.version]
    fields = Fields(manifest.node, manifest.path, shape, findings)
    return read_settings(fields, manifest.version)


def read_settings(fields: Fields, version: str) -> ConfigurationDoc:
    """Read the settings of a Configuration in *version*."""
    _check_other_settings(fields, version)
    sharing = fields.mapping("fairSharing", FAIR_SHARING[version])
    strategies: Read[tuple[Written[SharingStrategy], ...]] = None
    is_enabled = False
    if isinstance(sharing, Fields):
        strategies = _strategies(sharing, required=version != "v1beta1")
        is_enabled = version != "v1beta1" or _is_enabled(sharing, fields)
    resources = fields.mapping("resources", RESOURCES)
    return ConfigurationDoc(
        place=fields.place,
        fair_sharing=fields.key_place("fairSharing") if is_enabled else None,
        strategies=strategies,
        quota_check=_quota_check(resources) if isinstance(resources, Fields) else None,
        gates=_gates(fields),
    )


def _is_enabled(sharing: Fields, fields: Fields) -> bool:
    """Return whether fair sharing of v1beta1 is on; Kueue's conversion drops it without enable."""
    enable = read_boolean(sharing, "enable")
    if enable is None:
        fields.findings.add(
            FAIR_SHARING_NOT_ENABLED,
            fields.key_place("fairSharing") or sharing.place,
            "fairSharing is off: in v1beta1 it needs enable: true.",
            "Add enable: true, or remove fairSharing.",
        )
    return value_of(enable) is True


def _gates(fields: Fields) -> dict[str, bool]:
    """Return the feature gates with a value; invalid values have been reported."""
    node = fields.node("featureGates")
    entries = node.entries.items() if isinstance(node, MapNode) else ()
    return {
        name: value.text.lower() == "true"
        for name, (_, value) in entries
        if isinstance(value, ScalarNode)
    }


def _check_other_settings(fields: Fields, version: str) -> None:
    for key, kind in SETTINGS[version].items():
        check_type(fields, key, kind)
    unused = [key for key in SETTINGS[version] if key not in _UNSUPPORTED]
    places = {key: place for key in unused if (place := fields.key_place(key)) is not None}
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
    for key, kind in RESOURCE_SETTINGS.items():
        check_type(resources, key, kind)
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
            (remove_field(resources.findings, check.place, "quotaCheckStrategy"),),
        )
    return check
