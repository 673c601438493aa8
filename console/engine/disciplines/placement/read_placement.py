"""
Placements as plain values: their syntax, and the reader of those that workloads carry.

The rules are those of SkyShift's templates (SkyShift, spec 1.1), except that an unknown field is an
error: SkyShift ignores it, so that a misspelled filter would be no filter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from console.engine.disciplines.placement.spec import (
    MAX_WEIGHT,
    MIN_WEIGHT,
    Criterion,
    Expression,
    Operator,
    Placement,
)
from console.engine.wording.suggest import nearest

PLACEMENT_FIELDS: Final = ("filters", "preferences")
FILTER_FIELDS: Final = ("name", "match_labels", "match_expressions")
PREFERENCE_FIELDS: Final = (*FILTER_FIELDS, "weight")
EXPRESSION_FIELDS: Final = ("key", "operator", "values")

#: Maximum number of characters of the name of an object, a filter or a preference.
LONGEST_NAME: Final = 63
#: The characters of such a name.
NAME: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#: How a name is written, as one sentence.
NAME_RULE: Final = (
    f"Use lower-case letters, digits and -, up to {LONGEST_NAME}; begin and end with a letter or "
    "digit."
)

_NAME = re.compile(NAME)
_DIGITS = re.compile(r"[0-9]{1,9}", re.ASCII)
#: Longer texts are shortened in sentences.
_SHOWN: Final = 60


def is_name(text: str) -> bool:
    """
    Return whether *text* may be the name of an object, a filter or a preference.

    >>> [is_name(text) for text in ("filter-1", "filter_1", "Filter", "-a", "a" * 64)]
    [True, False, False, False, False]
    """
    return len(text) <= LONGEST_NAME and _NAME.fullmatch(text) is not None


def is_weight(number: int) -> bool:
    """Return whether *number* may be the weight of a preference."""
    return MIN_WEIGHT <= number <= MAX_WEIGHT


def parse_placement(value: Mapping[str, object]) -> Placement | list[tuple[str, str]]:
    """
    Return the placement in *value*, or its problems: for each, the path and one sentence.

    >>> parse_placement({"filters": [{"name": "dev", "match_labels": {"purpose": "dev"}}]}).filters
    (Criterion(name='dev', labels={'purpose': 'dev'}, expressions=(), weight=1),)
    >>> parse_placement({"filters": [{"name": "dev"}]})
    [('filters[0]', 'This has to have match_labels or match_expressions.')]
    """
    reader = _Reader()
    placement = reader.placement(value)
    return reader.problems or placement


class _Reader:
    """Reads the parts of one placement, and collects their problems."""

    def __init__(self) -> None:
        self.problems: list[tuple[str, str]] = []

    def placement(self, value: Mapping[str, object]) -> Placement:
        self._check_keys(value, PLACEMENT_FIELDS, "")
        return Placement(
            filters=self._criteria(value, "filters", FILTER_FIELDS),
            preferences=self._criteria(value, "preferences", PREFERENCE_FIELDS),
        )

    def _criteria(
        self, value: Mapping[str, object], key: str, fields: tuple[str, ...]
    ) -> tuple[Criterion, ...]:
        found: list[Criterion] = []
        names: set[str] = set()
        for path, item in self._items(value, key, ""):
            mapping = self._mapping(item, path, fields)
            if mapping is None:
                continue
            criterion = self._criterion(mapping, path)
            if criterion.name and criterion.name in names:
                self._refuse(f"{path}.name", f"{_shown(criterion.name)} is used twice; rename one.")
            names.add(criterion.name)
            found.append(criterion)
        return tuple(found)

    def _criterion(self, value: Mapping[str, object], path: str) -> Criterion:
        labels = self._labels(value.get("match_labels", {}), f"{path}.match_labels")
        expressions = tuple(
            self._expression(mapping, own)
            for own, item in self._items(value, "match_expressions", path)
            if (mapping := self._mapping(item, own, EXPRESSION_FIELDS)) is not None
        )
        if not value.get("match_labels") and not value.get("match_expressions"):
            self._refuse(path, "This has to have match_labels or match_expressions.")
        return Criterion(
            name=self._name(value, path),
            labels=labels,
            expressions=expressions,
            weight=self._weight(value, path),
        )

    def _name(self, value: Mapping[str, object], path: str) -> str:
        name = value.get("name", "")
        if not isinstance(name, str):
            self._refuse(f"{path}.name", f"This has to be a text, not {_kind(name)}.")
            return ""
        if not is_name(name):
            problem = f"{_shown(name)} is not a name." if name else "A name is required."
            self._refuse(f"{path}.name", f"{problem} {NAME_RULE}")
        return name

    def _weight(self, value: Mapping[str, object], path: str) -> int:
        weight = _whole(value.get("weight", MIN_WEIGHT))
        if weight is None or not is_weight(weight):
            rule = f"This has to be a whole number from {MIN_WEIGHT} to {MAX_WEIGHT}."
            self._refuse(f"{path}.weight", rule)
            return MIN_WEIGHT
        return weight

    def _expression(self, value: Mapping[str, object], path: str) -> Expression:
        key, operator = value.get("key", ""), value.get("operator", "")
        if not isinstance(key, str) or not key.strip():
            self._refuse(f"{path}.key", "This has to be the key of a label.")
            key = ""
        if operator not in tuple(Operator):
            self._refuse(f"{path}.operator", "This has to be In or NotIn.")
            operator = Operator.IN
        values = tuple(self._text(item, own) for own, item in self._items(value, "values", path))
        return Expression(key=key, operator=Operator(str(operator)), values=values)

    def _labels(self, value: object, path: str) -> dict[str, str]:
        if not isinstance(value, Mapping):
            self._refuse(path, f"This has to be a mapping, not {_kind(value)}.")
            return {}
        found = {}
        for key, text in value.items():
            if not isinstance(key, str) or not key.strip():
                self._refuse(path, "The key of a label has to be a text that is not blank.")
                continue
            found[key] = self._text(text, f"{path}.{key}")
        return found

    def _text(self, value: object, path: str) -> str:
        if isinstance(value, str):
            return value
        self._refuse(path, f"This has to be a text, not {_kind(value)}.")
        return ""

    def _items(
        self, value: Mapping[str, object], key: str, path: str
    ) -> Iterable[tuple[str, object]]:
        """Return the items of the list *key* with their paths."""
        own = f"{path}.{key}" if path else key
        items = value.get(key, ())
        if isinstance(items, list | tuple):
            return [(f"{own}[{index}]", item) for index, item in enumerate(items)]
        self._refuse(own, f"This has to be a list, not {_kind(items)}.")
        return ()

    def _mapping(
        self, value: object, path: str, fields: tuple[str, ...]
    ) -> Mapping[str, object] | None:
        if not isinstance(value, Mapping):
            self._refuse(path, f"This has to be a mapping, not {_kind(value)}.")
            return None
        self._check_keys(value, fields, path)
        return {key: value[key] for key in fields if key in value}

    def _check_keys(self, value: Mapping[Any, object], known: tuple[str, ...], path: str) -> None:
        for key in value:
            if key in known:
                continue
            near = nearest(str(key), known)
            hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}."
            own = f"{path}.{key}" if path else str(key)
            self._refuse(own, f"{_shown(str(key))} is not known here; {hint}")

    def _refuse(self, path: str, sentence: str) -> None:
        self.problems.append((path, sentence))


def _whole(value: object) -> int | None:
    """Return a whole number, which may be written as digits in a text; None for other values."""
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str() if _DIGITS.fullmatch(value):
            return int(value)
        case _:
            return None


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= _SHOWN else f'"{line[: _SHOWN - 1]}…"'


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case Mapping():
            return "a mapping"
        case _:
            return "a list"
