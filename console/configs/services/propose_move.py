"""Propose a move: the active config with one of its rules at another position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.configs.errors import ConfigRejected
from console.configs.services.activate_version import require_active
from console.configs.services.check_config import check_config, find_dialect
from console.dialects.base import Reading
from console.dialects.moving import movable_objects, with_moved
from console.dialects.objects import objects_of
from console.engine.diff.objects import PolicyObject
from console.engine.model.policy import Policy
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.permissions import Actor, Permission
from console.policies.queries import get_version, policy_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveProposal:
    """A config text with a rule at another position; it has no errors."""

    dialect: str
    text: str
    reading: Reading


def movable_rules(policy: Policy) -> Sequence[PolicyObject]:
    """Return the rules of *policy* that a form may move, in order; none if there are none."""
    return movable_objects(find_dialect(policy.dialect), objects_of(policy))


def propose_move(actor: Actor, rule: int, to: int, expected_version: int) -> MoveProposal:
    """
    Return the text of version *expected_version* with the rule at index *rule* at index *to*.

    The rule takes its lines and the comments above it along. Raises NotAllowed, StaleVersion if
    another version is active, NotFound if the version has no rules that can be moved, BadRequest
    for a position that does not exist or that the layout of the text rules out, and ConfigRejected
    if the text has errors under the current checks.
    """
    actor.require(Permission.READ)
    require_active(actor.org, expected_version)
    version = get_version(actor.org, expected_version) if expected_version else None
    policy = policy_of(version) if version else None
    rules = movable_rules(policy) if policy is not None else ()
    if version is None or policy is None or not rules:
        raise NotFound("The active config has no rules that a form can move.")
    errors = [
        FieldError(name, "out_of_range", f"There are {len(rules)} rules, counted from 0.")
        for name, index in (("rule", rule), ("to", to))
        if not 0 <= index < len(rules)
    ]
    if errors:
        raise BadRequest(errors)
    dialect = find_dialect(version.dialect)
    text = with_moved(dialect, version.text, objects_of(policy), rule, to)
    if text is None:
        message = "The layout of the text allows no such move. Move the rule in the editor."
        raise BadRequest([FieldError("to", "not_movable", message)])
    reading = check_config(actor, version.dialect, text)
    if reading.policy is None:
        raise ConfigRejected(reading)
    return MoveProposal(dialect=version.dialect, text=text, reading=reading)
