"""The collector of findings: everything that is wrong with a text, in the order of the text."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from console.dialects.codes import MORE_FINDINGS, Code
from console.dialects.diagnostics import Diagnostic, Fix, Severity, TextEdit
from console.dialects.positions import Positions

MAX_KEPT: Final = 500
#: Parsing stops after this number of errors.
MAX_ERRORS: Final = 5_000
#: Comparisons of two words that the suggestions of one reading may cost together.
SUGGESTION_BUDGET: Final = 20_000


_RANK: Final = {severity: rank for rank, severity in enumerate(Severity)}


class ReadingStopped(Exception):
    """Reading has to stop; the findings say why."""


class Place(NamedTuple):
    """Offsets in the text, and the path in the document."""

    start: int
    end: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Repair:
    """A fix in offsets: it becomes a `Fix` when its finding is kept."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    code: Code
    place: Place
    message: str
    hint: str
    repairs: tuple[Repair, ...]

    @property
    def position(self) -> tuple[int, int, str]:
        return self.place.start, self.place.end, self.code.code


class Findings:
    """
    Collects findings by offset and hands them out as diagnostics.

    The same finding at the same place counts once, however many aliases lead
    there.
    """

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.suggestion_budget = SUGGESTION_BUDGET
        self._findings: dict[tuple[int, int, str, str], _Finding] = {}
        self._errors: list[int] = []
        #: Parts of the text in which an edit would not mean what it says, ascending.
        self._no_repairs: list[tuple[int, int]] = []

    def add(
        self,
        code: Code,
        place: Place,
        message: str,
        hint: str = "",
        repairs: tuple[Repair, ...] = (),
    ) -> None:
        """
        Note a finding about *place*.

        Raises ReadingStopped when there are too many errors to go on.
        """
        key = (place.start, place.end, code.code, message)
        if key not in self._findings:
            offered = tuple(repair for repair in repairs if not self._is_barred(repair))
            self._findings[key] = _Finding(code, place, message, hint, offered)
            if code.severity is Severity.ERROR:
                self._errors.append(place.start)
                if len(self._errors) >= MAX_ERRORS:
                    raise ReadingStopped

    def offer_no_repairs(self, start: int, end: int) -> None:
        """
        Leave out repairs that change the text between two offsets, from now on.

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
        Add the findings of a part of the text; *move* turns offsets of the part into those here.

        Raises ReadingStopped when there are too many errors to go on.
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
            self.add(found.code, place, found.message, found.hint, repairs)

    def copy(self) -> Findings:
        """Return findings that begin with these, for more to be added to one of both."""
        made = Findings(self.positions)
        made.suggestion_budget = self.suggestion_budget
        made._findings = dict(self._findings)
        made._errors = list(self._errors)
        made._no_repairs = list(self._no_repairs)
        return made

    @property
    def has_errors(self) -> bool:
        """Whether an error was noted so far."""
        return bool(self._errors)

    def has(self, code: Code) -> bool:
        """Say whether a finding of *code* was noted so far."""
        return any(finding.code is code for finding in self._findings.values())

    def error_offsets(self) -> list[int]:
        """Return where the errors noted so far begin, ascending."""
        return sorted(self._errors)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """
        Return the findings in the order of the text.

        At most 500 are kept, errors before warnings before infos, and an info at
        the end counts the rest.
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
            fixes=tuple(
                Fix(
                    repair.title,
                    tuple(TextEdit(span(e.start, e.end), e.text) for e in repair.edits),
                )
                for repair in finding.repairs
            ),
        )
