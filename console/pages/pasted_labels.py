"""Parser of pasted label sets (JSON, YAML or ``key=value``) into fields of workloads to test."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from console.configs.read_expectations import WORKLOAD_FIELDS
from console.configs.services.try_route import MOST_AT_ONCE
from console.errors import BadRequest, FieldError
from console.reading import Reader
from console.reading.typed_values import read_typed

#: Fields of a workload. A mapping without a mapping under one of `_LABELS` is itself a label set.
_LABELS: Final = ("labels", "tags")
_FIELDS: Final = frozenset({*_LABELS, "name", *WORKLOAD_FIELDS})

#: A text with this beginning is JSON or YAML.
_STRUCTURE: Final = re.compile(r"\s*(?:[\[{]|- |---)")
_BETWEEN: Final = re.compile(r"[,\s]+")

#: Maximum length of pasted text, in characters.
LONGEST: Final = 200_000


def paste_one(text: str, field: str) -> dict[str, Any]:
    """
    Return the fields of the workload in *text*, in the form that `read_tested_workload` accepts.

    >>> paste_one("team=ml, tier=gold", "paste")
    {'labels': {'team': 'ml', 'tier': 'gold'}}

    Raises BadRequest at *field* with the first part that cannot be parsed.
    """
    _check_length(text, field)
    lines = _lines(text)
    if not _STRUCTURE.match(text) and all("=" in line for line in lines):
        return {"labels": dict(pair for line in lines for pair in _pairs(line))}
    return _fields(_typed(text, field), field)


def paste_many(text: str, field: str) -> list[dict[str, Any]]:
    r"""
    Return the fields of 1 to `MOST_AT_ONCE` workloads: a list, or one workload on each line.

    >>> paste_many("team=ml\nteam=web tier=gold", "sets")
    [{'labels': {'team': 'ml'}}, {'labels': {'team': 'web', 'tier': 'gold'}}]

    Raises BadRequest at *field* with the first part that cannot be parsed.
    """
    _check_length(text, field)
    lines = _lines(text)
    if not lines:
        raise _unreadable(field, "Paste at least one label set.")
    if not _STRUCTURE.match(text) and all("=" in line for line in lines):
        found = [{"labels": dict(_pairs(line))} for line in lines]
    elif len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines):
        found = [_fields(_typed(line, field), field) for line in lines[: MOST_AT_ONCE + 1]]
    else:
        value = _typed(text, field)
        items = value if isinstance(value, list) else [value]
        found = [_fields(item, field) for item in items[: MOST_AT_ONCE + 1]]
    if len(found) > MOST_AT_ONCE:
        raise _unreadable(field, f"At most {MOST_AT_ONCE} label sets can be tested at once.")
    if not found:
        raise _unreadable(field, "Paste at least one label set.")
    return found


def read_pairs(text: str, field: str) -> dict[str, Any]:
    """Return amounts or labels typed as ``key=value``, or as a mapping in JSON or YAML."""
    lines = _lines(text)
    if not _STRUCTURE.match(text) and all("=" in line for line in lines):
        return dict(pair for line in lines for pair in _pairs(line))
    value = _typed(text, field)
    if not isinstance(value, dict):
        raise _unreadable(field, "Write key=value, separated by commas or spaces.")
    return value


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _pairs(line: str) -> list[tuple[str, str]]:
    """Return the pairs of a line; the line is one pair if any of its parts has no ``=``."""
    parts = [part for part in _BETWEEN.split(line) if part]
    if not all("=" in part for part in parts):
        parts = [line]
    pairs = (part.partition("=") for part in parts)
    return [(key.strip(), value.strip()) for key, _, value in pairs]


def _typed(text: str, field: str) -> Any:
    typed = read_typed(text, "")
    if typed.findings:
        raise BadRequest([FieldError(field, "invalid_text", typed.problems[0])])
    return typed.value


def _fields(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        message = "A label set must be key=value text or a mapping in JSON or YAML."
        raise _unreadable(field, message)
    if not any(isinstance(value.get(name), dict) for name in _LABELS):
        return {"labels": _texts(value, field)}
    reader = Reader()
    reader.mapping(value, "", _FIELDS)
    labels = {
        key: text
        for name in _LABELS
        if value.get(name) is not None
        for key, text in reader.mapping(value[name], name, value[name]).items()
    }
    if reader.errors:
        raise _unreadable(field, " ".join(each.message for each in reader.errors))
    rest = {key: each for key, each in value.items() if key not in (*_LABELS, "name")}
    return {"labels": _texts(labels, field), **rest}


def _texts(labels: Mapping[str, Any], field: str) -> dict[str, str]:
    """Return labels as strings: YAML reads a plain 8 as a number, but a label is a string."""
    found = {}
    for key, value in labels.items():
        match value:
            case bool():
                found[key] = str(value).lower()
            case None:
                found[key] = ""
            case dict() | list():
                raise _unreadable(field, f"The label {key} must be a string.")
            case _:
                found[key] = str(value)
    return found


def _check_length(text: str, field: str) -> None:
    if len(text) > LONGEST:
        raise _unreadable(field, f"At most {LONGEST:,} characters can be pasted.")


def _unreadable(field: str, message: str) -> BadRequest:
    return BadRequest([FieldError(field, "invalid_text", message)])
