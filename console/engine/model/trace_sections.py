"""
Registry of trace sections: the facts of one discipline, besides those that all share.

The module `trace` in the folder of a discipline registers its section under the name of the
folder. Stored decisions contain sections, and outlive the discipline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Final, Self


class TraceSection:
    """
    Base class of sections, which are frozen dataclasses of facts.

    Fields that equal their defaults are not stored, so every field has a default.
    """

    __slots__ = ()

    #: Whether traces of version 1 have its fields next to their own; true for one section only.
    in_version_1: ClassVar[bool] = False

    def without_running(self) -> Self:
        """Return the facts that depend only on total usage, not on single running workloads."""
        return self


@dataclass(frozen=True, slots=True)
class UnreadSection(TraceSection):
    """The stored form of a section whose discipline is not installed."""

    stored: Mapping[str, Any]


_REGISTERED: Final[dict[str, type[TraceSection]]] = {}


def register_section(code: str, kind: type[TraceSection]) -> None:
    """
    Register the section class *kind* under *code*, the name of the discipline's folder.

    Raises ValueError when the code is taken.
    """
    if code in _REGISTERED:
        raise ValueError(f"a section of traces is registered already: {code!r}")
    _REGISTERED[code] = kind


def unregister_section(code: str) -> None:
    """Remove the section *code*, as if its discipline were not installed."""
    del _REGISTERED[code]


def section_kind(code: str) -> type[TraceSection] | None:
    """Return the class of the sections with *code*, or None if it is not registered."""
    if code not in _REGISTERED:
        _load_producers()
    return _REGISTERED.get(code)


@cache
def version_1_section() -> tuple[str, type[TraceSection]]:
    """Return the code and the class of the section that traces of version 1 contain."""
    _load_producers()
    return next((code, kind) for code, kind in _REGISTERED.items() if kind.in_version_1)


@cache
def _load_producers() -> None:
    """Import the modules that register sections, of all disciplines."""
    import_module("console.engine.disciplines").load_trace_sections()
