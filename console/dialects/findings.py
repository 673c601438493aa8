"""The collector of the findings of one text, which returns them as diagnostics in order."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from console.dialects.codes import MORE_FINDINGS, Code
from console.dialects.diagnostics import Diagnostic, Fix, Severity, TextEdit
from console.dialects.positions import Positions

MAX_KEPT: Final = 500
#: Parsing stops after this number of errors.
MAX_ERRORS: Final = 5_000
#: Maximum number of word comparisons for the suggestions of one reading.
SUGGESTION_BUDGET: Final = 20_000


_RANK: Final = {severity: rank for rank, severity in enumerate(Severity)}


class ReadingStopped(Exception):
    """Reading stops; the findings state the reason."""


class Place(NamedTuple):
    """Offsets in the text, and the path in the document."""

    start: int
    end: int
    path: str = ""

    @property
    def first(self) -> Place:
        """Its first character, for a finding about something that is absent or long."""
        return self._replace(end=max(self.start, min(self.end, self.start + 1)))


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of the text between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Repair:
    """A fix with offsets; the diagnostic of its finding has it as a `Fix`."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    code: Code
    place: Place
    message: str
    hint: str
    repairs: tuple[Repair, ...]
    original: str
    scope: Place | None

    @property
    def position(self) -> tuple[int, int, str]:
        return self.place.start, self.place.end, self.code.code


class Findings:
    """
    Collects findings by offset and returns them as diagnostics.

    Equal findings at the same place count once, even if several aliases reach the place.
    """

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.suggestion_budget = SUGGESTION_BUDGET
        self._findings: dict[tuple[int, int, str, str], _Finding] = {}
        self._errors: list[int] = []
        #: Parts of the text where edits are not possible, in ascending order.
        self._no_repairs: list[tuple[int, int]] = []

    def add(
        self,
        code: Code,
        place: Place,
        message: str,
        hint: str = "",
        repairs: tuple[Repair, ...] = (),
        original: str = "",
        scope: Place | None = None,
    ) -> None:
        """
        Add a finding about *place*; see `Diagnostic.original` and `Diagnostic.scope`.

        Raises ReadingStopped if there are too many errors.
        """
        key = (place.start, place.end, code.code, message)
        known = self._findings.get(key)
        if known is not None:
            if original and not known.original:
                self._findings[key] = replace(known, original=original)
        else:
            offered = tuple(repair for repair in repairs if not self._is_barred(repair))
            self._findings[key] = _Finding(code, place, message, hint, offered, original, scope)
            if code.severity is Severity.ERROR:
                self._errors.append(place.start)
                if len(self._errors) >= MAX_ERRORS:
                    raise ReadingStopped

    def cite(self, original: str) -> None:
        """Give *original*, as in `Diagnostic.original`, to the errors that have none."""
        for key, found in self._findings.items():
            if found.code.severity is Severity.ERROR and not found.original:
                self._findings[key] = replace(found, original=original)

    def offer_no_repairs(self, start: int, end: int) -> None:
        """
        From now on, omit repairs that change the text between two offsets.

        Such parts do not overlap.
        """
        insort(self._no_repairs, (start, end))

    def _is_barred(self, repair: Repair) -> bool:
        for edit in repair.edits:
            before = bisect_left(self._no_repairs, (edit.end, 0)) - 1
            if before >= 0 and self._no_repairs[before][1] > edit.start:
                return True
        return False

    def take(
        self,
        other: Findings,
        move: Callable[[int, int], tuple[int, int]],
        *,
        with_repairs: bool,
    ) -> None:
        """
        Add the findings of a part of the text; *move* maps its offsets to offsets of this text.

        Raises ReadingStopped if there are too many errors.
        """
        for found in other._findings.values():
            start, end = move(found.place.start, found.place.end)
            repairs = tuple(
                Repair(
                    repair.title,
                    tuple(Edit(*move(e.start, e.end), e.text) for e in repair.edits),
                )
                for repair in (found.repairs if with_repairs else ())
            )
            place = Place(start, end, found.place.path)
            scope = found.scope and Place(*move(found.scope.start, found.scope.end))
            self.add(found.code, place, found.message, found.hint, repairs, found.original, scope)

    def copy(self) -> Findings:
        """Return a copy; findings added to the copy or the original do not change the other."""
        made = Findings(self.positions)
        made.suggestion_budget = self.suggestion_budget
        made._findings = dict(self._findings)
        made._errors = list(self._errors)
        made._no_repairs = list(self._no_repairs)
        return made

    @property
    def has_errors(self) -> bool:
        """Whether an error has been added."""
        return bool(self._errors)

    def has(self, code: Code) -> bool:
        """Return whether a finding of *code* has been added."""
        return any(finding.code is code for finding in self._findings.values())

    def error_offsets(self) -> list[int]:
        """Return the start offsets of the errors so far, in ascending order."""
        return sorted(self._errors)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """
        Return the findings in the order of the text.

        At most 500 are returned, errors before warnings before infos; a final info states how many
        are omitted.
        """
        found = sorted(self._findings.values(), key=lambda f: (_RANK[f.code.severity], f.position))
        kept = sorted(found[:MAX_KEPT], key=lambda f: f.position)
        diagnostics = [self._diagnostic(f) for f in kept]
        left_out = len(found) - len(kept)
        if left_out:
            at_least = "At least " if len(self._errors) >= MAX_ERRORS else ""
            diagnostics.append(
                Diagnostic(
                    code=MORE_FINDINGS.code,
                    severity=MORE_FINDINGS.severity,
                    message=f"{at_least}{left_out:,} more findings are not shown.",
                    path="",
                    span=diagnostics[-1].span,
                    hint="Correct some of those above and check again.",
                )
            )
        return tuple(diagnostics)

    def _diagnostic(self, finding: _Finding) -> Diagnostic:
        span = self.positions.span
        return Diagnostic(
            code=finding.code.code,
            severity=finding.code.severity,
            message=finding.message,
            path=finding.place.path,
            span=span(finding.place.start, finding.place.end),
            hint=finding.hint,
            is_live=finding.code.is_live,
            original=finding.original,
            scope=finding.scope and span(finding.scope.start, finding.scope.end),
            fixes=tuple(
                Fix(
                    repair.title,
                    tuple(TextEdit(span(e.start, e.end), e.text) for e in repair.edits),
                )
                for repair in finding.repairs
            ),
        )
