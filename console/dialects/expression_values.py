"""Check that a match expression has values exactly if its operator needs them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from console.dialects.codes import Code
from console.dialects.findings import Findings
from console.dialects.repairs import replace
from console.dialects.written import Read, Unread, Written

Operator = TypeVar("Operator", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operators(Generic[Operator]):
    """The operators of a language, and the codes of the two findings."""

    is_in: Operator
    not_in: Operator
    exists: Operator
    does_not_exist: Operator
    missing: Code
    not_allowed: Code


def check_values(
    operator: Read[Operator],
    values: Read[tuple[Read[str], ...]],
    operators: Operators[Operator],
    findings: Findings,
) -> None:
    """Report an operator without the values it needs, and values of an operator without them."""
    if not isinstance(operator, Written) or isinstance(values, Unread):
        return
    compares = operator.value in (operators.is_in, operators.not_in)
    has_values = values is not None and bool(values.value)
    if compares and not has_values:
        findings.add(
            operators.missing,
            operator.place if values is None else values.place,
            f'The operator "{operator.value}" needs values, and there are none.',
            f"Add values, or use {operators.exists} or {operators.does_not_exist}.",
        )
    elif values is not None and has_values and not compares:
        comparing = operators.is_in if operator.value is operators.exists else operators.not_in
        findings.add(
            operators.not_allowed,
            values.place,
            f'The operator "{operator.value}" takes no values.',
            f"Remove values, or use {operators.is_in} or {operators.not_in}.",
            (replace(operator.place, comparing),),
        )
