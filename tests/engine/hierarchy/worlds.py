"""Short ways to play histories of one resource in a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from console.engine.disciplines.hierarchy.applications import Ask, Gang
from console.engine.disciplines.hierarchy.placement import Application
from console.engine.disciplines.hierarchy.spec import (
    AccessList,
    Compatibility,
    HierarchySpec,
    PlacementRule,
)
from console.engine.disciplines.hierarchy.world import Event, World
from tests.engine.hierarchy.builders import spec

#: The only resource, and the only node.
MEMORY: Final = "memory"
NODE: Final = "node"

#: Longer than any delay of preemption, in milliseconds.
LONG: Final = 31_000


def amount(value: int | None) -> dict[str, int] | None:
    """Return an amount of memory; None stays None."""
    return None if value is None else {MEMORY: value}


def fields(
    *,
    guaranteed: int | None = None,
    maximum: int | None = None,
    properties: Mapping[str, str] | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Return the fields of a queue, for a spec."""
    return {
        "guaranteed": amount(guaranteed),
        "maximum": amount(maximum),
        "properties": properties or {},
        **others,
    }


def config(
    queues: Mapping[str, Mapping[str, Any]],
    compatibility: Compatibility | None = None,
    rules: Sequence[PlacementRule] = (),
) -> HierarchySpec:
    """Return the spec of queues by path, to which all users may submit."""
    root = {"submit": AccessList(is_all_users=True), **queues.get("root", {})}
    stated = {"root": root, **_without_root(queues)}
    return spec(stated, rules=rules, compatibility=compatibility)


def _without_root(queues: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {path: stated for path, stated in queues.items() if path != "root"}


class History:
    """A world with one node, and what happens in it."""

    def __init__(
        self,
        queues: Mapping[str, Mapping[str, Any]],
        capacity: int,
        compatibility: Compatibility | None = None,
        **options: Any,
    ) -> None:
        self.world = World(spec=config(queues, compatibility), **options)
        self.world.add_node(NODE, {MEMORY: capacity})
        self._pods: Counter[str] = Counter()

    def update(
        self, queues: Mapping[str, Mapping[str, Any]], compatibility: Compatibility | None = None
    ) -> None:
        """Use other queues."""
        self.world.update(config(queues, compatibility))

    def submit(
        self,
        app: str,
        queue: str,
        user: str = "ann",
        groups: Sequence[str] = (),
        gang: Gang | None = None,
    ) -> str | None:
        """Submit an application; return why it is refused."""
        stated = Application(id=app, user=user, groups=tuple(groups), queue=queue)
        return self.world.submit(stated, gang)

    def run(self, app: str, *sizes: int, **options: Any) -> None:
        """Add pods that run already, in the order of their age."""
        for size in sizes:
            self.world.run(self._ask(app, size, **options), NODE)

    def ask(self, app: str, *sizes: int, **options: Any) -> list[Ask]:
        """Ask for pods."""
        asks = [self._ask(app, size, **options) for size in sizes]
        for each in asks:
            assert self.world.ask(each) is None
        return asks

    def _ask(self, app: str, size: int, **options: Any) -> Ask:
        found = self.world.applications[app]
        key = f"{app}-{self._pods[app]}"
        self._pods[app] += 1
        return Ask(key=key, app=found, resources={MEMORY: size}, **options)

    def settle(self, after: int = 0) -> list[Event]:
        """Let time pass, and run cycles until nothing changes; return what happens then."""
        self.world.now += after
        return self.world.settle(1_000)

    def used(self, *paths: str) -> list[int]:
        """Return the usage of queues."""
        return [self.world.usages[path].allocated.get(MEMORY, 0) for path in paths]

    def running(self, *apps: str) -> list[int]:
        """Return the numbers of pods of applications."""
        return [len(self.world.applications[app].allocations) for app in apps]

    def states(self, *apps: str) -> list[str]:
        """Return the states of applications."""
        return [self.world.applications[app].state.value for app in apps]
