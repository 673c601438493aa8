"""Merges across renames: one side renames an object, the other changes it."""

from __future__ import annotations

from functools import partial

import pytest

from console.dialects import dialects
from console.dialects.assist.renaming import rename_in
from console.dialects.base import PastSpec
from console.dialects.merging import Choice, Merge, Renamed, Verdict, merge_configs
from console.engine.diff.objects import PolicyObjects
from console.engine.disciplines.quota.policy_objects import Noun

NATIVE = """\
resource_flavors:
  - name: spot
resource_queues:
  # Of the labs.
  - name: research
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: spot, resources: [{ name: gpu, nominal_quota: 8 }] }]
  - name: default
scheduling_rules:
  - { selector: [{ key: team, operator: in, values: [research] }], resource_queue: research }
  - selector: [{ key: team, operator: in, values: [labs] }]
    resource_queue: research
    priority_policy: { max: 10 }
  - resource_queue: default
"""
BY_THEIRS = Renamed(noun=Noun.QUEUE, old="research", new="research:v2", by=Choice.THEIRS)


def with_queue_renamed(name: str, text: str = NATIVE) -> str:
    """Return *text* with queue research renamed; the label value stays."""
    return text.replace("- name: research\n", f"- name: {name}\n").replace(
        "resource_queue: research", f"resource_queue: {name}"
    )


def merge(theirs: str, yours: str, base: str = NATIVE, dialect: str = "native") -> Merge:
    """Merge two changes, with the dialect's own renaming."""
    language = dialects()[dialect]

    def read(text: str) -> PolicyObjects | None:
        return language.read_objects(text, {})

    return merge_configs(base, theirs, yours, read, rename=partial(rename_in, language))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nominal_quota: 8", "nominal_quota: 9"),
        ("max: 10", "max: 20"),
        ("values: [labs]", "values: [labs, hw]"),
        # On the line that the rename changes too.
        ("values: [research]", "values: [research, nlp]"),
        (
            "  - resource_queue: default\n",
            (
                "  - selector: [{ key: late, operator: exists }]\n    resource_queue: research\n"
                "  - resource_queue: default\n"
            ),
        ),
    ],
)
def test_renamed_and_changed_object_gets_both_changes(old: str, new: str) -> None:
    changed = NATIVE.replace(old, new)
    both = with_queue_renamed("research:v2", changed)
    for theirs, yours, by in (
        (with_queue_renamed("research:v2"), changed, Choice.THEIRS),
        (changed, with_queue_renamed("research:v2"), Choice.YOURS),
    ):
        merged = merge(theirs, yours)
        assert (merged.verdict, merged.text) == (Verdict.SAFE, both)
        assert merged.renamed == (
            Renamed(noun=Noun.QUEUE, old="research", new="research:v2", by=by),
        )


def test_conflict_in_a_renamed_object_shows_all_sides_under_the_new_name() -> None:
    theirs = with_queue_renamed("research:v2").replace("max: 10", "max: 30")
    yours = NATIVE.replace("max: 10", "max: 20")
    merged = merge(theirs, yours)
    (piece,) = merged.conflicts
    assert (merged.verdict, piece.noun, piece.name) == (
        Verdict.CONFLICTS,
        Noun.RULE,
        "research:v2",
    )
    rule = (
        "  - selector: [{ key: team, operator: in, values: [labs] }]\n"
        "    resource_queue: research:v2\n    priority_policy: { max: %d }\n"
    )
    assert [piece.state(choice) for choice in Choice] == [rule % 10, rule % 30, rule % 20]
    assert merged.resolved([piece.yours]) == with_queue_renamed("research:v2", yours)


def test_each_may_rename_something_of_its_own() -> None:
    base = NATIVE.replace(
        "  - name: spot\n",
        "  - name: spot\n    selector: [{ key: market, operator: in, values: [cheap] }]\n",
    )
    yours = base.replace("name: spot", "name: cheap").replace("quota: 8", "quota: 9")
    merged = merge(with_queue_renamed("labs", base), yours, base)
    assert (merged.verdict, merged.text) == (Verdict.SAFE, with_queue_renamed("labs", yours))
    assert [(each.noun, each.new, each.by) for each in merged.renamed] == [
        (Noun.QUEUE, "labs", Choice.THEIRS),
        (Noun.FLAVOR, "cheap", Choice.YOURS),
    ]


def test_two_new_names_of_one_object_are_a_conflict() -> None:
    merged = merge(with_queue_renamed("labs"), with_queue_renamed("hw"))
    assert (merged.verdict, merged.renamed) == (Verdict.CONFLICTS, ())
    assert [(piece.noun, piece.name) for piece in merged.conflicts] == [
        (Noun.QUEUE, "research"),
        (Noun.RULE, "research"),
        (Noun.RULE, "research"),
    ]
    assert merged.resolved([piece.theirs for piece in merged.conflicts]) == with_queue_renamed(
        "labs"
    )
    assert merged.resolved([piece.yours for piece in merged.conflicts]) == with_queue_renamed("hw")


def test_equal_renames_are_no_conflict() -> None:
    merged = merge(
        with_queue_renamed("labs"), with_queue_renamed("labs").replace("max: 10", "max: 20")
    )
    assert (merged.verdict, merged.renamed, merged.text) == (
        Verdict.SAFE,
        (),
        with_queue_renamed("labs").replace("max: 10", "max: 20"),
    )


def test_new_name_used_by_the_other_side_is_not_applied() -> None:
    groups = "[{ covered_resources: [cpu], flavors: [{ name: spot }] }]"
    own = f"  - name: labs\n    resource_groups: {groups}\n"
    yours = NATIVE.replace("  - name: default\n", own + "  - name: default\n")
    merged = merge(with_queue_renamed("labs"), yours)
    assert merged.renamed == ()
    assert merged.verdict is not Verdict.SAFE


def test_a_text_in_which_names_are_not_found_still_shows_the_other_side() -> None:
    def read(text: str) -> PolicyObjects | None:
        return dialects()["native"].read_objects(text, {})

    theirs = with_queue_renamed("labs").replace("max: 10", "max: 30")
    yours = NATIVE.replace("max: 10", "max: 20")
    merged = merge_configs(NATIVE, theirs, yours, read, rename=lambda text, names: text)
    (piece,) = merged.conflicts
    assert (merged.renamed, piece.name) == ((), "research")
    assert ["max: 10" in (piece.base or ""), "max: 30" in (piece.theirs or "")] == [True, True]
    assert "max: 20" in (piece.yours or "")


def test_past_spec_of_the_new_name_is_checked_only_in_the_merged_text() -> None:
    language = dialects()["native"]
    ordered = with_queue_renamed("research:v2").replace(
        "name: research:v2\n",
        "name: research:v2\n    preemption: { within_resource_queue: lower_priority }\n",
    )
    past = {
        name: PastSpec(version=version, spec=language.read(text, {}).queue_specs[name])
        for version, name, text in ((1, "research", NATIVE), (2, "research:v2", ordered))
    }
    yours = NATIVE.replace("max: 10", "max: 20")
    merged = merge_configs(
        NATIVE,
        ordered,
        yours,
        lambda text: language.read_objects(text, {}),
        check=lambda text: language.read_objects(text, past),
        rename=partial(rename_in, language),
    )
    assert (merged.verdict, merged.text) == (Verdict.SAFE, ordered.replace("max: 10", "max: 20"))
    assert merged.renamed == (BY_THEIRS,)


def test_renames_merge_in_the_kueue_dialect_too() -> None:
    base = dialects()["kueue"].samples()["Two teams share one cohort"]
    theirs = base.replace("\n  name: vision\nspec:", "\n  name: sight\nspec:").replace(
        "clusterQueue: vision", "clusterQueue: sight"
    )
    quota = "nominalQuota: 192"
    yours = base.replace(quota, "nominalQuota: 256")
    merged = merge(theirs, yours, base, "kueue")
    assert theirs != base
    assert (merged.verdict, merged.text) == (
        Verdict.SAFE,
        theirs.replace(quota, "nominalQuota: 256"),
    )
    assert [(each.old, each.new) for each in merged.renamed] == [("vision", "sight")]
