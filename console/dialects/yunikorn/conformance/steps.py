"""Steps of cases: their kinds, and the values that they have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from console.dialects.conformance.parts import MalformedCase, choice, objects_in, part
from console.engine.disciplines.hierarchy.applications import Application, Ask, Gang
from console.engine.disciplines.hierarchy.placement import Application as Submitted

_SUBMITTED: Final = (
    *("app", "queue", "user", "groups", "tags", "forced"),
    *("placeholder_ask", "gang_style", "timeout_ms"),
)
_ASKED: Final = (
    *("app", "key", "count", "resources", "priority", "originator", "required_node", "running_on"),
    *("allow_preempt_self", "allow_preempt_other", "placeholder", "task_group"),
)
#: The word for the style of a gang -> whether an application fails without all placeholders.
_GANG_STYLES: Final = {"Soft": False, "Hard": True}


def steps_of(case: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """
    Yield each step of a case, which has its content under the name of its kind, after this name.

    Raises MalformedCase if a step has not one kind.
    """
    for step in objects_in(case, "steps"):
        if len(step) != 1:
            raise MalformedCase(f"a step has not one kind: {', '.join(step)}")
        yield next(iter(step)), step


def content(step: Mapping[str, Any], kind: str, known: Collection[str]) -> Mapping[str, Any]:
    """
    Return the content of a step.

    Raises MalformedCase if it has other parts than *known*.
    """
    words = part(step, kind, dict)
    if unknown := words.keys() - set(known):
        raise MalformedCase(f"{kind} has unknown parts: {', '.join(sorted(unknown))}")
    return words


def read_submission(step: Mapping[str, Any]) -> tuple[Submitted, Gang | None]:
    """Return the application that a step submits, and its gang."""
    words = content(step, "submit_app", _SUBMITTED)
    submitted = Submitted(
        id=part(words, "app", str),
        user=part(words, "user", str),
        groups=tuple(part(words, "groups", list)),
        queue=part(words, "queue", str),
        tags=part(words, "tags", dict, {}),
        is_forced=part(words, "forced", bool, default=False),
    )
    total = part(words, "placeholder_ask", dict, {})
    if not total:
        return submitted, None
    gang = Gang(total=total, is_hard=choice(words, "gang_style", _GANG_STYLES, "Soft"))
    gang.timeout = part(words, "timeout_ms", int, 0) or gang.timeout
    return submitted, gang


def asked(step: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the content of a step that asks for pods."""
    return content(step, "ask", _ASKED)


def keys_of(words: Mapping[str, Any]) -> list[str]:
    """
    Return the keys of the asks of one step.

    >>> keys_of({"key": "a"}), keys_of({"key": "a", "count": 2})
    (['a'], ['a-0', 'a-1'])
    """
    key = part(words, "key", str)
    if words.get("count") is None:
        return [key]
    return [f"{key}-{index}" for index in range(part(words, "count", int))]


def read_ask(words: Mapping[str, Any], key: str, app: Application) -> Ask:
    """Return one ask of a step."""
    return Ask(
        key=key,
        app=app,
        resources=part(words, "resources", dict),
        priority=part(words, "priority", int, 0),
        may_preempt=part(words, "allow_preempt_other", bool, default=True),
        may_be_preempted=part(words, "allow_preempt_self", bool, default=True),
        is_originator=part(words, "originator", bool, default=False),
        required_node=part(words, "required_node", str, "") or None,
        is_placeholder=part(words, "placeholder", bool, default=False),
        task_group=part(words, "task_group", str, ""),
    )


def milliseconds(step: Mapping[str, Any]) -> int:
    """Return the time that passes in a step, which states seconds."""
    seconds = step["wait"]
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise MalformedCase(f"wait is not a number: {seconds!r}")
    return round(seconds * 1000)
