"""Label selectors: match expressions on labels, evaluated as in Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from console.engine.model.origin import Origin


class Operator(StrEnum):
    """An operator of match expressions."""

    IN = "in"
    NOT_IN = "not_in"
    EXISTS = "exists"
    DOES_NOT_EXIST = "does_not_exist"


@dataclass(frozen=True, slots=True)
class MatchExpression:
    """
    One requirement on one label key.

    A missing key satisfies only ``not_in`` and ``does_not_exist``.

    >>> MatchExpression("zone", Operator.NOT_IN, ("a",)).matches({})
    True
    """

    key: str
    operator: Operator
    #: Empty for ``exists`` and ``does_not_exist``; the dialects guarantee it.
    values: tuple[str, ...] = ()
    origin: Origin | None = None

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether *labels* meet this requirement."""
        actual = labels.get(self.key)
        match self.operator:
            case Operator.IN:
                return actual is not None and actual in self.values
            case Operator.NOT_IN:
                return actual is None or actual not in self.values
            case Operator.EXISTS:
                return actual is not None
            case Operator.DOES_NOT_EXIST:
                return actual is None


@dataclass(frozen=True, slots=True)
class Selector:
    """A conjunction of match expressions; without expressions it matches every workload."""

    expressions: tuple[MatchExpression, ...] = ()
    origin: Origin | None = None

    def first_false(self, labels: Mapping[str, str]) -> MatchExpression | None:
        """Return the first expression that is false for *labels*, or None."""
        for expression in self.expressions:
            if not expression.matches(labels):
                return expression
        return None

    def refers_to(self, key: str) -> bool:
        """Return whether an expression refers to the label *key*."""
        return any(expression.key == key for expression in self.expressions)

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether every expression holds for *labels*."""
        return self.first_false(labels) is None


EVERYTHING = Selector()
