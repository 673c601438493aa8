"""Expectation files of a repository, and diagnostics for broken expectations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from console.configs.read_expectations import read_expectations
from console.dialects.catalogue import Family
from console.dialects.codes import Code
from console.dialects.diagnostics import Diagnostic, Severity
from console.engine.explain.route_result import checked_expectation_sentence
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.routing.expectations import (
    CheckedExpectation,
    ExpectedRoute,
    check_expected_routes,
)
from console.errors import FieldError
from console.reading import Reader
from console.reading.typed_values import Typed, read_typed

BROKEN: Final = Code(
    "EXP001",
    Severity.ERROR,
    "Expectation that the config does not meet",
    "The rules or local queues of the config route this workload to another queue, or with another "
    "priority. Fix the config, or change the expectation if the new route is intended.",
)
UNREADABLE: Final = Code(
    "EXP002",
    Severity.ERROR,
    "Expectation that cannot be read",
    "An expectation has a name and a queue (null when no rule may match), and may have labels, "
    "namespace, user, groups, priority, requests and effective_priority.",
)
#: Diagnostic codes of expectation files, besides those of YAML.
CODES: Final = (BROKEN, UNREADABLE)
FAMILY: Final = Family(
    "EXP",
    "Expectations",
    "Errors in a file of expectations, and expectations that a config breaks, as reported by "
    "`check_config --expect`.",
    CODES,
)

_LIST: Final = "expectations"


@dataclass(frozen=True, slots=True)
class ExpectationFile:
    """A parsed file: its expectations, or its errors."""

    expectations: tuple[ExpectedRoute, ...]
    findings: tuple[Diagnostic, ...]
    _typed: Typed = field(repr=False)

    def check(self, policy: Policy, place: Callable[[Origin], str]) -> Iterator[Diagnostic]:
        """
        Yield a diagnostic for every expectation that *policy* breaks.

        *place* returns file, line and column of an origin in the policy.
        """
        for number, met in enumerate(check_expected_routes(policy, self.expectations)):
            if not met.is_met:
                yield self._broken(number, met, place)

    def _broken(
        self, number: int, met: CheckedExpectation, place: Callable[[Origin], str]
    ) -> Diagnostic:
        reaches = met.route_result.queue == met.expected.queue
        field = "effective_priority" if reaches else "queue"
        path = f"{_LIST}[{number}].{field}"
        return Diagnostic(
            code=BROKEN.code,
            severity=BROKEN.severity,
            message=checked_expectation_sentence(met),
            path=path,
            span=self._typed.span_of(path),
            hint=_hint(met, place),
        )


def read_expectation_file(raw: bytes) -> ExpectationFile:
    """
    Read a YAML or JSON file with a list of expectations under the key ``expectations``.

    A list without the key is accepted, too. Never raises: errors are in `findings`.
    """
    typed = read_typed(raw, "")
    if typed.findings:
        return ExpectationFile((), typed.findings, typed)
    reader = Reader()
    value = typed.value
    if isinstance(value, list):
        typed = read_typed(raw, _LIST)
    else:
        value = reader.mapping(value, "", (_LIST,), required=(_LIST,)).get(_LIST, [])
    expectations = read_expectations(reader, value, _LIST) if not reader.errors else []
    if reader.errors:
        return ExpectationFile((), tuple(_unreadable(reader.errors, typed)), typed)
    return ExpectationFile(tuple(expectations), (), typed)


def _unreadable(errors: list[FieldError], typed: Typed) -> Iterator[Diagnostic]:
    for error in errors:
        yield Diagnostic(
            code=UNREADABLE.code,
            severity=UNREADABLE.severity,
            message=error.message,
            path=error.path,
            span=typed.span_of(error.path),
        )


def _hint(met: CheckedExpectation, place: Callable[[Origin], str]) -> str:
    """Return a reference to the rule or local queue that decided, or an empty text."""
    route = met.route_result.route
    origin = route.rules[-1].origin if met.route_result.queue and route.rules else None
    if route.local_queue is not None:
        origin = route.local_queue.origin
    return f"See {place(origin)}." if origin is not None else ""
