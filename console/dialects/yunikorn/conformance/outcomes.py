"""The outcome of a history in the form of the cases, and its differences from the expected one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from console.dialects.conformance.differences import named, single, unknown_parts
from console.dialects.conformance.parts import part
from console.dialects.yunikorn.conformance.history import History
from console.engine.disciplines.hierarchy.applications import Application, Message
from console.engine.disciplines.hierarchy.resources import minus, without_zeros

#: An application that has ended.
_GONE: Final = {"state": "gone"}

_PARTS: Final = ("apps", "queues", "decisions", "rejected_asks", "step_errors")


def application_differences(history: History, expect: Mapping[str, Any]) -> Iterator[str]:
    """Yield how applications, their pods and the decisions differ from *expect*."""
    yield from unknown_parts(expect, _PARTS)
    apps = part(expect, "apps", dict)
    for name in sorted(apps.keys() | history.world.applications.keys()):
        wanted = _normal(apps.get(name, _GONE))
        found = _normal(_outcome(history, name))
        if isinstance(wanted.get("waiting"), list):
            # The messages depended on chance.
            found["waiting"] = sorted(found.get("waiting", ()))
        for fact in sorted(wanted.keys() | found.keys()):
            what = f"the value {fact} of application {name}"
            yield from single(what, wanted.get(fact), found.get(fact))
    # Where chance decides on the order, a case has no decisions.
    if "decisions" in expect:
        yield from _first_difference(part(expect, "decisions", list), history.decisions)
    refused_asks = part(expect, "rejected_asks", dict, {})
    yield from named("a refused ask", refused_asks, history.refused_asks)
    yield from single(
        "the list of refused steps", part(expect, "step_errors", list, []), history.errors
    )


def _outcome(history: History, name: str) -> Mapping[str, Any]:
    app = history.world.applications.get(name)
    if app is not None:
        return _living(app)
    message = history.refused.get(name)
    return _GONE if message is None else {"rejected": message}


def _living(app: Application) -> dict[str, Any]:
    return {
        "queue": app.queue.path,
        "state": app.state.value,
        "running": list(app.allocations),
        "allocated": minus(app.allocated, app.allocated_placeholders),
        "placeholders": app.allocated_placeholders,
        "waiting": {
            ask.key: [each for each in ask.messages if each != Message.PRECONDITIONS]
            for ask in app.asks
        },
    }


def _normal(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome of an application without differences that have no meaning."""
    found = dict(outcome)
    for name in ("allocated", "placeholders"):
        amount = without_zeros(found.pop(name, {}))
        if amount:
            found[name] = amount
    if "running" in found:
        found["running"] = sorted(found["running"])
    waiting = found.get("waiting")
    if isinstance(waiting, list):
        found["waiting"] = sorted(waiting)
    elif waiting is not None:
        found["waiting"] = {key: sorted(map(str, each)) for key, each in waiting.items()}
    return found


def _first_difference(expect: Sequence[object], found: Sequence[object]) -> Iterator[str]:
    for number, (wanted, decided) in enumerate(zip_longest(expect, found), 1):
        if wanted != decided:
            yield f"decision {number} is {decided}, but expected {wanted}."
            return
