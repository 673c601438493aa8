"""
OpenShift's ``kind: Kueue``, from which an operator generates Kueue's Configuration.

v1 has its own settings, and v1alpha1 has those of the Configuration in v1beta1.
"""

from __future__ import annotations

from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.kueue.lint_codes import NOT_ACTED_ON, SETTINGS_NOT_USED, UNKNOWN_SETTING
from console.dialects.kueue.manifests import Manifest
from console.dialects.kueue.objects import ObjectReader
from console.dialects.kueue.parse_configuration import KEYS, read_settings
from console.dialects.kueue.schema import ConfigurationDoc
from console.dialects.kueue.words import GangScheduling, OperatorPreemption
from console.dialects.wording import listed
from console.dialects.written import value_of

OPERATOR: Final = Shape(
    "the spec of a Kueue",
    (
        *("config", "managementState", "logLevel", "operatorLogLevel"),
        *("observedConfig", "unsupportedConfigOverrides", "image"),
    ),
    UNKNOWN_SETTING,
)
#: Settings of v1 that do not concern admission, or that are reported elsewhere.
_UNUSED: Final = ("integrations", "workloadManagement")
#: Settings of v1 that affect admission in Kueue -> why they do not here.
_UNSUPPORTED: Final = {
    "gangScheduling": "the readiness of pods is not tracked",
    "resources": "requests count as they were submitted",
}
CONFIG: Final = Shape(
    "the config of a Kueue", ("preemption", *_UNSUPPORTED, *_UNUSED), UNKNOWN_SETTING
)
OLD_CONFIG: Final = Shape("the config of a Kueue in v1alpha1", KEYS["v1beta1"], UNKNOWN_SETTING)
PREEMPTION: Final = Shape("preemption of a Kueue", ("preemptionPolicy",), UNKNOWN_SETTING)
GANG: Final = Shape("gang scheduling of a Kueue", ("policy", "byWorkload"), UNKNOWN_SETTING)


def read_operator(manifest: Manifest, objects: ObjectReader) -> ConfigurationDoc:
    """Read the settings of a ``Kueue`` that affect admission, as the generated Configuration."""
    fields = objects.fields(manifest, "spec", "status")
    objects.header(fields, manifest)
    spec = fields.mapping("spec", OPERATOR, required=True)
    is_old = manifest.version == "v1alpha1"
    config = (
        spec.mapping("config", OLD_CONFIG if is_old else CONFIG, required=True)
        if isinstance(spec, Fields)
        else None
    )
    if not isinstance(config, Fields):
        return _empty(fields)
    if is_old:
        return read_settings(config, "v1beta1")
    _warn_unsupported(config)
    _note_unused(config)
    preemption = config.mapping("preemption", PREEMPTION)
    if not isinstance(preemption, Fields):
        return _empty(fields)
    policy = preemption.choice("preemptionPolicy", OperatorPreemption, required=True)
    is_fair = value_of(policy) is OperatorPreemption.FAIR_SHARING
    doc = _empty(fields)
    return ConfigurationDoc(
        place=doc.place,
        # The operator writes both strategies, which is the default here.
        fair_sharing=preemption.key_place("preemptionPolicy") if is_fair else None,
        strategies=None,
        quota_check=None,
        gates={},
    )


def _empty(fields: Fields) -> ConfigurationDoc:
    return ConfigurationDoc(
        place=fields.place, fair_sharing=None, strategies=None, quota_check=None, gates={}
    )


def _warn_unsupported(config: Fields) -> None:
    gangs = config.mapping("gangScheduling", GANG)
    policy = gangs.choice("policy", GangScheduling) if isinstance(gangs, Fields) else None
    for key, why in _UNSUPPORTED.items():
        place = config.key_place(key)
        is_off = key == "gangScheduling" and value_of(policy) is not GangScheduling.BY_WORKLOAD
        if place is not None and not is_off:
            config.findings.add(NOT_ACTED_ON, place, f"{key} is not supported: {why}.")


def _note_unused(config: Fields) -> None:
    places = {key: place for key in _UNUSED if (place := config.key_place(key)) is not None}
    if places:
        verb = "is" if len(places) == 1 else "are"
        config.findings.add(
            SETTINGS_NOT_USED, min(places.values()), f"{listed(places, 'and')} {verb} not used."
        )
