"""Nodes: what they offer, their labels and taints, and whether they accept pods."""

from __future__ import annotations

from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.kai.codes import BAD_QUANTITY, NODE_OFFERS_NOTHING
from console.dialects.kai.manifests import Manifest, read_header
from console.dialects.kai.schema import NodeDoc
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.quantity import amount_of, suggest_quantities
from console.dialects.repairs import replace
from console.dialects.wording import shorten
from console.dialects.written import Written, value_of
from console.engine.model.amounts import Unlimited
from console.engine.model.nodes import Taint, TaintEffect

TAINT: Final = Shape("a taint", ("key", "value", "effect", "timeAdded"))


def read_node(manifest: Manifest, findings: Findings) -> NodeDoc:
    """Read a Node; most of its fields are not read."""
    fields = manifest.fields(findings, "spec", "status")
    header = read_header(fields)
    spec, status = fields.mapping_of_any("spec"), fields.mapping_of_any("status")
    offered = status[0].mapping_of_any("allocatable") if status is not None else None
    if offered is None and isinstance(header.name, Written):
        findings.add(
            NODE_OFFERS_NOTHING,
            header.name.place,
            f'Node "{shorten(header.name.value)}" offers nothing: it has no status.allocatable.',
            "Add status.allocatable, such as cpu, memory and nvidia.com/gpu.",
        )
    is_open = spec is None or _scalar(spec[0].node("unschedulable")) != "true"
    return NodeDoc(
        place=fields.place,
        name=header.name,
        labels=header.labels,
        taints=_taints(spec[0]) if spec is not None else (),
        offered=_offered(*offered) if offered is not None else {},
        is_ready=is_open and (status is None or _is_ready(status[0].node("conditions"))),
    )


def _taints(spec: Fields) -> tuple[Taint, ...]:
    taints = spec.mappings("taints", TAINT)
    found = []
    for each in taints.value if isinstance(taints, Written) else ():
        if not isinstance(each, Fields):
            continue
        key = each.text("key", required=True)
        value = each.text("value", blank_is_absent=True)
        effect = each.choice("effect", TaintEffect, required=True)
        if isinstance(key, Written) and isinstance(effect, Written):
            found.append(Taint(key.value, value_of(value) or "", effect.value))
    return tuple(found)


def _offered(allocatable: Fields, resources: tuple[str, ...]) -> dict[str, int]:
    found = {}
    for resource in resources:
        node, at = allocatable.node(resource), allocatable.key_place(resource)
        if node is None or at is None or isinstance(node, UnreadNode):
            continue
        place = Place(node.start, node.end, at.path)
        amount = _quantity(node, resource)
        if amount is None:
            text = node.text if isinstance(node, ScalarNode) else ""
            shown = f'"{shorten(text)}"' if text else "this"
            allocatable.findings.add(
                BAD_QUANTITY,
                place,
                f"{shorten(resource)}: {shown} is not a quantity of 0 or more.",
                "Write it like 64, 500m or 256Gi.",
                tuple(replace(place, each) for each in suggest_quantities(text)),
            )
        else:
            found[resource] = amount
    return found


def _quantity(node: Node, resource: str) -> int | None:
    if not isinstance(node, ScalarNode):
        return None
    try:
        amount = amount_of(node.text, resource)
    except ValueError:
        return None
    return None if isinstance(amount, Unlimited) or amount < 0 else amount


def _is_ready(conditions: Node | None) -> bool:
    """Return whether the condition Ready is not stated, or true."""
    for each in conditions.items if isinstance(conditions, ListNode) else ():
        if isinstance(each, MapNode):
            kind, status = (each.entries.get(key, (None, None))[1] for key in ("type", "status"))
            if _scalar(kind) == "Ready":
                return (_scalar(status) or "").lower() == "true"
    return True


def _scalar(node: Node | None) -> str | None:
    return node.text if isinstance(node, ScalarNode) else None
