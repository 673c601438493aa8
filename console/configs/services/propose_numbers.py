"""Propose numbers: the active config with other numbers of one object, such as a queue's quota."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from console.configs.errors import ConfigRejected
from console.configs.models import ConfigVersion
from console.configs.services.activate_version import require_active
from console.configs.services.check_config import check_config, find_dialect
from console.dialects.base import Reading
from console.dialects.editable_numbers import (
    EditableNumber,
    NumberKey,
    ObjectKey,
    check_number,
    with_numbers,
)
from console.dialects.objects import find_replacements
from console.dialects.positions import apply_fix
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.permissions import Actor, Permission
from console.policies.queries import get_version, policy_of

#: Maximum number of fixes that a change of numbers needs: new names for changed queues.
_MOST_FIXES: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberChange:
    """Another value for one number, in the syntax of the language."""

    key: NumberKey
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberProposal:
    """A config text with other numbers of one object; it has no errors."""

    dialect: str
    text: str
    reading: Reading
    #: The name of the object in the text; another one if the language fixes numbers for a name.
    name: str


def numbers_of(actor: Actor, owner: ObjectKey, version: int) -> tuple[EditableNumber, ...]:
    """
    Return the numbers of *owner* in *version*; none if its language has no numbers to change.

    Raises NotAllowed, and NotFound if there is no such version.
    """
    actor.require(Permission.READ)
    found = get_version(actor.org, version)
    return _numbers(actor, found, owner)


def propose_numbers(
    actor: Actor, owner: ObjectKey, changes: Sequence[NumberChange], expected_version: int
) -> NumberProposal:
    """
    Return the text of version *expected_version* with *changes* of the numbers of *owner*.

    Comments and layout stay as they are. If the language fixes the numbers of a name, the object
    gets a new name, in references too.

    Raises NotAllowed, StaleVersion if another version is active, NotFound if the version has no
    such numbers, BadRequest for invalid values (the path ``numbers[0].value`` is the first
    change), and ConfigRejected if the values contradict other parts of the config.
    """
    actor.require(Permission.READ)
    require_active(actor.org, expected_version)
    version = get_version(actor.org, expected_version) if expected_version else None
    numbers = _numbers(actor, version, owner) if version else ()
    if version is None or not numbers:
        raise NotFound(f"The active config has no numbers of the {owner.kind} {owner.name!r}.")
    pairs = _pairs(version, numbers, changes)
    fields = find_dialect(version.dialect).number_fields
    assert fields is not None, "a language without them has no numbers"
    text = with_numbers(version.text, fields, pairs)
    text, reading = _with_new_names(actor, version.dialect, text)
    if reading.policy is None:
        _raise_at_fields(reading, pairs)
        raise ConfigRejected(reading)
    renamed = find_replacements(policy_of(version), reading.policy, [owner.name])
    return NumberProposal(
        dialect=version.dialect,
        text=text,
        reading=reading,
        name=renamed.get(owner.name, owner.name),
    )


def _numbers(actor: Actor, version: ConfigVersion, owner: ObjectKey) -> tuple[EditableNumber, ...]:
    fields = find_dialect(version.dialect).number_fields
    source = check_config(actor, version.dialect, version.text).source
    return fields.find(source).get(owner, ()) if fields and source else ()


def _pairs(
    version: ConfigVersion, numbers: Sequence[EditableNumber], changes: Sequence[NumberChange]
) -> list[tuple[EditableNumber, str]]:
    """Return the number of each change with its new value; raise BadRequest if one is invalid."""
    fields = find_dialect(version.dialect).number_fields
    assert fields is not None, "a language without them has no numbers"
    known = {number.key: number for number in numbers}
    pairs, errors, seen = [], [], set()
    for place, change in enumerate(changes):
        path, number, value = f"numbers[{place}]", known.get(change.key), change.value.strip()
        if number is None:
            message = f"The active config has no such number; version {version.number} is active."
            errors.append(FieldError(path, "unknown_number", message))
        elif change.key in seen:
            errors.append(FieldError(path, "repeated_number", "The same number is changed twice."))
        elif not number.is_editable:
            reason = number.obstacle or "The text does not state this number."
            message = f"{reason} Change it in the editor."
            errors.append(FieldError(f"{path}.value", "not_editable", message))
        elif problem := "Enter a number." if not value else check_number(fields, number, value):
            errors.append(FieldError(f"{path}.value", "invalid_number", problem))
        else:
            pairs.append((number, value))
        seen.add(change.key)
    if errors:
        raise BadRequest(errors)
    return pairs


def _with_new_names(actor: Actor, dialect: str, text: str) -> tuple[str, Reading]:
    """Return *text* with new names for queues whose spec earlier versions fixed; its reading."""
    reading = check_config(actor, dialect, text)
    for _ in range(_MOST_FIXES):
        errors = reading.errors
        if not errors or not all(each.is_live and len(each.fixes) == 1 for each in errors):
            break
        text = apply_fix(text, errors[0].fixes[0])
        reading = check_config(actor, dialect, text)
    return text, reading


def _raise_at_fields(reading: Reading, pairs: Sequence[tuple[EditableNumber, str]]) -> None:
    """Raise BadRequest if an error of *reading* is at one of the changed numbers."""
    places = {number.path: place for place, (number, _) in enumerate(pairs)}
    errors = [
        FieldError(f"numbers[{places[each.path]}].value", each.code, each.message)
        for each in reading.errors
        if each.path in places
    ]
    if errors:
        raise BadRequest(errors)
