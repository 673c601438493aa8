"""The tables of guarantees, maxima and numbers of applications against those above."""

from __future__ import annotations

import pytest

from console.dialects.yunikorn.validator import validator_message
from tests.dialects.yunikorn.texts import in_partition, read


def queue(
    name: str, *below: str, guaranteed: str = "", maximum: str = "", applications: int | None = None
) -> str:
    """Return a queue in flow style, with quantities such as ``memory: 100``."""
    amounts = [
        f"{key}: {{{text}}}" for key, text in (("guaranteed", guaranteed), ("max", maximum)) if text
    ]
    parts = [f"name: {name}"]
    parts += [f"resources: {{{', '.join(amounts)}}}"] if amounts else []
    parts += [f"maxapplications: {applications}"] if applications is not None else []
    parts += [f"queues: [{', '.join(below)}]"] if below else []
    return f"{{{', '.join(parts)}}}"


ROOT = "root queue must not have resource limits set"
LARGER = (
    "max resource of parent map[memory:100] is smaller than maximum resource map[memory:101] for "
    "queue c"
)
SUM = (
    "guaranteed resource of parent map[memory:100] is smaller than sum of guaranteed resources "
    "map[memory:110] of the children for queue p"
)
OVER_MAXIMUM = (
    "guaranteed resource map[vcore:2000] is larger than maximum resource map[vcore:1500] for "
    "queue a"
)
SUM_OVER_ZERO = (
    "guaranteed resource of parent map[memory:0] is smaller than sum of guaranteed resources "
    "map[memory:1] of the children for queue p"
)
SUM_OVER_MAXIMUM_ABOVE = (
    "max resource map[memory:100] is smaller than sum of guaranteed resources map[memory:110] of "
    "the children for queue m"
)
SUM_OVER_MAXIMUM = (
    "max resource map[memory:10] is smaller than sum of guaranteed resources map[memory:11] of the "
    "children for queue p"
)
ABOVE = "parent maxApplications must be larger than child maxApplications"
MISSING = (
    "maxApplications is either undefined or zero, which is not allowed when parent queue's "
    "maxApplications is defined"
)

#: Queues, YuniKorn's message, and the codes here besides those of units.
TABLE: dict[str, tuple[str, str | None, list[str]]] = {
    "resources of the root": (
        "{name: root, resources: {max: {memory: 0}}}",
        ROOT,
        ["YUN003", "YUN052"],
    ),
    "an empty maximum of the root": ("{name: root, resources: {max: {}}}", ROOT, ["YUN003"]),
    "a null maximum of the root": ("{name: root, resources: {max: }}", None, []),
    "a guarantee above the maximum": (
        queue("a", guaranteed="vcore: 2", maximum="vcore: 1500m"),
        OVER_MAXIMUM,
        ["YUN010"],
    ),
    "different resources": (queue("a", guaranteed="gpu: 2", maximum="vcore: 1"), None, []),
    "a maximum above that of the parent": (
        queue("p", queue("c", maximum="memory: 101"), maximum="memory: 100"),
        LARGER,
        ["YUN011"],
    ),
    "a maximum above that of a queue farther above": (
        queue("p", queue("m", queue("c", maximum="memory: 101")), maximum="memory: 100"),
        LARGER,
        ["YUN011"],
    ),
    "guarantees above that of the parent": (
        queue(
            "p",
            queue("a", guaranteed="memory: 60"),
            queue("b", guaranteed="memory: 50"),
            guaranteed="memory: 100",
        ),
        SUM,
        ["YUN012"],
    ),
    "a guarantee of another resource than that of the parent": (
        queue("p", queue("c", guaranteed="vcore: 60"), guaranteed="memory: 100"),
        None,
        [],
    ),
    "a guarantee below one of 0": (
        queue("p", queue("c", guaranteed="memory: 1"), guaranteed="memory: 0"),
        SUM_OVER_ZERO,
        ["YUN012"],
    ),
    "guarantees above the maximum of a queue farther above": (
        queue(
            "p",
            queue("m", queue("a", guaranteed="memory: 60"), queue("b", guaranteed="memory: 50")),
            maximum="memory: 100",
        ),
        SUM_OVER_MAXIMUM_ABOVE,
        # Of the queue between, and of the one with the maximum.
        ["YUN013", "YUN013"],
    ),
    "a guarantee that YuniKorn does not add up": (
        queue(
            "p",
            queue("m", queue("c", guaranteed="vcore: 9"), guaranteed="memory: 1"),
            guaranteed="vcore: 5, memory: 5",
        ),
        None,
        ["YUN053"],
    ),
    "a guarantee above the maximum of the parent": (
        queue("p", queue("c", guaranteed="memory: 11"), maximum="memory: 10"),
        SUM_OVER_MAXIMUM,
        ["YUN013"],
    ),
    "maxima whose sum exceeds that of the parent": (
        queue(
            "p",
            queue("a", maximum="memory: 100"),
            queue("b", maximum="memory: 100"),
            maximum="memory: 100",
        ),
        None,
        [],
    ),
    "more applications than the root": (
        queue("root", queue("c", applications=6), applications=5),
        ABOVE,
        ["YUN035"],
    ),
    "no number of applications": (
        queue("root", queue("c"), applications=5),
        MISSING,
        ["YUN036"],
    ),
    "0 applications": (
        queue("root", queue("c", applications=0), applications=5),
        MISSING,
        ["YUN036"],
    ),
    "as many applications in each": (
        queue("root", queue("c", applications=5), queue("d", applications=5), applications=5),
        None,
        [],
    ),
    "applications below a root without a number": (
        queue("root", queue("c", queue("d", applications=5), applications=5)),
        None,
        [],
    ),
}


@pytest.mark.parametrize(("queues", "message", "codes"), TABLE.values(), ids=TABLE)
def test_the_table(queues: str, message: str | None, codes: list[str]) -> None:
    text = in_partition(queues)
    assert validator_message(text) == (message, None)
    found = [each for each in read(text).diagnostics if each.code != "YUN058"]
    assert [each.code for each in found] == codes
    assert message in {None, *(each.original for each in found)}


def test_hidden_guarantees_are_not_reported_by_a_switch() -> None:
    hidden, _, _ = TABLE["a guarantee that YuniKorn does not add up"]
    text = f"x-compatibility: hidden_guarantees\n{in_partition(hidden)}"
    assert [each.code for each in read(text).diagnostics] == ["YUN058", "YUN058", "YUN058"]


def test_amounts_of_templates_are_compared_with_nothing() -> None:
    template = "{guaranteed: {memory: 50G}, max: {memory: 10G}}"
    queues = (
        f"{{name: p, parent: true, resources: {{max: {{memory: 5G}}}},"
        f" childtemplate: {{resources: {template}}}}}"
    )
    assert read(in_partition(queues)).diagnostics == ()
