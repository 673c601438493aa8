"""Lint a config text: what is wrong with it, and what looks unintended given what runs and ran."""

from __future__ import annotations

from dataclasses import dataclass

from console.configs.services.check_config import check_config
from console.dialects.base import Reading
from console.dialects.diagnostics import Diagnostic
from console.orgs.permissions import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A reading, and beside it the lints; a text with errors has none."""

    reading: Reading
    lints: tuple[Diagnostic, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Diagnostics and lints together, in the order of the text."""
        return tuple(sorted((*self.reading.diagnostics, *self.lints), key=lambda d: d.span))


def lint_config(actor: Actor, dialect: str, text: str) -> Checked:
    """
    Check *text* as `check_config` does, and lint what it compiles to.

    Raises NotAllowed, and BadRequest when the dialect is not known.
    """
    return Checked(reading=check_config(actor, dialect, text))
