"""Rows of a merge: conflicts that the user has to resolve, and changes merged automatically."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.configs.services.merge_draft import Resolution
from console.dialects.merging import Choice, Merge, Piece, Renamed
from console.engine.diff.objects import Vocabulary

_WHICH_FIRST = (
    "Both sides added {plural} at this position, and both may match the same workloads. {Plural} "
    "are tried in order: which side comes first?"
)
#: Maximum number of listed automatic merges and renames.
_NAMED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side's version of a conflicting piece."""

    choice: str
    title: str
    #: None: the side does not have the piece.
    text: str | None
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRow:
    """One conflict to resolve."""

    number: int
    title: str
    #: The question if it is not about which text to use; else empty.
    question: str
    sides: tuple[Side, ...]
    #: The user's edited text, and whether it is the chosen resolution.
    edited: str
    is_edited: bool
    is_missing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticMerge:
    """One piece merged without a conflict, and the side that changed it."""

    title: str
    whose: str


def conflict_rows(
    merge: Merge,
    vocabulary: Vocabulary,
    base: int,
    active: int,
    resolutions: Sequence[Resolution | None],
    *,
    was_sent: bool,
) -> tuple[ConflictRow, ...]:
    """Return the conflicts with their resolutions so far, *resolutions*."""
    texts = {
        Choice.BASE: f"Before, in version {base}" if base else "Before",
        Choice.THEIRS: f"Theirs, in version {active}",
        Choice.YOURS: "Yours",
    }
    orders = {Choice.THEIRS: f"Theirs first, of version {active}", Choice.YOURS: "Yours first"}
    rows = []
    lines = _lines_of(merge)
    for number, piece in enumerate(merge.conflicts):
        one = resolutions[number] if number < len(resolutions) else None
        if piece.is_order and one is not None and one.choice is Choice.BASE:
            one = None
        titles = orders if piece.is_order else texts
        rows.append(
            ConflictRow(
                number=number,
                title=_title(piece, vocabulary) or f"{lines[number]} of version {active}",
                question=_question(piece, vocabulary),
                sides=tuple(
                    Side(
                        choice=choice.value,
                        title=title,
                        text=piece.state(choice) or None,
                        is_chosen=one is not None and one.choice is choice,
                    )
                    for choice, title in titles.items()
                ),
                edited=one.text if one and one.choice is None else piece.yours or "",
                is_edited=one is not None and one.choice is None,
                is_missing=was_sent and one is None,
            )
        )
    return tuple(rows)


def automatic_merges(merge: Merge, vocabulary: Vocabulary) -> tuple[AutomaticMerge, ...]:
    """Return the changes merged without a conflict, in the order of the text."""
    found = (
        AutomaticMerge(title=_title(piece, vocabulary) or "Lines outside objects", whose=whose)
        for piece in merge.pieces
        if not piece.is_conflict and (whose := _changed_by(piece))
    )
    return tuple(dict.fromkeys(found))[:_NAMED]


def renames(merge: Merge, vocabulary: Vocabulary, active: int) -> tuple[str, ...]:
    """Return sentences about renamed objects, with the name under which changes are merged."""
    return tuple(_rename(each, vocabulary, active) for each in merge.renamed[:_NAMED])


def _rename(renamed: Renamed, vocabulary: Vocabulary, active: int) -> str:
    noun = vocabulary.of(renamed.noun).singular
    if renamed.by is Choice.THEIRS:
        return (
            f"{noun.capitalize()} {renamed.old} was renamed to {renamed.new} in version {active}. "
            "Your changes are merged under that name."
        )
    return (
        f"You renamed {noun} {renamed.old} to {renamed.new}. Their changes are merged under that "
        "name."
    )


def _changed_by(piece: Piece) -> str:
    if piece.theirs == piece.yours:
        return "both, identical" if piece.theirs != piece.base else ""
    if piece.yours == piece.base:
        return "theirs"
    return "yours" if piece.theirs == piece.base else "both, on different lines"


def _question(piece: Piece, vocabulary: Vocabulary) -> str:
    if not piece.is_order or piece.noun is None:
        return ""
    plural = vocabulary.of(piece.noun).plural
    return _WHICH_FIRST.format(plural=plural, Plural=plural.capitalize())


def _title(piece: Piece, vocabulary: Vocabulary) -> str:
    if piece.noun is None:
        return ""
    words = vocabulary.of(piece.noun)
    noun = (words.plural if piece.is_order else words.singular).capitalize()
    leads = words.is_counted and piece.name
    return f"{noun} to {piece.name}" if leads else f"{noun} {piece.name}".rstrip()


def _lines_of(merge: Merge) -> list[str]:
    """Return the line ranges of the conflicts in the active version's text."""
    places = []
    line = 1
    for piece in merge.pieces:
        count = len((piece.theirs or "").splitlines())
        if piece.is_conflict:
            last = line + max(count, 1) - 1
            places.append(f"Line {line}" if last == line else f"Lines {line} to {last}")
        line += count
    return places
