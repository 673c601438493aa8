"""
Sections of traces: what one discipline finds beside the facts that all have in common.

The module `trace` in the folder of a discipline registers its section under the name of the
folder. Decisions are stored with it, and outlive the discipline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Final, Self


class TraceSection:
    """
    The base of sections, which are frozen dataclasses of facts.

    Fields that equal their defaults are not stored, so every field has one.
    """

    __slots__ = ()

    #: Whether traces of version 1 have its fields beside their own; true of one kind.
    in_version_1: ClassVar[bool] = False

    def without_running(self) -> Self:
        """Return the facts that hold whatever single workloads run, with the same usage in sum."""
        return self


@dataclass(frozen=True, slots=True)
class UnreadSection(TraceSection):
    """A section as it was stored, of a discipline that is not installed."""

    stored: Mapping[str, Any]


_REGISTERED: Final[dict[str, type[TraceSection]]] = {}


def register_section(code: str, kind: type[TraceSection]) -> None:
    """
    Let traces have a section of *kind* under *code*, the name of the discipline's folder.

    Raises ValueError when the code is taken.
    """
    if code in _REGISTERED:
        raise ValueError(f"a section of traces is registered already: {code!r}")
    _REGISTERED[code] = kind


def unregister_section(code: str) -> None:
    """Remove the section with *code*, as if its discipline were not installed."""
    del _REGISTERED[code]


def section_kind(code: str) -> type[TraceSection] | None:
    """Return the kind of the sections with *code*; None when it is not registered."""
    if code not in _REGISTERED:
        _load_producers()
    return _REGISTERED.get(code)


@cache
def version_1_section() -> tuple[str, type[TraceSection]]:
    """Return the code and the kind of the section that traces of version 1 have."""
    _load_producers()
    return next((code, kind) for code, kind in _REGISTERED.items() if kind.in_version_1)


@cache
def _load_producers() -> None:
    """Import the modules that register sections; they are found by their folder."""
    import_module("console.engine.disciplines").load_trace_sections()
