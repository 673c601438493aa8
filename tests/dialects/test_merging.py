"""Merges of config texts contain both changes once, and never overwrite one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.merging import Choice, Merge, Verdict, merge_configs
from console.engine.diff import Comparison
from console.engine.diff.objects import PolicyObjects
from console.engine.disciplines.quota.policy_objects import Noun

TEAMS = ("a", "b", "c", "d")

NATIVE = """\
# Who may use what.
resource_flavors:
  - name: spot
  # The pool of the labs.
  - name: pool
    selector: [{ key: team, operator: in, values: [labs] }]

resource_queues:
  # Training.
  - name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 8 }]
          - name: pool
            resources: [{ name: gpu, nominal_quota: 2 }]

  - name: default

scheduling_rules:
  - selector: [{ key: team, operator: in, values: [ml] }]
    resource_queue: ml
  - resource_queue: default
"""
WIDER = NATIVE.replace("nominal_quota: 8", "nominal_quota: 9")
POOL = NATIVE.replace("nominal_quota: 2", "nominal_quota: 3")
LAB = """\
  - name: lab
    resource_groups:
      - covered_resources: [cpu]
        flavors: [{ name: pool }]
"""
WEB = LAB.replace("lab", "web")


def read(text: str, dialect: str = "native") -> PolicyObjects | None:
    """Return the policy objects of *text*."""
    return dialects()[dialect].read_objects(text, {})


def merge(theirs: str, yours: str, base: str = NATIVE) -> Merge:
    """Merge two changes of a native text."""
    return merge_configs(base, theirs, yours, read)


def behind(line: str, more: str, text: str = NATIVE) -> str:
    """Return *text* with *more* inserted after the first *line*."""
    assert line in text
    return text.replace(line, line + more, 1)


def test_changes_of_different_objects_are_both_in_the_merged_text() -> None:
    theirs = NATIVE.replace("values: [labs]", "values: [labs, hw]")
    merged = merge(theirs, WIDER)
    assert (merged.verdict, merged.text) == (
        Verdict.SAFE,
        theirs.replace("nominal_quota: 8", "nominal_quota: 9"),
    )


def test_queues_added_at_one_place_are_both_kept_with_comments() -> None:
    default = "  - name: default\n"
    merged = merge(behind(default, "  # Of the lab.\n" + LAB), behind(default, WEB))
    assert (merged.verdict, merged.text) == (
        Verdict.SAFE,
        behind(default, WEB + "  # Of the lab.\n" + LAB),
    )


def test_an_object_that_both_change_on_lines_apart_has_both_changes() -> None:
    base = POOL.replace("          - name: pool", "          # Later.\n          - name: pool")
    theirs = base.replace("nominal_quota: 8", "nominal_quota: 9")
    yours = base.replace("nominal_quota: 3", "nominal_quota: 4")
    merged = merge(theirs, yours, base)
    assert (merged.verdict, merged.text) == (
        Verdict.SAFE,
        theirs.replace("nominal_quota: 3", "nominal_quota: 4"),
    )


def test_object_changed_on_the_same_line_is_a_conflict() -> None:
    merged = merge(WIDER, NATIVE.replace("nominal_quota: 8", "nominal_quota: 6"))
    assert (merged.verdict, merged.text) == (Verdict.CONFLICTS, None)
    (piece,) = merged.conflicts
    assert (piece.noun, piece.name) == (Noun.QUEUE, "ml")
    before = NATIVE[NATIVE.index("  # Training.") : NATIVE.index("\n  - name: default")]
    assert [piece.state(choice) for choice in Choice] == [
        before,
        before.replace("nominal_quota: 8", "nominal_quota: 9"),
        before.replace("nominal_quota: 8", "nominal_quota: 6"),
    ]
    assert merged.resolved([piece.base]) == NATIVE
    assert merged.resolved([piece.theirs]) == WIDER
    assert merged.resolved([None]) == NATIVE.replace(before, "")


def test_removed_and_changed_object_is_a_conflict() -> None:
    base = behind("  - name: default\n", LAB)
    changed = base.replace("[cpu]", "[gpu]")
    for theirs, yours in ((NATIVE, changed), (changed, NATIVE)):
        (piece,) = merge(theirs, yours, base).conflicts
        assert (piece.noun, piece.name, None in (piece.theirs, piece.yours)) == (
            Noun.QUEUE,
            "lab",
            True,
        )


def test_two_added_queues_of_the_same_name_are_a_conflict() -> None:
    default = "  - name: default\n"
    merged = merge(behind(default, LAB), behind(default, LAB.replace("cpu", "gpu")))
    assert [(piece.noun, piece.name) for piece in merged.conflicts] == [(Noun.QUEUE, "lab")]


def test_removed_and_newly_referenced_object_is_an_error() -> None:
    without = NATIVE.replace("  - name: spare\n", "")
    base = behind("resource_flavors:\n", "  - name: spare\n")
    uses = base.replace("          - name: spot\n", "          - name: spare\n")
    merged = merge(without, uses, base)
    assert merged.verdict is Verdict.BROKEN
    assert merged.text is not None
    assert read(merged.text) is None


def test_texts_with_errors_are_merged_by_line_as_unsure() -> None:
    broken = WIDER.replace("scheduling_rules", "scheduling_rule")
    merged = merge(POOL, broken)
    assert merged.text is not None or merged.conflicts
    assert merged.verdict is not Verdict.SAFE


def test_a_text_on_one_line_is_merged_by_line() -> None:
    base = "resource_queues: [{ name: a }, { name: b }]\n# The end.\n"
    theirs = base.replace("{ name: b }", "{ name: c }")
    merged = merge(theirs, base + "# Mine.\n", base)
    assert (merged.verdict, merged.text) == (Verdict.SAFE, theirs + "# Mine.\n")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_stay_as_they_are(end: str) -> None:
    theirs, yours = (text.replace("\n", end) for text in (POOL, behind("resource_flavors:\n", "")))
    merged = merge_configs(NATIVE.replace("\n", end), theirs, yours, read)
    assert (merged.verdict, merged.text) == (Verdict.SAFE, theirs)


def test_documents_of_a_stream_are_objects_too() -> None:
    base = dialects()["kueue"].samples()["Two teams share one cohort"]
    queue = base[base.index("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue") :]
    queue = queue[: queue.index("---", 3)]
    first, second = (queue.replace("name: vision", f"name: {name}", 1) for name in ("x", "y"))
    theirs, yours = (base + text for text in (first, second))
    merged = merge_configs(base, theirs, yours, lambda text: read(text, "kueue"))
    assert merged.verdict is Verdict.SAFE
    assert merged.text is not None
    policy = read(merged.text, "kueue")
    assert policy is not None
    assert {"x", "y", "vision", "speech"} <= set(policy.of(Noun.QUEUE))


@dataclass(frozen=True)
class World:
    """A native config: quota by queue, and the queue of the rule for each team."""

    quotas: tuple[tuple[str, int], ...]
    rules: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """Return the config text."""
        lines = ["resource_flavors:", "  - name: spot", "resource_queues:"]
        for name, quota in self.quotas:
            lines += [
                f"  # Queue {name}.",
                f"  - name: {name}",
                "    resource_groups:",
                "      - covered_resources: [gpu]",
                "        flavors:",
                "          - name: spot",
                f"            resources: [{{ name: gpu, nominal_quota: {quota} }}]",
            ]
        lines += ["scheduling_rules:"]
        for team, queue in self.rules:
            lines += [
                f"  - selector: [{{ key: team, operator: in, values: [{team}] }}]",
                f"    resource_queue: {queue}",
            ]
        return "\n".join([*lines, ""])


BASE = World(
    quotas=tuple((f"q{number}", 1) for number in range(6)),
    rules=tuple((f"t{number}", f"q{number}") for number in range(6)),
)
NUMBERS = st.frozensets(st.integers(0, 5))


def changed(world: World, queues: frozenset[int], rules: frozenset[int], quota: int) -> World:
    """Return *world* with another quota for some queues, and with some rules routing to q0."""
    return replace(
        world,
        quotas=tuple(
            (name, quota if number in queues else value)
            for number, (name, value) in enumerate(world.quotas)
        ),
        rules=tuple(
            (team, "q0" if number in rules else queue)
            for number, (team, queue) in enumerate(world.rules)
        ),
    )


@settings(deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_disjoint_changes_are_all_merged(
    queues: frozenset[int],
    more_queues: frozenset[int],
    rules: frozenset[int],
    more_rules: frozenset[int],
) -> None:
    theirs = changed(BASE, queues, rules, 2)
    yours = changed(BASE, more_queues - queues, more_rules - rules, 3)
    both = changed(theirs, more_queues - queues, more_rules - rules, 3)
    merged = merge(theirs.text(), yours.text(), BASE.text())
    assert (merged.verdict, merged.text) == (Verdict.SAFE, both.text())


@settings(deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_equal_changes_are_merged_once(
    same: frozenset[int], own: frozenset[int], rules: frozenset[int]
) -> None:
    theirs = changed(BASE, same, rules, 2)
    yours = changed(theirs, own - same, frozenset(), 3)
    merged = merge(theirs.text(), yours.text(), BASE.text())
    assert (merged.verdict, merged.text) == (Verdict.SAFE, yours.text())


@settings(deadline=None)
@given(st.lists(st.sampled_from(TEAMS), unique=True), st.lists(st.sampled_from(TEAMS), unique=True))
def test_additions_of_both_sides_are_merged_once(theirs: list[str], yours: list[str]) -> None:
    one, other = (
        replace(BASE, quotas=(*BASE.quotas, *((name, 5) for name in names)))
        for names in (theirs, yours)
    )
    merged = merge(one.text(), other.text(), BASE.text())
    assert merged.verdict is Verdict.SAFE
    assert merged.text is not None
    policy, base = read(merged.text), read(BASE.text())
    assert policy is not None
    assert base is not None
    assert [change.name for change in Comparison(base, policy).changes()] == list(
        dict.fromkeys(name for name in policy.of(Noun.QUEUE) if name in TEAMS)
    )
    assert set(policy.of(Noun.QUEUE)) == {name for name, _ in (*one.quotas, *other.quotas)}


@settings(deadline=None)
@given(NUMBERS, NUMBERS)
def test_different_changes_of_one_object_are_always_a_conflict(
    queues: frozenset[int], more: frozenset[int]
) -> None:
    theirs, yours = (
        changed(BASE, of, frozenset(), quota) for of, quota in ((queues, 2), (more, 3))
    )
    merged = merge(theirs.text(), yours.text(), BASE.text())
    names = [f"q{number}" for number in sorted(queues & more)]
    assert [piece.name for piece in merged.conflicts] == names
    assert (merged.verdict is Verdict.SAFE) == (not names)
    everything = merged.resolved([piece.yours for piece in merged.conflicts])
    assert everything == changed(theirs, more, frozenset(), 3).text()


@settings(deadline=None)
@given(st.text(alphabet="ab:\n- #", max_size=40), st.text(alphabet="ab:\n- #", max_size=40))
def test_any_texts_have_a_merge(theirs: str, yours: str) -> None:
    merged = merge(theirs, yours, "a: b\n")
    assert (merged.text is None) == bool(merged.conflicts)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_kept_and_byte_order_marks_ignored(end: str) -> None:
    base, wider, pool = (text.replace("\n", end) for text in (NATIVE, WIDER, POOL))
    both = POOL.replace("nominal_quota: 8", "nominal_quota: 9").replace("\n", end)
    for marks in (("", "", ""), ("\ufeff", "", ""), ("", "\ufeff", ""), ("", "", "\ufeff")):
        merged = merge_configs(marks[0] + base, marks[1] + wider, marks[2] + pool, read)
        assert (merged.verdict, merged.text) == (Verdict.SAFE, both)
