"""Lint a config text: errors, and warnings based on live and recorded workloads."""

from __future__ import annotations

from console.capacity.queries.inventory import load_clusters
from console.configs.services.check_config import check_config, find_dialect
from console.dialects.base import Dialect
from console.dialects.lints import Checked, Facts, lint
from console.engine.disciplines import load_discipline
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version, policy_of
from console.workloads.queries.history import live_of
from console.workloads.queries.recent_history import recent_history

__all__ = ["Checked", "lint_config"]


def lint_config(actor: Actor, dialect: str, text: str) -> Checked:
    """
    Return the result of `check_config` for *text*, with the lints if the text has no errors.

    Raises NotAllowed, and BadRequest for an unknown dialect.
    """
    reading = check_config(actor, dialect, text)
    if not reading.ok:
        return Checked(reading=reading)
    found = find_dialect(dialect)
    return lint(found, reading, _facts(actor.org, found))


def _facts(org: Organization, dialect: Dialect) -> Facts:
    active = active_version(org)
    reads_inventory = load_discipline(dialect.discipline).reads_inventory
    return Facts(
        history=recent_history(org),
        live=live_of(org),
        inventory=load_clusters(org.pk) if reads_inventory else None,
        before=policy_of(active) if active is not None else None,
    )
