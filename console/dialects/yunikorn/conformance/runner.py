"""The signature of a runner, and the config of a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.result import Result
from console.dialects.source import read_source
from console.dialects.yunikorn.compile import compile_policy
from console.dialects.yunikorn.problems import Stage
from console.dialects.yunikorn.reading import examine
from console.dialects.yunikorn.validator import text_message, validator_message
from console.engine.disciplines.hierarchy.spec import (
    DEFAULT_PARTITION,
    YUNIKORN,
    HierarchySpec,
    PlacementRule,
    RuleKind,
    hierarchy_of,
)

#: (id, case, engine under test) -> result. All cases run with the engine of the product.
Runner: TypeAlias = Callable[[str, Mapping[str, Any], object], Result]

#: The beginning of all types of cases.
PREFIX: Final = "yunikorn_"

#: A rule that answers no queue to an application that need not be accepted.
_NO_QUEUE: Final = PlacementRule(kind=RuleKind.RECOVERY, creates=True)


class RefusedConfig(MalformedCase):
    """A config that YuniKorn refuses; its text is YuniKorn's message."""


def read_spec(text: str, *, is_update: bool = False) -> HierarchySpec:
    """
    Return the spec of the config of a case, with all behavior of YuniKorn.

    At its start, YuniKorn goes on without any rule if it cannot build one; it refuses an update.
    Raises RefusedConfig if YuniKorn refuses the config, and MalformedCase if it does not have the
    partition of the cases.
    """
    source = read_source(text, stream=True)
    examined = examine(source, YUNIKORN)
    if examined is None or not source.roots:
        raise RefusedConfig(validator_message(text)[0] or "there is no config")
    messages, document = examined.problems.messages, examined.document
    has_bad_rules = bool(messages[Stage.UPDATE]) and not is_update
    if messages[Stage.TEXT]:
        raise RefusedConfig(text_message(messages[Stage.TEXT]))
    for stage in Stage:
        if messages[stage] and not (has_bad_rules and stage is Stage.UPDATE):
            raise RefusedConfig(messages[stage][0])
    if has_bad_rules:
        for each in document.partitions:
            each.rules = ()
    policy = compile_policy(document, examined.amounts, YUNIKORN, source.positions)
    spec = hierarchy_of(policy)
    if DEFAULT_PARTITION not in spec.partitions:
        raise MalformedCase(f"the config has no partition {DEFAULT_PARTITION}")
    if not has_bad_rules:
        return spec
    partitions = {name: replace(each, rules=(_NO_QUEUE,)) for name, each in spec.partitions.items()}
    return replace(spec, partitions=partitions)
