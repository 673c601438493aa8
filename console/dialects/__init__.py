"""The config languages: every sub-package that defines DIALECT."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from console.dialects.base import ClientForm, Dialect


@cache
def dialects() -> dict[str, Dialect]:
    """Return all dialects by name, sorted by name."""
    found = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if module.ispkg:
            package = importlib.import_module(f"{__name__}.{module.name}")
            dialect: Dialect | None = getattr(package, "DIALECT", None)
            if dialect is not None:
                found[dialect.name] = dialect
    return found


def likely_dialect(text: str) -> Dialect | None:
    """Return the one language that *text* looks like; None if there is none or several."""
    likely = [dialect for dialect in dialects().values() if dialect.recognizes(text)]
    return likely[0] if len(likely) == 1 else None


def default_dialect() -> Dialect:
    """Return the language of a text whose language is not stated."""
    return next(dialect for dialect in dialects().values() if dialect.is_default)


def client_dialect() -> tuple[Dialect, ClientForm]:
    """Return the language of the public client, and the conversion of its documents to JSON."""
    return next((each, each.client_form) for each in dialects().values() if each.client_form)
