"""The SchedulingShard: the settings of the scheduler."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Edit, Findings, Repair
from console.dialects.kai.codes import BAD_DURATION, NO_EFFECT, NOT_IN_KAI
from console.dialects.kai.durations import read_duration, read_plugin_duration
from console.dialects.kai.manifests import Manifest, read_header, read_time
from console.dialects.kai.numbers import read_quoted_amount, read_runtime, read_weight
from console.dialects.kai.schema import ShardDoc
from console.dialects.numbers import NumberProblem
from console.dialects.wording import listed, shorten
from console.dialects.written import Read, Unread, Written, value_of
from console.engine.disciplines.fairshare.spec import (
    PlacementStrategy,
    QueueRule,
    ReclaimMethod,
    UsageWindow,
    WindowKind,
)
from console.engine.model.amounts import SCALE

SHARD: Final = Shape(
    "the spec of a SchedulingShard",
    (
        *("placementStrategy", "kValue", "minRuntime", "usageDBConfig", "jobQueueRule"),
        *("args", "plugins", "actions", "partitionLabelValue", "queueDepthPerAction"),
    ),
)
PLACEMENT: Final = Shape("a placement strategy", ("gpu", "cpu"))
MIN_RUNTIME: Final = Shape("minRuntime", ("preemptMinRuntime", "reclaimMinRuntime"))
USAGE: Final = Shape(
    "usageDBConfig",
    ("clientType", "connectionString", "connectionStringEnvVar", "usageParams"),
)
USAGE_PARAMETERS: Final = Shape(
    "usageParams",
    (
        *("windowType", "windowSize", "halfLifePeriod", "tumblingWindowStartTime"),
        *("tumblingWindowCronString", "fetchInterval", "stalenessPeriod", "waitTimeout"),
        "extraParams",
    ),
)
#: Arguments of the command line that have effect.
STALE_GRACE: Final = "default-staleness-grace-period"
FULL_HIERARCHY: Final = "full-hierarchy-fairness"
NODE_POOL_KEY: Final = "nodepool-label-key"
ARGUMENTS: Final = (STALE_GRACE, FULL_HIERARCHY, NODE_POOL_KEY)
#: The saturation multiplier as KAI's code reads it, and as its documentation calls it.
SATURATION: Final = "relcaimerSaturationMultiplier"
DOCUMENTED_SATURATION: Final = "reclaimerUtilizationMultiplier"
#: Arguments of plugins that have effect, by plugin.
PLUGINS: Final = {
    "proportion": ("kValue", SATURATION, DOCUMENTED_SATURATION),
    "minruntime": ("defaultPreemptMinRuntime", "defaultReclaimMinRuntime", "reclaimResolveMethod"),
}
PLUGIN: Final = Shape("a plugin", ("enabled", "priority", "arguments"))


class Truth(StrEnum):
    """A boolean in an argument, which is a text."""

    TRUE = "true"
    FALSE = "false"


def read_shard(manifest: Manifest, findings: Findings) -> ShardDoc:
    """Read a SchedulingShard."""
    fields = manifest.fields(findings, "spec", "status")
    header = read_header(fields)
    spec = fields.mapping("spec", SHARD)
    if not isinstance(spec, Fields):
        return ShardDoc(place=fields.place, name=header.name)
    _note_unused(spec, ("actions", "queueDepthPerAction"))
    arguments, proportion, minimum = _arguments(spec), *_plugins(spec)
    strategy = spec.mapping("placementStrategy", PLACEMENT)
    runtimes = spec.mapping("minRuntime", MIN_RUNTIME)
    full = arguments.choice(FULL_HIERARCHY, Truth) if arguments is not None else None
    return ShardDoc(
        place=fields.place,
        name=header.name,
        k_value=spec.number("kValue", read_weight)
        or (_number(proportion, "kValue") if proportion is not None else None),
        saturation_multiplier=_saturation(proportion) if proportion is not None else None,
        preempt_min_runtime=_duration(runtimes, "preemptMinRuntime")
        or _duration(minimum, "defaultPreemptMinRuntime"),
        reclaim_min_runtime=_duration(runtimes, "reclaimMinRuntime")
        or _duration(minimum, "defaultReclaimMinRuntime"),
        reclaim_method=(
            minimum.choice("reclaimResolveMethod", ReclaimMethod) if minimum is not None else None
        ),
        queue_rule=spec.choice("jobQueueRule", QueueRule),
        full_hierarchy=(
            Written(full.value is Truth.TRUE, full.place) if isinstance(full, Written) else None
        ),
        stale_grace=_stale_grace(arguments) if arguments is not None else None,
        usage_window=_usage_window(spec),
        node_pool_key=arguments.text(NODE_POOL_KEY) if arguments is not None else None,
        node_pool=spec.text("partitionLabelValue", blank_is_absent=True),
        gpu_placement=(
            strategy.choice("gpu", PlacementStrategy) if isinstance(strategy, Fields) else None
        ),
        cpu_placement=(
            strategy.choice("cpu", PlacementStrategy) if isinstance(strategy, Fields) else None
        ),
    )


def _arguments(spec: Fields) -> Fields | None:
    """Return the arguments of the command line, and report those without effect."""
    found = spec.mapping_of_any("args")
    if found is None:
        return None
    arguments, names = found
    _note_unused(arguments, [name for name in names if name not in ARGUMENTS])
    return arguments


def _plugins(spec: Fields) -> tuple[Fields | None, Fields | None]:
    """Return the arguments of the two plugins that have some, and report others."""
    found = spec.mapping_of_any("plugins")
    read: dict[str, Fields] = {}
    if found is not None:
        plugins, names = found
        _note_unused(plugins, [name for name in names if name not in PLUGINS])
        for name, known in PLUGINS.items():
            plugin = plugins.mapping(name, PLUGIN)
            if not isinstance(plugin, Fields):
                continue
            _note_unused(plugin, ("enabled", "priority"))
            own = plugin.mapping_of_any("arguments")
            if own is not None:
                read[name] = own[0]
                _note_unused(own[0], [each for each in own[1] if each not in known])
    return read.get("proportion"), read.get("minruntime")


def _number(arguments: Fields, key: str) -> Read[float]:
    number = arguments.number(key, read_quoted_amount)
    return Written(number.value / SCALE, number.place) if isinstance(number, Written) else number


def _saturation(arguments: Fields) -> Read[Fraction]:
    """Return the multiplier under one of its names; KAI's code reads the first one only."""
    key = SATURATION if arguments.key_place(SATURATION) else DOCUMENTED_SATURATION
    number = arguments.number(key, read_quoted_amount)
    place = arguments.key_place(key)
    if key == DOCUMENTED_SATURATION and place is not None:
        edit = Edit(place.start, place.end, SATURATION)
        arguments.findings.add(
            NOT_IN_KAI,
            place,
            f"KAI does not read {key}, although its documentation has it.",
            f"Write {SATURATION}, the name in its code.",
            (Repair(f"Rename it to {SATURATION}", (edit,)),),
        )
    if not isinstance(number, Written):
        return number
    return Written(max(Fraction(1), Fraction(number.value, SCALE)), number.place)


def _duration(fields: Fields | Unread | None, key: str) -> Read[int]:
    return fields.number(key, _read_argument) if isinstance(fields, Fields) else None


def _read_argument(text: str, *, plain: bool) -> int | NumberProblem:
    """Return the duration in an argument; KAI takes 0 for anything else."""
    found = read_plugin_duration(text)
    if found is not None:
        return found
    return NumberProblem(
        BAD_DURATION,
        f'"{shorten(text)}" is not a duration, and KAI takes it for 0',
        "Write it like 90s, 1h30m, 2d or 1w, or 0s.",
        ("0s",),
    )


def _stale_grace(arguments: Fields) -> Read[int]:
    return arguments.number(STALE_GRACE, _read_grace)


def _read_grace(text: str, *, plain: bool) -> int | NumberProblem:
    """Return a duration; a negative one means that stale gangs stay, and is -1."""
    if text.startswith("-") and (read_duration(text) or 0) < 0:
        return -1
    return read_runtime(text, plain=plain)


def _usage_window(spec: Fields) -> UsageWindow | None:
    usage = spec.mapping("usageDBConfig", USAGE)
    if not isinstance(usage, Fields):
        return None
    _note_unused(usage, ("clientType", "connectionString", "connectionStringEnvVar"))
    given = usage.mapping("usageParams", USAGE_PARAMETERS)
    default = UsageWindow()
    if not isinstance(given, Fields):
        return default
    unused = ("tumblingWindowCronString", "fetchInterval", "stalenessPeriod", "waitTimeout")
    _note_unused(given, (*unused, "extraParams"))
    length = value_of(given.number("windowSize", _read_argument))
    half_life = value_of(given.number("halfLifePeriod", _read_argument))
    return UsageWindow(
        kind=value_of(given.choice("windowType", WindowKind)) or default.kind,
        length=length or default.length,
        half_life=half_life or None,
        start=value_of(read_time(given, "tumblingWindowStartTime")) or default.start,
    )


def _note_unused(fields: Fields, keys: tuple[str, ...] | list[str]) -> None:
    """Report those of the fields *keys* that are present: they have no effect here."""
    found = [(key, place) for key in keys if (place := fields.key_place(key))]
    if found:
        names = listed((shorten(key) for key, _ in found), "and")
        fields.findings.add(
            NO_EFFECT, min(place for _, place in found), f"Without effect here: {names}."
        )
