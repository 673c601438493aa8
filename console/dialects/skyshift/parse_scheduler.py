"""The Scheduler: its plugins, and how workloads are placed."""

from __future__ import annotations

from typing import Final

from console.dialects.codes import DUPLICATE_NAME, EMPTY_LIST, NOT_A_MAPPING
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.lists import parse_valid
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode
from console.dialects.repairs import did_you_mean
from console.dialects.repeated import note_repeated
from console.dialects.skyshift.codes import DEFAULT_NOT_FIRST, UNKNOWN_PLUGIN
from console.dialects.skyshift.lists import read_mappings
from console.dialects.skyshift.manifests import Manifest, read_header
from console.dialects.skyshift.numbers import read_weight
from console.dialects.skyshift.schema import PluginDoc, SchedulerDoc
from console.dialects.wording import listed, shorten
from console.dialects.written import UNREAD, Read, Unread, Written
from console.engine.disciplines.placement.plugin_host import HOST
from console.engine.disciplines.placement.spec import (
    DEFAULT_PLUGIN,
    GpuRule,
    OnUnplaceable,
    Rank,
    Reserve,
)

SCHEDULER: Final = Shape(
    "the spec of a Scheduler", ("plugins", "on_unplaceable", "reserve", "gpu_rule", "rank")
)
PLUGIN: Final = Shape("a plugin", ("name", "weight"))


def read_scheduler(manifest: Manifest, findings: Findings) -> SchedulerDoc:
    """Read a Scheduler; its metadata may be absent."""
    fields = manifest.fields(findings)
    header = read_header(fields, "a Scheduler", required=False)
    spec = fields.mapping("spec", SCHEDULER)
    if not isinstance(spec, Fields):
        return SchedulerDoc(place=fields.place, name=header.name)
    return SchedulerDoc(
        place=fields.place,
        name=header.name,
        plugins=_plugins(spec),
        on_unplaceable=spec.choice("on_unplaceable", OnUnplaceable),
        reserve=spec.choice("reserve", Reserve),
        gpu_rule=spec.choice("gpu_rule", GpuRule),
        rank=spec.choice("rank", Rank),
    )


def _plugins(spec: Fields) -> Read[tuple[PluginDoc, ...]]:
    node, at = spec.node("plugins"), spec.key_place("plugins")
    if at is None or not isinstance(node, ListNode):
        return parse_valid(read_mappings(spec, "plugins", PLUGIN), _plugin)
    place = Place(node.start, node.end, at.path)
    if not node.items:
        message = "plugins is empty; it needs at least one item."
        spec.findings.add(EMPTY_LIST, place, message, "Omit plugins for the standard ones.")
        return UNREAD
    items = [_fields(item, f"{at.path}[{i}]", spec.findings) for i, item in enumerate(node.items)]
    found = parse_valid(Written(tuple(items), place), _plugin)
    if isinstance(found, Written):
        _check(found.value, node, spec.findings)
    return found


def _fields(item: Node, path: str, findings: Findings) -> Fields | Unread:
    """Return the fields of a plugin; a text is short for a mapping with this name."""
    if isinstance(item, ScalarNode):
        key = ScalarNode(item.start, item.start, "name", True)
        item = MapNode(item.start, item.end, {"name": (key, item)})
    if isinstance(item, MapNode):
        return Fields(item, path, PLUGIN, findings)
    if isinstance(item, ListNode):
        place = Place(item.start, item.end, path)
        message = "A plugin must be a name or a mapping, not a list."
        findings.add(NOT_A_MAPPING, place, message, f"It has {listed(PLUGIN.keys, 'and')}.")
    return UNREAD


def _plugin(fields: Fields) -> PluginDoc:
    plugin = PluginDoc(
        place=fields.place,
        name=fields.text("name", required=True),
        weight=fields.number("weight", read_weight),
    )
    name = plugin.name
    if isinstance(name, Written) and name.value not in HOST.names:
        _unknown(name, fields.findings)
    return plugin


def _unknown(name: Written[str], findings: Findings) -> None:
    """Report a plugin that is not installed, or that is and cannot be used."""
    problem = HOST.problems.get(name.value)
    if problem is not None:
        message = f'The plugin "{shorten(name.value)}" cannot be used: {shorten(problem, 300)}'
        findings.add(UNKNOWN_PLUGIN, name.place, message, "Ask the operators of Sluice to fix it.")
        return
    hint, repairs = did_you_mean(findings, name.place, name.value, HOST.names)
    findings.add(
        UNKNOWN_PLUGIN,
        name.place,
        f'The scheduler has no plugin "{shorten(name.value)}".',
        hint or f"It has {listed(HOST.names, 'and')}.",
        repairs,
    )


def _check(plugins: tuple[PluginDoc, ...], node: ListNode, findings: Findings) -> None:
    names = [plugin.name for plugin in plugins if isinstance(plugin.name, Written)]
    first = note_repeated(findings, DUPLICATE_NAME, names, "Plugin")
    if len(names) < len(node.items) or names[0].value not in HOST.names:
        return
    if names[0].value == DEFAULT_PLUGIN or HOST.may_spread(names[0].value):
        return
    if DEFAULT_PLUGIN in first:
        repairs = _exchange(plugins, findings)
    else:
        repairs = _insert_first(node, findings)
    findings.add(
        DEFAULT_NOT_FIRST,
        names[0].place,
        f"{shorten(names[0].value)} is the first plugin, and it cannot spread replicas over "
        "clusters.",
        f"Put {DEFAULT_PLUGIN} first.",
        repairs,
    )


def _exchange(plugins: tuple[PluginDoc, ...], findings: Findings) -> tuple[Repair, ...]:
    """Return the repair that exchanges DefaultPlugin with the first plugin."""
    text = findings.positions.text
    places = [plugin.place for plugin in plugins]
    default = next(
        plugin.place
        for plugin in plugins
        if isinstance(plugin.name, Written) and plugin.name.value == DEFAULT_PLUGIN
    )
    first = places[0]
    one, other = text[first.start : first.end], text[default.start : default.end]
    if first.end > default.start or "\n" in one + other or "\r" in one + other:
        return ()
    edits = (Edit(first.start, first.end, other), Edit(default.start, default.end, one))
    return (Repair(f"Put {DEFAULT_PLUGIN} first", edits),)


def _insert_first(node: ListNode, findings: Findings) -> tuple[Repair, ...]:
    """Return the repair that adds DefaultPlugin before the first plugin."""
    text = findings.positions.text
    start = node.items[0].start
    if text.startswith("[", node.start):
        added = f"{DEFAULT_PLUGIN}, "
    else:
        line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        dash = text[line:start]
        if dash.strip(" ") != "-":
            return ()
        added = f"{DEFAULT_PLUGIN}\n{dash}"
    return (Repair(f"Add {DEFAULT_PLUGIN}", (Edit(start, start, added),)),)
