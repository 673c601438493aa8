"""
URLs of all pages and readable API paths of a world.

The patterns of `page_patterns` and `path_patterns` are formatted with the example objects of a
world; a pattern is skipped if the world lacks one of its names. Budgets are recorded by pattern.
`tests/budgets/test_addresses.py` checks that no route is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, Final
from urllib.parse import quote

from tests.worlds.page_patterns import PAGES
from tests.worlds.path_patterns import PATHS
from tests.worlds.world import World


@dataclass(frozen=True, slots=True)
class Address:
    """One URL of a world, with its route and its pattern."""

    route: str
    pattern: str
    url: str


def page_addresses(world: World) -> list[Address]:
    """Return the URLs of all pages of *world*, as its owner may open them."""
    return list(_addresses("pages", PAGES, "/", world))


def api_addresses(world: World) -> list[Address]:
    """Return the URLs of all readable API paths of *world*, as an owner token may read them."""
    return list(_addresses("api", PATHS, "/api/v1/", world))


def _addresses(
    space: str, patterns_by_route: Mapping[str, Sequence[str]], root: str, world: World
) -> Iterator[Address]:
    values = names_of(world)
    for name, patterns in patterns_by_route.items():
        for pattern in patterns:
            needed = [part for _, part, _, _ in Formatter().parse(pattern) if part]
            if all(values.get(each) for each in needed):
                quoted = {each: quote(str(values[each])) for each in needed}
                yield Address(f"{space}:{name}", pattern, root + pattern.format(**quoted))


def names_of(world: World) -> dict[str, Any]:
    """Return the example objects of *world* by their names in patterns; missing ones are empty."""
    names: dict[str, Any] = {
        name: getattr(world, name)
        for name in (
            *(
                "org",
                "other_org",
                "queue",
                "cohort",
                "beneficiary",
                "draft",
                "review",
                "change",
                "impact",
                "view",
            ),
            *("expectation", "member", "invitation", "join", "token", "webhook", "delivery"),
            "cluster",
        )
    }
    names |= {state: world.workloads.get(state, "") for state in STATES}
    names |= {f"why_{reason}": uid for reason, uid in world.reasons.items()}
    names["other_queue"] = world.queues[1] if len(world.queues) > 1 else ""
    names["decided"], names["decision"] = world.decision or ("", 0)
    names["victim"], names["preemption"] = world.preemption or ("", 0)
    names["oldest"] = world.versions[0] if world.versions else 0
    names["newest"] = world.versions[-1] if world.versions else 0
    return names


#: Names of example workloads in patterns.
STATES: Final = (
    *("pending", "admitted", "preempting", "finished", "rejected", "withdrawn", "never"),
)
