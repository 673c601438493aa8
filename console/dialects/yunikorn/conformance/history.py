"""The history of a case: its steps, played in a world, and what happened at each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from console.dialects.conformance.parts import MalformedCase, objects_in, part
from console.dialects.yunikorn.conformance.runner import RefusedConfig, read_spec
from console.dialects.yunikorn.conformance.steps import (
    asked,
    content,
    keys_of,
    milliseconds,
    read_ask,
    read_submission,
    steps_of,
)
from console.engine.disciplines.hierarchy.world import Event, World


class History:
    """
    What happened in a case.

    Raises MalformedCase if the case cannot be played.
    """

    def __init__(self, case: Mapping[str, Any]) -> None:
        exits = part(case, "victim_exit", str, "cycle")
        self.world = World(
            spec=read_spec(part(case, "config", str)), stops_at_once=exits == "cycle"
        )
        #: What pods did, in the order of time.
        self.decisions: list[dict[str, object]] = []
        #: YuniKorn's message for the last refused submission of each application.
        self.refused: dict[str, str] = {}
        #: YuniKorn's message for each refused ask.
        self.refused_asks: dict[str, str] = {}
        #: Steps that YuniKorn refuses, with its message.
        self.errors: list[dict[str, object]] = []
        for node in objects_in(case, "nodes"):
            self._add_node(node)
        for number, (kind, step) in enumerate(steps_of(case)):
            self.decisions += [
                {"step": number, "do": event.do, "app": event.app, "key": event.key}
                for event in self._play(number, kind, step)
            ]

    def _play(self, number: int, kind: str, step: Mapping[str, Any]) -> Iterable[Event]:
        world = self.world
        match kind:
            case "submit_app":
                self._submit(step)
            case "ask":
                return self._ask(number, asked(step))
            case "settle":
                return world.settle(part(step, kind, int))
            case "wait":
                return world.wait(milliseconds(step))
            case "release":
                return self._release(content(step, kind, ("app", "key")))
            case "remove_app":
                app = part(step, kind, str)
                return world.remove(app) if app in world.applications else ()
            case "update_config":
                self._update(number, part(step, kind, str))
            case "add_node":
                self._add_node(part(step, kind, dict))
            case "quota_preemption":
                return world.preempt_over_quota()
            case _:
                raise MalformedCase(f"steps of the kind {kind} cannot be played")
        return ()

    def _add_node(self, words: Mapping[str, Any]) -> None:
        self.world.add_node(part(words, "name", str), part(words, "resources", dict))

    def _submit(self, step: Mapping[str, Any]) -> None:
        submitted, gang = read_submission(step)
        problem = self.world.submit(submitted, gang)
        if problem is not None:
            self.refused[submitted.id] = problem

    def _ask(self, number: int, words: Mapping[str, Any]) -> Iterator[Event]:
        name, node = part(words, "app", str), part(words, "running_on", str, "")
        if node and self.world.scheduler.nodes.get(node) is None:
            raise MalformedCase(f"there is no node {node}")
        for key in keys_of(words):
            app = self.world.applications.get(name)
            if app is None:
                error = f"failed to find application {name}"
                self.errors.append({"step": number, "error": error})
                continue
            ask = read_ask(words, key, app)
            if node:
                yield self.world.run(ask, node)
            elif (problem := self.world.ask(ask)) is not None:
                self.refused_asks[key] = problem

    def _release(self, words: Mapping[str, Any]) -> Iterator[Event]:
        app, key = part(words, "app", str), part(words, "key", str)
        event = self.world.release(app, key) if app in self.world.applications else None
        if event is not None:
            yield event

    def _update(self, number: int, config: str) -> None:
        try:
            spec = read_spec(config, is_update=True)
        except RefusedConfig as refused:
            # YuniKorn goes on with the config before.
            error = f"update of configuration failed: {refused}"
            self.errors.append({"step": number, "error": error})
        else:
            self.world.update(spec)
