"""Check a config text: return its diagnostics and its policy."""

from __future__ import annotations

from console.configs.queries import past_specs
from console.dialects import dialects
from console.dialects.base import Dialect, Reading
from console.dialects.reading_cache import read_cached
from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor, Permission


def check_config(actor: Actor, dialect: str, text: str) -> Reading:
    """
    Return the reading of *text* as the next version of the organization's config.

    `lint_config` adds the lints. Raises NotAllowed, and BadRequest for an unknown dialect.
    """
    actor.require(Permission.READ)
    return read_cached(find_dialect(dialect), text, past_specs(actor.org))


def find_dialect(name: str) -> Dialect:
    """Return the dialect called *name*; raises BadRequest, which lists the known dialects."""
    dialect = dialects().get(name)
    if dialect is None:
        message = f"There is no config language of this name; use one of: {', '.join(dialects())}."
        raise BadRequest([FieldError("dialect", "unknown_dialect", message)])
    return dialect
