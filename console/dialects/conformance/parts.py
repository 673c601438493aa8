"""Parts of a case: what JSON holds under a name, or one sentence about what it should hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from console.dialects.quantity import amount_of
from console.engine.model.amounts import Amount

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


class MalformedCase(ValueError):
    """A case that cannot be run as written; the text is one sentence without its end."""


def part(
    values: Mapping[str, Any], name: str, form: type[Part], default: Part | None = None
) -> Part:
    """
    Return what *values* hold under *name*.

    Raises MalformedCase when it is something else than *form*, or
    when it is absent or null and there is no *default*.
    """
    value = values.get(name)
    if value is None and default is not None:
        return default
    # JSON keeps true and 1 apart; isinstance would not.
    if not isinstance(value, form) or (isinstance(value, bool) and form is not bool):
        raise MalformedCase(f"{name} is not {_NAMES[form]}: {value!r}")
    return value


def objects_in(values: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """
    Yield the objects in the list under *name*, which may be absent.

    Raises MalformedCase when it is no list of objects.
    """
    for item in part(values, name, list, []):
        if not isinstance(item, dict):
            raise MalformedCase(f"{name} holds something that is not an object: {item!r}")
        yield item


def choice(
    values: Mapping[str, Any], name: str, choices: Mapping[str, Choice], default: str
) -> Choice:
    """
    Return what the word under *name* stands for, or what *default* stands for when it is absent.

    Raises MalformedCase when the word is not among *choices*.
    """
    word = part(values, name, str, default)
    if word not in choices:
        raise MalformedCase(f"{name} is none of {', '.join(choices)}: {word!r}")
    return choices[word]


def quantity(values: Mapping[str, Any], name: str, resource: str) -> Amount:
    """
    Return what the quantity under *name* counts for *resource*, in thousandths.

    Raises MalformedCase when it is absent or no quantity.
    """
    text = part(values, name, str)
    try:
        return amount_of(text, resource)
    except ValueError as error:
        raise MalformedCase(f"{name}: {error}") from error


def quantities(values: Mapping[str, Any], name: str) -> dict[str, Amount]:
    """
    Return the amounts under *name* by resource, which may be absent.

    Raises MalformedCase when one of them is no quantity.
    """
    written = part(values, name, dict, {})
    return {resource: quantity(written, resource, resource) for resource in written}
