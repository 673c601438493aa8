"""Cases of placement: the queue of each application, or why it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.conformance.differences import named, unknown_parts
from console.dialects.conformance.parts import part
from console.dialects.conformance.result import Result, judged
from console.dialects.yunikorn.conformance.history import History
from console.dialects.yunikorn.conformance.runner import PREFIX, Runner

#: What YuniKorn's messages have before the name of a partition: the owner of its nodes.
_OWNER: Final = "[rm:123]"


def _run(name: str, case: Mapping[str, Any], engine: object) -> Result:
    history = History(case)
    # An application has both if another one with its id was refused.
    found: dict[str, dict[str, str]] = {}
    for app, accepted in history.world.applications.items():
        found.setdefault(app, {})["queue"] = accepted.queue.path
    for app, message in history.refused.items():
        found.setdefault(app, {})["rejected"] = message
    expect = part(case, "expect", dict)
    wanted = {app: _without_owner(outcome) for app, outcome in part(expect, "apps", dict).items()}
    differences = (*unknown_parts(expect, ("apps",)), *named("placed", wanted, found))
    return judged(name, differences)


def _without_owner(outcome: Mapping[str, str]) -> dict[str, str]:
    return {name: text.replace(_OWNER, "") for name, text in outcome.items()}


RUNNERS: Final[dict[str, Runner]] = {f"{PREFIX}placement": _run}
