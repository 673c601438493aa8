"""ResourceFlavors: node labels, taints and tolerations (Kueue, spec 1.2)."""

from __future__ import annotations

from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.kueue.codes import BAD_TOLERATION, TAINT_TWICE, TOPOLOGY_NEEDS_LABEL
from console.dialects.kueue.limits import check_count
from console.dialects.kueue.manifests import Manifest
from console.dialects.kueue.names import (
    check_label_key,
    check_label_value,
    check_labels,
    check_name,
)
from console.dialects.kueue.objects import ObjectReader
from console.dialects.kueue.schema import FlavorDoc, TaintDoc, TolerationDoc
from console.dialects.kueue.values import read_whole64
from console.dialects.kueue.words import TolerationOperator
from console.dialects.lists import parse_valid
from console.dialects.nodes import ScalarNode
from console.dialects.repairs import remove_field
from console.dialects.wording import shorten
from console.dialects.written import Read, Written, value_of
from console.engine.model.nodes import TaintEffect

FLAVOR: Final = Shape(
    "the spec of a ResourceFlavor", ("nodeLabels", "nodeTaints", "tolerations", "topologyName")
)
TAINT: Final = Shape("a taint", ("key", "value", "effect", "timeAdded"))
TOLERATION: Final = Shape(
    "a toleration", ("key", "operator", "value", "effect", "tolerationSeconds")
)
_MOST: Final = 8


def read_flavor(manifest: Manifest, objects: ObjectReader) -> FlavorDoc:
    """Read a ResourceFlavor."""
    fields = objects.fields(manifest, "spec")
    header = objects.header(fields, manifest)
    spec = fields.mapping("spec", FLAVOR)
    if not isinstance(spec, Fields):
        return FlavorDoc(
            place=fields.place,
            name=header.name,
            deleted=header.deleted,
            node_labels=None,
            taints=None,
            tolerations=None,
            topology=None,
        )
    flavor = FlavorDoc(
        place=fields.place,
        name=header.name,
        deleted=header.deleted,
        node_labels=spec.texts_by_key("nodeLabels", "the value of a label"),
        taints=parse_valid(spec.mappings("nodeTaints", TAINT), _taint),
        tolerations=parse_valid(spec.mappings("tolerations", TOLERATION), _toleration),
        topology=spec.text("topologyName", blank_is_absent=True),
    )
    _check(flavor, spec.findings)
    return flavor


def _taint(fields: Fields) -> TaintDoc:
    return TaintDoc(
        place=fields.place,
        key=fields.text("key", required=True),
        value=fields.text("value", blank_is_absent=True),
        effect=fields.choice("effect", TaintEffect, required=True),
    )


def _toleration(fields: Fields) -> TolerationDoc:
    toleration = TolerationDoc(
        place=fields.place,
        key=fields.text("key", blank_is_absent=True),
        operator=fields.choice("operator", TolerationOperator),
        value=fields.text("value", blank_is_absent=True),
        effect=fields.choice("effect", TaintEffect),
        seconds=fields.number("tolerationSeconds", read_whole64),
    )
    blank = fields.node("value")
    if (
        value_of(toleration.operator) is TolerationOperator.EXISTS
        and toleration.value is None
        and isinstance(blank, ScalarNode)
    ):
        _note_value(Place(blank.start, blank.end, f"{fields.place.path}.value"), fields.findings)
    return toleration


def _check(flavor: FlavorDoc, findings: Findings) -> None:
    if isinstance(flavor.node_labels, Written):
        labels = flavor.node_labels.value
        check_labels(labels, "node label", findings)
        check_count([key.place for key, _ in labels], _MOST, "node labels", findings)
    if isinstance(flavor.taints, Written):
        check_count([t.place for t in flavor.taints.value], _MOST, "taints", findings)
        _check_taints(flavor.taints.value, findings)
    if isinstance(flavor.tolerations, Written):
        check_count([t.place for t in flavor.tolerations.value], _MOST, "tolerations", findings)
        for toleration in flavor.tolerations.value:
            _check_toleration(toleration, findings)
    if isinstance(flavor.topology, Written):
        _check_topology(flavor, flavor.topology, findings)


def _check_taints(taints: tuple[TaintDoc, ...], findings: Findings) -> None:
    seen: set[tuple[str, TaintEffect]] = set()
    for taint in taints:
        check_label_key(taint.key, "the key of a taint", findings)
        check_label_value(taint.value, "the value of a taint", findings)
        key, effect = value_of(taint.key), value_of(taint.effect)
        if key is None or effect is None:
            continue
        if (key, effect) in seen:
            findings.add(
                TAINT_TWICE,
                taint.place,
                f'The taint "{shorten(key)}" with effect {effect.value} is written twice; taints '
                "must be unique by key and effect.",
                "Remove one of the two, or change its effect.",
            )
        seen.add((key, effect))


def _check_toleration(toleration: TolerationDoc, findings: Findings) -> None:
    check_label_key(toleration.key, "the key of a toleration", findings)
    check_label_value(toleration.value, "the value of a toleration", findings)
    operator = value_of(toleration.operator)
    if toleration.key is None and operator is not TolerationOperator.EXISTS:
        place = toleration.place
        if isinstance(toleration.operator, Written):
            place = toleration.operator.place
        if toleration.operator is None or isinstance(toleration.operator, Written):
            findings.add(
                BAD_TOLERATION,
                place,
                "A toleration without a key needs the operator Exists.",
                "Write operator: Exists to tolerate every taint, or add the key.",
            )
    if operator is TolerationOperator.EXISTS and isinstance(toleration.value, Written):
        _note_value(toleration.value.place, findings)
    _check_seconds(toleration.seconds, toleration.effect, findings)


def _note_value(place: Place, findings: Findings) -> None:
    findings.add(
        BAD_TOLERATION,
        place,
        "A toleration with the operator Exists takes no value.",
        "Remove value, or use Equal.",
        (remove_field(findings, place, "value"),),
    )


def _check_seconds(seconds: Read[int], effect: Read[TaintEffect], findings: Findings) -> None:
    if not isinstance(seconds, Written):
        return
    if effect is None or (
        isinstance(effect, Written) and effect.value is not TaintEffect.NO_EXECUTE
    ):
        findings.add(
            BAD_TOLERATION,
            seconds.place,
            "tolerationSeconds needs the effect NoExecute.",
            "Remove tolerationSeconds, or set effect to NoExecute.",
            (remove_field(findings, seconds.place, "tolerationSeconds"),),
        )


def _check_topology(flavor: FlavorDoc, topology: Written[str], findings: Findings) -> None:
    check_name(topology, "the name of a Topology", findings)
    labels = flavor.node_labels
    if labels is None or (isinstance(labels, Written) and not labels.value):
        findings.add(
            TOPOLOGY_NEEDS_LABEL,
            topology.place,
            "topologyName needs at least one node label, and the flavor has none.",
            "Add nodeLabels, or remove topologyName.",
            (remove_field(findings, topology.place, "topologyName"),),
        )
