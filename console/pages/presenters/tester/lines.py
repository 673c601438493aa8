"""Data of the rule tester's page: lines of rules, local queues and flavors."""

from __future__ import annotations

from dataclasses import dataclass

from console.configs.compiled_configs import CompiledConfig
from console.engine.explain.candidates import Candidate
from console.engine.model.amounts import Amount
from console.engine.model.origin import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionLine:
    """One expression of a truth table."""

    expression: str
    actual: str
    holds: bool
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """The smallest change of the input for another route, and the URL that tests it, or empty."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """One rule; *label* names its table."""

    number: int
    label: str
    queue: str
    verdict: str
    sentence: str
    priority: str
    expressions: list[ExpressionLine]
    nearest: Alternative | None
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueLine:
    """One local queue of the workload's namespace; *label* names its table."""

    name: str
    label: str
    queue: str
    verdict: str
    sentence: str
    expressions: list[ExpressionLine]
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorLine:
    """One flavor: whether it accepts the workload, and the amounts of each resource."""

    flavor: str
    label: str
    verdict: str
    sentence: str
    expressions: list[ExpressionLine]
    shares: list[tuple[str, Amount, Amount, Amount]]
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """The result of one workload with one config."""

    title: str
    subject: CompiledConfig
    state: str
    sentence: str
    fit: list[tuple[str, str]]
    queue: str
    priority: int | None
    rules: list[RuleLine]
    rule_count: int
    next_url: str
    first_url: str
    local_queues: list[LocalQueueLine]
    more_local_queues: int
    others: list[tuple[str, Alternative]]
    missing: list[tuple[str, list[tuple[str, str, str]], int]]
    flavors: list[FlavorLine]
    routes_by_rules: bool
    routes_by_local_queues: bool
    #: The clusters, and whether they are those without any running workload.
    candidates: list[Candidate]
    is_empty_state: bool
    #: Query string of the form for a new expectation with this result.
    expect_query: str
