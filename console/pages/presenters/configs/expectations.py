"""Rows of the expectations page, and expectations as a YAML file for a pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from console.configs.models import Expectation
from console.engine.explain.route_result import expectation_sentence, route_sentence
from console.engine.model.amounts import amount_to_number
from console.engine.routing.expectations import CheckedExpectation, ExpectedRoute
from console.engine.wording.characters import DIRECTIONS, LINE_ENDS
from console.engine.wording.words import sentence_case
from console.pages.tester_query import TesterQuery, format_requests

#: Characters that some parsers treat as a line end, and characters that change text direction.
_MISREAD = re.compile(f"[\x85{LINE_ENDS}{DIRECTIONS}\ufeff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationRow:
    """One expectation, and its result with a config."""

    number: int
    name: str
    labels: str
    namespace: str
    user: str
    expected: str
    verdict: str
    sentence: str
    url: str


def expectation_rows(
    met: Iterable[CheckedExpectation], numbers: Mapping[str, int], config: str, path: str
) -> list[ExpectationRow]:
    """
    Return the rows of checked expectations, failed ones first.

    *numbers* maps names to primary keys, and *path* is the URL of the tester.
    """
    rows = [
        ExpectationRow(
            number=numbers[each.expected.name],
            name=each.expected.name,
            labels=_labels(each.expected),
            namespace=each.expected.workload.namespace,
            user=_user(each.expected),
            expected=f"{sentence_case(expectation_sentence(each.expected))}.",
            verdict="pass" if each.is_met else "fail",
            sentence=route_sentence(each.route_result),
            url=path + _query(each.expected, config).to_query_string(),
        )
        for each in met
        if each.expected.name in numbers
    ]
    return sorted(rows, key=lambda row: (row.verdict != "fail", row.name))


def query_of_expectation(row: Expectation) -> TesterQuery:
    """Return the workload of an expectation as input of the tester's form."""
    return TesterQuery(
        labels=tuple(row.labels.items()),
        namespace=row.namespace,
        user=row.user,
        groups="\n".join(row.groups or ()),
        priority="" if row.priority is None else str(row.priority),
        requests=format_requests(row.requests),
    )


def as_file(expectations: Iterable[ExpectedRoute]) -> str:
    """Return *expectations* as YAML in the format of `check_config --expect`."""
    content = {"expectations": [_item(each) for each in expectations]}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    # Escaped characters are read back unchanged, and the file contains what it shows.
    if _MISREAD.search(text):
        text = yaml.safe_dump(content, sort_keys=False)
    return text


def _item(expected: ExpectedRoute) -> dict[str, Any]:
    workload = expected.workload
    requests = {name: amount_to_number(amount) for name, amount in workload.total().items()}
    item: dict[str, Any] = {"name": expected.name, "labels": dict(workload.labels)}
    if workload.namespace:
        item["namespace"] = workload.namespace
    if workload.user:
        item["user"] = workload.user
    if workload.groups:
        item["groups"] = list(workload.groups)
    if workload.priority is not None:
        item["priority"] = workload.priority
    if requests:
        item["requests"] = requests
    item["queue"] = expected.queue
    if expected.priority is not None:
        item["effective_priority"] = expected.priority
    return item


def _labels(expected: ExpectedRoute) -> str:
    return " ".join(f"{key}={value}" for key, value in expected.workload.labels.items())


def _user(expected: ExpectedRoute) -> str:
    """Return the user with the groups, as in ``sue (dev, ops)``; empty without both."""
    user, groups = expected.workload.user, ", ".join(expected.workload.groups)
    return f"{user or 'no user'} ({groups})" if groups else user


def _query(expected: ExpectedRoute, config: str) -> TesterQuery:
    workload = expected.workload
    return TesterQuery(
        config=config,
        labels=tuple(workload.labels.items()),
        namespace=workload.namespace,
        user=workload.user,
        groups="\n".join(workload.groups),
        priority="" if workload.priority is None else str(workload.priority),
        requests=format_requests(workload.total()),
    )
