"""Readers of the JSON of a case: the value of a name, or an error with one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from console.dialects.quantity import amount_of
from console.engine.model.amounts import Amount

Part = TypeVar("Part")
Choice = TypeVar("Choice")

#: Python type -> its name in messages.
_NAMES = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


class MalformedCase(ValueError):
    """A case that cannot be run as written; its text is one sentence without a full stop."""


def part(
    values: Mapping[str, Any], name: str, form: type[Part], default: Part | None = None
) -> Part:
    """
    Return the value of *name* in *values*.

    Raises MalformedCase if it is not a *form*, or if it is absent or null and there is no
    *default*.
    """
    value = values.get(name)
    if value is None and default is not None:
        return default
    # In Python, True is an int; in JSON, true is not a number.
    if not isinstance(value, form) or (isinstance(value, bool) and form is not bool):
        raise MalformedCase(f"{name} is not {_NAMES[form]}: {value!r}")
    return value


def objects_in(values: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """
    Yield the objects in the list *name*, which may be absent.

    Raises MalformedCase if it is not a list of objects.
    """
    for item in part(values, name, list, []):
        if not isinstance(item, dict):
            raise MalformedCase(f"{name} holds something that is not an object: {item!r}")
        yield item


def choice(
    values: Mapping[str, Any], name: str, choices: Mapping[str, Choice], default: str
) -> Choice:
    """
    Return the value of *choices* for the word *name*, or for *default* if it is absent.

    Raises MalformedCase if the word is not in *choices*.
    """
    word = part(values, name, str, default)
    if word not in choices:
        raise MalformedCase(f"{name} is none of {', '.join(choices)}: {word!r}")
    return choices[word]


def quantity(values: Mapping[str, Any], name: str, resource: str) -> Amount:
    """
    Return the amount of *resource* in the quantity *name*, in thousandths.

    Raises MalformedCase if it is absent or not a quantity.
    """
    text = part(values, name, str)
    try:
        return amount_of(text, resource)
    except ValueError as error:
        raise MalformedCase(f"{name}: {error}") from error


def quantities(values: Mapping[str, Any], name: str) -> dict[str, Amount]:
    """
    Return the amounts in *name* by resource; empty if it is absent.

    Raises MalformedCase if one of them is not a quantity.
    """
    written = part(values, name, dict, {})
    return {resource: quantity(written, resource, resource) for resource in written}
