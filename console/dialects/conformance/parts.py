"""Parts of a case: what JSON holds under a name, or one sentence about what it should hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

Part = TypeVar("Part")
Choice = TypeVar("Choice")

#: How JSON calls what Python reads it as.
_NAMES = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def part(
    values: Mapping[str, Any], name: str, form: type[Part], default: Part | None = None
) -> Part:
    """
    Return what *values* hold under *name*.

    Raises ValueError with one sentence when it is something else than *form*, or
    when it is absent or null and there is no *default*.
    """
    value = values.get(name)
    if value is None and default is not None:
        return default
    # JSON keeps true and 1 apart; isinstance would not.
    if not isinstance(value, form) or (isinstance(value, bool) and form is not bool):
        raise ValueError(f"{name} is not {_NAMES[form]}: {value!r}")
    return value


def objects_in(values: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """
    Yield the objects in the list under *name*, which may be absent.

    Raises ValueError with one sentence when it is no list of objects.
    """
    for item in part(values, name, list, []):
        if not isinstance(item, dict):
            raise ValueError(f"{name} holds something that is not an object: {item!r}")
        yield item


def choice(
    values: Mapping[str, Any], name: str, choices: Mapping[str, Choice], default: str
) -> Choice:
    """
    Return what the word under *name* stands for, or what *default* stands for when it is absent.

    Raises ValueError with one sentence when the word is not among *choices*.
    """
    word = part(values, name, str, default)
    if word not in choices:
        raise ValueError(f"{name} is none of {', '.join(choices)}: {word!r}")
    return choices[word]
