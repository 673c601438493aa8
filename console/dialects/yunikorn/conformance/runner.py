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
from console.engine.disciplines.hierarchy.spec import (
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


def read_spec(text: str, *, is_update: bool = False) -> HierarchySpec:
    """
    Return the spec of the config of a case, with all behavior of YuniKorn.

    At its start, YuniKorn goes on without any rule if it cannot build one; it refuses an update.
    Raises MalformedCase if YuniKorn refuses the config.
    """
    source = read_source(text, stream=True)
    examined = examine(source, YUNIKORN)
    if examined is None or not source.roots:
        raise MalformedCase("the config cannot be read")
    messages, document = examined.problems.messages, examined.document
    has_bad_rules = bool(messages[Stage.UPDATE]) and not is_update
    refused = [stage for stage in Stage if messages[stage]]
    if refused and not (has_bad_rules and refused == [Stage.UPDATE]):
        raise MalformedCase(f"the config has errors: {messages[refused[0]][0]}")
    if has_bad_rules:
        for each in document.partitions:
            each.rules = ()
    policy = compile_policy(document, examined.amounts, YUNIKORN, source.positions)
    spec = hierarchy_of(policy)
    if not has_bad_rules:
        return spec
    partitions = {name: replace(each, rules=(_NO_QUEUE,)) for name, each in spec.partitions.items()}
    return replace(spec, partitions=partitions)
