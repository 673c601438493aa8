"""Comparing, renaming, merging and outlining work for kinds that no dialect has."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from console.dialects.assist import Assistant
from console.dialects.merging import Merge, Renamed, Verdict, merge_configs
from console.dialects.merging.pieces import Choice
from console.engine.diff import (
    Change,
    ChangeKind,
    Comparison,
    FieldChange,
    Followed,
    write_effective,
)
from console.engine.diff.objects import (
    FactType,
    ObjectKind,
    PolicyObject,
    PolicyObjects,
    Reference,
    Role,
    Vocabulary,
    Words,
)
from console.engine.model.origin import Origin
from console.pages.presenters.configs.changes import change_chips, change_line
from console.pages.presenters.configs.outline import outline_of

WIDGET = ObjectKind(
    name="big_widget",
    facts={"color": FactType(default="grey"), "size": FactType()},
    may_be_renamed=True,
)
BOX = ObjectKind(
    name="box", facts={"holds": FactType(form=Reference("big_widget")), "lid": FactType()}
)
STEP = ObjectKind(
    name="step",
    role=Role.ORDERED,
    facts={"widget": FactType(form=Reference("big_widget")), "when": FactType(default="always")},
    leads_to="widget",
    selects_by=("when",),
)
WORDS = Vocabulary(
    {
        "big_widget": Words("big widget", "big widgets"),
        "box": Words("box", "boxes"),
        "step": Words("step", "steps", is_counted=True),
    }
)
SCHEMA = {
    "type": "object",
    "properties": {
        "widgets": {
            "type": "array",
            "items": {
                "type": "object",
                "x-item": {"kind": "big widget", "name": ["name"]},
                "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
            },
        },
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "x-item": {"kind": "step", "leads_to": ["widget"]},
                "properties": {"widget": {"type": "string", "x-refers-to": "big widget"}},
            },
        },
    },
}
TEXT = """\
widgets:
  - name: cog
    size: 3
  - name: nut
    size: 5
    color: red
boxes:
  - name: tray
    holds: cog
steps:
  - widget: cog
    when: early
  - widget: nut
"""
FIRST_STEP = "  - widget: cog\n    when: early\n"
KINDS = (WIDGET, BOX, STEP)


def read(text: str) -> PolicyObjects:
    """Return the objects of a text with widgets, boxes and steps."""
    lists = _lists(text)
    return PolicyObjects(
        KINDS,
        [
            *(_named(WIDGET, each, origin) for each, origin in lists.get("widgets", ())),
            *(_named(BOX, each, origin) for each, origin in lists.get("boxes", ())),
            *(
                PolicyObject(
                    kind=STEP,
                    key=STEP.key_at(place, facts := _facts(STEP, each)),
                    origin=origin,
                    facts=facts,
                    place=place,
                )
                for place, (each, origin) in enumerate(lists.get("steps", ()))
            ),
        ],
    )


def _named(kind: ObjectKind, said: Mapping[str, str], origin: Origin) -> PolicyObject:
    return PolicyObject(kind=kind, key=said["name"], origin=origin, facts=_facts(kind, said))


def _facts(kind: ObjectKind, said: Mapping[str, str]) -> dict[str, str | None]:
    return {name: said.get(name, fact.default) for name, fact in kind.facts.items()}


def _lists(text: str) -> dict[str, list[tuple[dict[str, str], Origin]]]:
    """Parse lists of mappings with one key per line."""
    found: dict[str, list[tuple[dict[str, str], Origin]]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, _, value = line.strip(" -").partition(":")
        if not line.startswith(" "):
            items = found.setdefault(key, [])
            continue
        if line.startswith("  - "):
            items.append(({}, Origin(number, 5, number, len(line) + 1)))
        said, origin = items[-1]
        said[key] = value.strip()
        items[-1] = said, Origin(origin.line, origin.column, number, len(line) + 1)
    return found


def rename(text: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """Return *text* with widgets renamed."""
    for old, new in names.get("big_widget", {}).items():
        for key in ("name", "holds", "widget"):
            text = text.replace(f"{key}: {old}\n", f"{key}: {new}\n")
    return text


def merge(theirs: str, yours: str) -> Merge:
    """Merge two changes of the text."""
    return merge_configs(TEXT, theirs, yours, read, rename=rename)


def difference_texts(old: str, new: str) -> list[str]:
    """Return the differences as text."""
    return [
        " / ".join((line.text, *(detail.text for detail in line.details)))
        for line in (
            change_line(each, WORDS) for each in Comparison(read(old), read(new)).changes()
        )
    ]


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (TEXT, []),
        (TEXT.replace("size: 3", "size: 4"), ["Big widget cog changed / size 3 → 4"]),
        (
            TEXT.replace("boxes:", "  - name: pin\n    color: blue\nboxes:"),
            ["Big widget pin added / color blue"],
        ),
        (
            TEXT.replace("  - name: tray\n    holds: cog\n", ""),
            ["Box tray removed / holds cog"],
        ),
        (
            TEXT.replace(FIRST_STEP, "") + FIRST_STEP,
            ["Step 1 to nut moved from position 2"],
        ),
        (
            TEXT.replace("when: early", "when: late"),
            ["Step 1 to cog changed / when early → late"],
        ),
        (
            rename(TEXT, {"big_widget": {"cog": "gear"}}),
            ["Big widget cog renamed to gear / box tray and step 1 to gear use the new name"],
        ),
    ],
)
def test_differences_have_sentences(new: str, words: list[str]) -> None:
    assert difference_texts(TEXT, new) == words


def test_true_differs_from_one() -> None:
    old, new = (
        PolicyObjects(
            KINDS,
            [PolicyObject(STEP, "0 to cog", None, {"widget": "cog", "when": when})],
        )
        for when in (True, 1)
    )
    assert [*Comparison(old, new).changes()] == [
        Change(
            kind=ChangeKind.CHANGED,
            noun="step",
            name="0 to cog",
            details=(FieldChange(path=("when",), old=True, new=1),),
        )
    ]
    assert not [*Comparison(new, new).changes()]


def test_renamed_object_may_change_values_too() -> None:
    renamed = rename(TEXT, {"big_widget": {"cog": "gear"}}).replace("size: 3", "size: 4")
    old, new = read(TEXT), read(renamed)
    changes = tuple(Comparison(old, new).changes())
    assert changes == (
        Change(
            kind=ChangeKind.RENAMED,
            noun="big_widget",
            name="gear",
            old_name="cog",
            details=(
                FieldChange(path=("size",), old="3", new="4"),
                Followed(noun="box", name="tray"),
                Followed(noun="step", name="0 to gear"),
            ),
            origin=new.of("big_widget")["gear"].origin,
            old_origin=old.of("big_widget")["cog"].origin,
        ),
    )
    assert [chip.text for chip in change_chips(changes, WORDS)] == ["1 big widget renamed"]


def test_the_effective_text_has_every_default() -> None:
    assert write_effective(read(TEXT)) == (
        'big_widget cog:\n  color: grey\n  size: "3"\n\n'
        'big_widget nut:\n  color: red\n  size: "5"\n\n'
        "box tray:\n  holds: cog\n  lid: null\n\n"
        "step 1:\n  widget: cog\n  when: early\n\n"
        "step 2:\n  widget: nut\n  when: always\n"
    )


@pytest.mark.parametrize(
    ("theirs", "yours"),
    [
        (("size: 3", "size: 4"), ("color: red", "color: blue")),
        (("size: 3", "size: 4"), ("when: early", "when: late")),
        (("boxes:", "  - name: pin\n    size: 1\nboxes:"), ("holds: cog", "holds: nut")),
    ],
)
def test_merge_contains_both_changes(theirs: tuple[str, str], yours: tuple[str, str]) -> None:
    for one, other in ((theirs, yours), (yours, theirs)):
        merged = merge(TEXT.replace(*one), TEXT.replace(*other))
        expected = TEXT.replace(*theirs).replace(*yours)
        assert (merged.verdict, merged.text) == (Verdict.SAFE, expected)


def test_a_merge_follows_a_rename() -> None:
    renamed = rename(TEXT, {"big_widget": {"cog": "gear"}})
    merged = merge(renamed, TEXT.replace("size: 3", "size: 4"))
    assert (merged.verdict, merged.text) == (
        Verdict.SAFE,
        renamed.replace("size: 3", "size: 4"),
    )
    assert merged.renamed == (Renamed(noun="big_widget", old="cog", new="gear", by=Choice.THEIRS),)


def test_both_sides_changing_one_object_is_a_conflict() -> None:
    merged = merge(TEXT.replace("size: 3", "size: 4"), TEXT.replace("size: 3", "size: 6"))
    assert merged.verdict is Verdict.CONFLICTS
    assert [(piece.noun, piece.name) for piece in merged.conflicts] == [("big_widget", "cog")]


def test_order_of_two_added_steps_is_a_conflict() -> None:
    theirs, yours = (f"{TEXT}  - widget: {name}\n    when: late\n" for name in ("cog", "nut"))
    merged = merge(theirs, yours)
    assert [(piece.noun, piece.name, piece.is_order) for piece in merged.conflicts] == [
        ("step", "cog, nut", True)
    ]


def test_outline_uses_the_vocabulary() -> None:
    groups = outline_of(Assistant(SCHEMA, TEXT).names, WORDS)
    assert [(group.title, [entry.title for entry in group.entries]) for group in groups] == [
        ("Big widgets", ["cog", "nut"]),
        ("Steps", ["1 → cog", "2 → nut"]),
    ]
