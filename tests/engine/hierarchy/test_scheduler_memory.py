"""What a scheduler remembers between two cycles never changes what it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.hierarchy.applications import Ask, Gang
from console.engine.disciplines.hierarchy.placement import Application
from console.engine.disciplines.hierarchy.resources import times
from console.engine.disciplines.hierarchy.spec import (
    YUNIKORN,
    Compatibility,
    HierarchySpec,
    Limit,
)
from console.engine.disciplines.hierarchy.world import Event, World
from tests.engine.hierarchy.worlds import config

_PARENTS: Final = ("root.a", "root.b")
_LEAVES: Final = ("root.a.x", "root.a.y", "root.b.x", "root.b.y", "root.c")
_USERS: Final = ("ann", "bob")

_amounts = st.none() | st.fixed_dictionaries(
    {"memory": st.sampled_from((2, 4, 6))}, optional={"vcore": st.sampled_from((2, 4))}
)
_limits = st.lists(
    st.builds(
        Limit,
        users=st.sampled_from((("ann",), ("*",), ())),
        groups=st.sampled_from(((), ("dev",), ("dev", "*"))),
        resources=st.none() | st.just({"memory": 3}),
        applications=st.sampled_from((0, 0, 1)),
    ),
    max_size=1,
).map(tuple)
_properties = st.fixed_dictionaries(
    {},
    optional={
        "preemption.delay": st.just("1s"),
        "application.sort.policy": st.sampled_from(("fifo", "fair")),
        "application.sort.priority": st.just("disabled"),
        "application.unschedasks.backoff": st.just("2"),
        "priority.offset": st.sampled_from(("1", "-1")),
        "priority.policy": st.just("fence"),
        "preemption.policy": st.sampled_from(("fence", "disabled")),
        "quota.preemption.delay": st.just("1s"),
    },
)
_queue = st.fixed_dictionaries(
    {"guaranteed": _amounts, "maximum": _amounts, "properties": _properties},
    optional={"limits": _limits, "applications": st.integers(0, 2)},
)
_configs = st.builds(
    config,
    # Each queue after the one above it.
    st.fixed_dictionaries(dict.fromkeys((*_PARENTS, *_LEAVES), _queue)).map(
        lambda queues: dict(sorted(queues.items()))
    ),
    st.sampled_from((Compatibility(), YUNIKORN)),
)

#: What happens to a world; a number chooses among what is there.
_Step: TypeAlias = tuple[str, Any]

_sizes = st.fixed_dictionaries({"memory": st.integers(1, 3)}, optional={"vcore": st.integers(0, 2)})
_asks = st.fixed_dictionaries(
    {"resources": _sizes},
    optional={
        "priority": st.integers(-1, 2),
        "may_preempt": st.just(False),
        "may_be_preempted": st.just(False),
        "is_originator": st.just(True),
        "required_node": st.sampled_from(("n0", "n1")),
    },
)
_steps: st.SearchStrategy[_Step] = st.one_of(
    st.tuples(
        st.just("submit"),
        st.tuples(
            st.sampled_from(_LEAVES),
            st.sampled_from(_USERS),
            st.sampled_from(((), ("dev",), ("qa", "dev"))),
            _asks,
            st.integers(1, 4),
        ),
    ),
    st.tuples(
        st.just("gang"),
        st.tuples(
            st.sampled_from(_LEAVES), st.booleans(), st.integers(1, 3), st.integers(1, 3), _sizes
        ),
    ),
    st.tuples(st.just("ask"), st.tuples(st.integers(0, 9), _asks, st.integers(1, 4))),
    st.tuples(st.just("stop"), st.integers(0, 99)),
    st.tuples(st.just("remove"), st.integers(0, 9)),
    st.tuples(st.just("settle"), st.sampled_from((0, 1_000, 16_000, 31_000))),
    st.tuples(st.just("wait"), st.sampled_from((1_000, 31_000))),
    st.tuples(st.just("update"), _configs),
    st.tuples(st.just("node"), st.sampled_from((2, 4, 8))),
    st.tuples(st.just("lower"), st.none()),
)


class _History:
    """A world, and what happened in it."""

    def __init__(self, spec: HierarchySpec, *, stops_at_once: bool, forgetful: bool) -> None:
        self.world = World(spec=spec, stops_at_once=stops_at_once, forgetful=forgetful)
        self.events: list[Event] = []
        self._count = 0
        for _ in range(2):
            self._node(6)

    def play(self, step: _Step) -> None:
        kind, value = step
        player: Callable[[Any], None] = getattr(self, f"_{kind}")
        player(value)

    def _node(self, size: int) -> None:
        name = f"n{len(self.world.scheduler.nodes)}"
        self.world.add_node(name, {"memory": size, "vcore": size})

    def _submit(self, value: tuple[str, str, tuple[str, ...], Mapping[str, Any], int]) -> None:
        queue, user, groups, ask, count = value
        self._count += 1
        name = f"app-{self._count:02}"
        self.world.submit(Application(id=name, user=user, groups=groups, queue=queue))
        self._ask_of(name, ask, count)

    def _gang(self, value: tuple[str, bool, int, int, Mapping[str, int]]) -> None:
        queue, is_hard, placeholders, pods, size = value
        self._count += 1
        name = f"app-{self._count:02}"
        gang = Gang(total=times(size, placeholders), is_hard=is_hard, timeout=16_000)
        self.world.submit(Application(id=name, user="ann", queue=queue), gang)
        member = {"resources": size, "task_group": "members"}
        self._ask_of(name, {**member, "is_placeholder": True}, placeholders)
        self._ask_of(name, member, pods)

    def _ask(self, value: tuple[int, Mapping[str, Any], int]) -> None:
        index, ask, count = value
        known = list(self.world.applications)
        if known:
            self._ask_of(known[index % len(known)], ask, count)

    def _ask_of(self, name: str, ask: Mapping[str, Any], count: int) -> None:
        app = self.world.applications.get(name)
        for _ in range(count if app is not None else 0):
            self._count += 1
            self.world.ask(Ask(key=f"pod-{self._count:03}", app=app, **ask))

    def _stop(self, index: int) -> None:
        pods = [
            (app.id, key) for app in self.world.applications.values() for key in app.allocations
        ]
        pods += [(app.id, ask.key) for app in self.world.applications.values() for ask in app.asks]
        if pods:
            event = self.world.release(*pods[index % len(pods)])
            self.events += [event] if event is not None else []

    def _remove(self, index: int) -> None:
        known = list(self.world.applications)
        if known:
            self.events += self.world.remove(known[index % len(known)])

    def _settle(self, pause: int) -> None:
        self.world.now += pause
        self.events += self.world.settle(200)

    def _wait(self, pause: int) -> None:
        self.events += self.world.wait(pause)

    def _update(self, spec: HierarchySpec) -> None:
        self.world.update(spec)

    def _lower(self, _: None) -> None:
        self.events += self.world.preempt_over_quota()


@given(_configs, st.lists(_steps, min_size=5, max_size=25), st.booleans())
def test_a_scheduler_that_remembers_decides_as_one_that_forgets(
    spec: HierarchySpec, steps: list[_Step], stops_at_once: bool
) -> None:
    one, other = (
        _History(spec, stops_at_once=stops_at_once, forgetful=forgetful)
        for forgetful in (False, True)
    )
    for step in steps:
        one.play(step)
        other.play(step)
        assert one.events == other.events, step
