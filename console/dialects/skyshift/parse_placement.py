"""Placements as written: filters and preferences with their conditions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from console.dialects.codes import DUPLICATE_NAME
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings
from console.dialects.lists import parse_valid
from console.dialects.repeated import note_repeated
from console.dialects.skyshift.codes import (
    ALWAYS_MATCHES,
    NEVER_MATCHES,
    NO_CONDITION,
    NO_EFFECT_OF_WEIGHT,
)
from console.dialects.skyshift.labels import read_labels
from console.dialects.skyshift.lists import read_mappings
from console.dialects.skyshift.names import check_name
from console.dialects.skyshift.numbers import read_weight
from console.dialects.skyshift.schema import CriterionDoc, ExpressionDoc, PlacementDoc
from console.dialects.wording import capitalize, shorten
from console.dialects.written import Read, Unread, Written, value_of
from console.engine.disciplines.placement.read_placement import (
    EXPRESSION_FIELDS,
    FILTER_FIELDS,
    PREFERENCE_FIELDS,
)
from console.engine.disciplines.placement.spec import MAX_WEIGHT, MIN_WEIGHT, Operator

FILTER: Final = Shape("a filter", FILTER_FIELDS)
PREFERENCE: Final = Shape("a preference", PREFERENCE_FIELDS)
EXPRESSION: Final = Shape("a match expression", EXPRESSION_FIELDS)


def read_placement(fields: Fields) -> PlacementDoc:
    """Read the filters and preferences among *fields*."""
    return PlacementDoc(
        filters=_criteria(fields, "filters", FILTER),
        preferences=_criteria(fields, "preferences", PREFERENCE),
    )


def _criteria(fields: Fields, key: str, shape: Shape) -> Read[tuple[CriterionDoc, ...]]:
    found = parse_valid(read_mappings(fields, key, shape), lambda item: _criterion(item, shape))
    if isinstance(found, Written):
        _note_repeated(shape, found.value, fields.findings)
    return found


def _note_repeated(shape: Shape, found: Iterable[CriterionDoc], findings: Findings) -> None:
    names = [each.name for each in found if isinstance(each.name, Written)]
    note_repeated(findings, DUPLICATE_NAME, names, capitalize(shape.what.removeprefix("a ")))


def _criterion(fields: Fields, shape: Shape) -> CriterionDoc:
    criterion = CriterionDoc(
        place=fields.place,
        name=fields.text("name", required=True),
        labels=read_labels(fields, "match_labels"),
        expressions=parse_valid(
            read_mappings(fields, "match_expressions", EXPRESSION), _expression
        ),
        weight=fields.number("weight", read_weight) if shape is PREFERENCE else None,
    )
    check_name(criterion.name, shape.what, fields.findings)
    _check_conditions(criterion, shape, fields.findings)
    if shape is PREFERENCE:
        _check_weight(criterion, fields.findings)
    return criterion


def _check_conditions(criterion: CriterionDoc, shape: Shape, findings: Findings) -> None:
    """Report a filter or preference without conditions (SkyShift, spec 1.1)."""
    for part in (criterion.labels, criterion.expressions):
        if isinstance(part, Unread) or (part is not None and part.value):
            return
    place = criterion.place
    if isinstance(criterion.name, Written):
        place = criterion.name.place
    findings.add(
        NO_CONDITION,
        place._replace(path=criterion.place.path),
        f"{capitalize(shape.what)} needs match_labels or match_expressions, and both are empty.",
        "Add the labels of the clusters, or remove it.",
    )


def _check_weight(criterion: CriterionDoc, findings: Findings) -> None:
    """Report a preference whose clusters get the same weight as all others."""
    weight = criterion.weight
    if isinstance(weight, Unread) or (value_of(weight) or MIN_WEIGHT) != MIN_WEIGHT:
        return
    if isinstance(weight, Written):
        place = weight.place
    elif isinstance(criterion.name, Written):
        place = criterion.name.place
    else:
        return
    name = value_of(criterion.name)
    which = f'Preference "{shorten(name)}"' if name else "The preference"
    findings.add(
        NO_EFFECT_OF_WEIGHT,
        place,
        f"{which} has weight {MIN_WEIGHT}, as clusters without any preference have.",
        f"Set weight to a number from {MIN_WEIGHT + 1} to {MAX_WEIGHT}.",
    )


def _expression(fields: Fields) -> ExpressionDoc:
    expression = ExpressionDoc(
        place=fields.place,
        key=fields.text("key", required=True),
        operator=fields.choice("operator", Operator, required=True),
        values=fields.texts("values", may_be_empty=True),
    )
    _check_values(expression, fields.findings)
    return expression


def _check_values(expression: ExpressionDoc, findings: Findings) -> None:
    """Report an operator that has no values to compare with (SkyShift, spec 2)."""
    operator, values = expression.operator, expression.values
    if not isinstance(operator, Written) or isinstance(values, Unread):
        return
    if values is not None and values.value:
        return
    place = operator.place if values is None else values.place
    if operator.value is Operator.IN:
        message = "In without values is false for every cluster."
        findings.add(NEVER_MATCHES, place, message, "Add values, or remove the expression.")
    else:
        message = "NotIn without values is true for every cluster."
        findings.add(ALWAYS_MATCHES, place, message, "Add values, or remove the expression.")
