"""The confirmation part of a review: consequences to accept, problems and button text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.configs.services.fix_draft import fix_key
from console.dialects.diagnostics import Diagnostic, Severity
from console.engine.explain.consequences import Consequence
from console.engine.model.consequences import ConfirmationLevel, ConsequenceCode
from console.engine.wording.words import plural
from console.pages.review_form import ReviewForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """The check box of one consequence."""

    code: str
    headline: str
    #: The amounts that belong to the headline; empty: none.
    items: tuple[str, ...]
    is_grave: bool
    is_ticked: bool
    is_missing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """The steps that confirm an apply."""

    ticks: tuple[Tick, ...]
    #: The consequences that need no acceptance.
    notes: tuple[Consequence, ...]
    #: Whether the version number has to be typed.
    is_typed: bool
    typed_is_missing: bool
    button: str
    problems: tuple[str, ...]
    #: Advice to compute the impact; empty if the impact is known, if no workload is affected, or
    #: if the missing impact is a consequence to accept.
    impact_note: str
    #: Choices for the time to confirm, in minutes.
    timers: tuple[str, ...] = ("10", "30", "60")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixable:
    """A button that applies one fix."""

    #: Value in the form.
    key: str
    title: str
    code: str
    line: int
    note: str


def fixables(diagnostics: Iterable[Diagnostic]) -> tuple[Fixable, ...]:
    """Return the buttons for the fixes of errors."""
    return tuple(
        Fixable(
            key=fix_key(diagnostic, place),
            title=fix.title,
            code=diagnostic.code,
            line=diagnostic.span.line,
            note=diagnostic.hint,
        )
        for diagnostic in diagnostics
        if diagnostic.severity is Severity.ERROR
        for place, fix in enumerate(diagnostic.fixes)
    )


def confirmation_of(
    consequences: Iterable[Consequence],
    form: ReviewForm,
    *,
    version: int,
    affected: int | None,
    at_most: int,
    back_to: int | None,
    was_sent: bool,
) -> Confirmation:
    """
    Return the steps to confirm *version*.

    *affected* is the number of live workloads that it affects; None: their impact is not known, and
    it affects *at_most* so many. *back_to* is the version that a
    rollback restores. Missing steps are shown once the form *was_sent*.
    """
    found = tuple(consequences)
    accepted = form.accepted(version)
    ticks = tuple(
        Tick(
            code=each.code,
            headline=each.headline,
            items=each.items,
            is_grave=each.level is ConfirmationLevel.TYPED,
            is_ticked=each.code in form.ticked,
            is_missing=was_sent and each.code not in form.ticked,
        )
        for each in found
        if each.needs_acceptance
    )
    is_typed = any(tick.is_grave for tick in ticks)
    typed_is_missing = was_sent and any(
        tick.is_grave and tick.is_ticked and tick.code not in accepted for tick in ticks
    )
    what = f"Apply version {version}" if back_to is None else f"Roll back to version {back_to}"
    problems = []
    if missing := sum(tick.is_missing for tick in ticks):
        problems.append(f"Confirm {plural(missing, 'more consequence')}, or change the text.")
    if typed_is_missing:
        problems.append(f"Type the version number {version} below the consequences.")
    return Confirmation(
        ticks=ticks,
        notes=tuple(each for each in found if not each.needs_acceptance),
        is_typed=is_typed,
        typed_is_missing=typed_is_missing,
        button=f"{what}: {_affected(affected, at_most)}",
        problems=tuple(problems),
        impact_note=""
        if affected is not None
        or not at_most
        or _IMPACT_UNAVAILABLE in (tick.code for tick in ticks)
        else (
            f"This may affect up to {plural(at_most, 'workload')}. The impact of this text has "
            "not been computed yet."
        ),
    )


def _affected(affected: int | None, at_most: int) -> str:
    if affected is None and at_most:
        return f"up to {plural(at_most, 'workload')} affected"
    return f"{plural(affected or 0, 'workload')} affected"


#: If the impact was requested and is not known, this has to be accepted with a checkbox.
_IMPACT_UNAVAILABLE = ConsequenceCode.PREVIEW_UNAVAILABLE.value
