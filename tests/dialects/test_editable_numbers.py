"""Numbers that a form may change: where each language states them, and texts with other numbers."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.base import Dialect
from console.dialects.editable_numbers import (
    EditableNumber,
    NumberFields,
    NumberKey,
    Numbers,
    ObjectKey,
    check_number,
    with_numbers,
)
from console.dialects.objects import compare_policies

NATIVE, KUEUE, KAI, YUNIKORN = (dialects()[name] for name in ("native", "kueue", "kai", "yunikorn"))

NATIVE_TEXT = """\
# Two queues.
resource_flavors: [{name: "a/b"}, {name: spot}]
resource_queues:
  - name: train
    cohort_name: ml
    resource_groups:
      - covered_resources: [cpu, gpu]
        flavors:
          - name: a/b
            resources:
              - {name: cpu, nominal_quota: 24}   # 3 x 8
              - name: gpu
                nominal_quota: 1.5 # exactly
                lending_limit: 0
  - name: other
"""
KUEUE_TEXT = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: ml}
spec:
  cohort: all
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: spot
          resources:
            - {name: cpu, nominalQuota: "9", borrowingLimit: 1500m}
            - {name: memory, nominalQuota: '36Gi'}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Cohort
metadata: {name: all}
spec:
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - name: spot
          resources: [{name: cpu, nominalQuota: 4}]
"""


def fields_of(dialect: Dialect) -> NumberFields:
    assert dialect.number_fields is not None
    return dialect.number_fields


def find(dialect: Dialect, text: str) -> Numbers:
    reading = dialect.read(text, {})
    assert reading.source is not None, reading.errors
    return fields_of(dialect).find(reading.source)


def written(numbers: Numbers) -> dict[ObjectKey, dict[NumberKey, str]]:
    """Return the numbers that the text has."""
    return {
        owner: {each.key: each.written for each in found if each.written}
        for owner, found in numbers.items()
    }


def change(dialect: Dialect, text: str, owner: ObjectKey, new: dict[NumberKey, str]) -> str:
    numbers = {each.key: each for each in find(dialect, text)[owner]}
    pairs = [(numbers[key], value) for key, value in new.items()]
    return with_numbers(text, fields_of(dialect), pairs)


def test_native_numbers_are_found_with_their_flavors_and_resources() -> None:
    found = find(NATIVE, NATIVE_TEXT)
    owner = ObjectKey("queue", "train")
    assert written(found) == {
        owner: {
            NumberKey("nominal_quota", "a/b", "cpu"): "24",
            NumberKey("nominal_quota", "a/b", "gpu"): "1.5",
            NumberKey("lending_limit", "a/b", "gpu"): "0",
        }
    }
    assert [(each.key.resource, each.title, each.path) for each in found[owner] if each.span] == [
        ("cpu", "Nominal quota", f"{_PLACE}[0].nominal_quota"),
        ("gpu", "Nominal quota", f"{_PLACE}[1].nominal_quota"),
        ("gpu", "Lending limit", f"{_PLACE}[1].lending_limit"),
    ]
    absent = [each for each in found[owner] if not each.written]
    assert [(each.key.field, each.key.resource, each.span, each.obstacle) for each in absent] == [
        ("borrowing_limit", "cpu", None, ""),
        ("lending_limit", "cpu", None, ""),
        ("borrowing_limit", "gpu", None, ""),
    ]


_PLACE = "resource_queues[0].resource_groups[0].flavors[0].resources"


def test_kueue_numbers_are_those_of_queues_and_cohorts() -> None:
    assert written(find(KUEUE, KUEUE_TEXT)) == {
        ObjectKey("queue", "ml"): {
            NumberKey("nominalQuota", "spot", "cpu"): "9",
            NumberKey("borrowingLimit", "spot", "cpu"): "1500m",
            NumberKey("nominalQuota", "spot", "memory"): "36Gi",
        },
        ObjectKey("cohort", "all"): {NumberKey("nominalQuota", "spot", "cpu"): "4"},
    }


def test_kai_numbers_are_those_of_queues_with_their_units() -> None:
    found = find(KAI, KAI.samples()["A burst queue beside a guaranteed one"])
    numbers = found[ObjectKey("queue", "production")]
    assert [(each.key, each.title, each.unit, each.written) for each in numbers[3:6]] == [
        (NumberKey("quota", "", "memory"), "Quota", "MB", "256000"),
        (NumberKey("limit", "", "memory"), "Limit", "MB", "-1"),
        (NumberKey("overQuotaWeight", "", "memory"), "Over-quota weight", "", "1"),
    ]
    assert [each.unit for each in numbers if each.key.field == "quota"] == [
        "thousandths of a core",
        "MB",
        "devices",
    ]


YUNIKORN_TEXT = """\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: Ads
            maxapplications: 5
            resources:
              guaranteed: {vcore: 500m, memory: "4Gi"}
              max: {vcore: 10} # cores
  - name: gpu
    queues:
      - {name: ads, resources: {max: {nvidia.com/gpu: 8}}}
"""
ADS = ObjectKey("queue", "root.ads")
IN_MAP = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yunikorn-configs}\ndata:\n"
    "  queues.yaml: |\n" + "".join(f"    {line}\n" for line in YUNIKORN_TEXT.splitlines())
)


def test_skyshift_has_no_numbers_to_change() -> None:
    assert [name for name, each in dialects().items() if each.number_fields is None] == ["skyshift"]


@pytest.mark.parametrize("text", [YUNIKORN_TEXT, IN_MAP], ids=["plain", "ConfigMap"])
def test_yunikorn_numbers_are_those_of_queues_by_their_full_names(text: str) -> None:
    assert written(find(YUNIKORN, text)) == {
        ObjectKey("queue", "root"): {},
        ADS: {
            NumberKey("guaranteed", "", "vcore"): "500m",
            NumberKey("guaranteed", "", "memory"): "4Gi",
            NumberKey("max", "", "vcore"): "10",
            NumberKey("maxapplications", "", ""): "5",
        },
        ObjectKey("queue", "gpu:root"): {},
        ObjectKey("queue", "gpu:root.ads"): {NumberKey("max", "", "nvidia.com/gpu"): "8"},
    }
    new = {
        NumberKey("guaranteed", "", "memory"): "8Gi",
        NumberKey("max", "", "vcore"): "20",
        NumberKey("maxapplications", "", ""): "7",
    }
    changed = change(YUNIKORN, text, ADS, new)
    assert changed == text.replace("4Gi", "8Gi").replace("10}", "20}").replace(": 5\n", ": 7\n")
    policy = YUNIKORN.read(text, {}).policy
    assert policy is not None
    assert [owner.name for owner in find(YUNIKORN, text)] == list(policy.queues)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_the_numbers_change(end: str, mark: str) -> None:
    text = mark + NATIVE_TEXT.replace("\n", end)
    new = {
        NumberKey("nominal_quota", "a/b", "gpu"): "512",
        NumberKey("nominal_quota", "a/b", "cpu"): "2048",
    }
    changed = change(NATIVE, text, ObjectKey("queue", "train"), new)
    assert changed == text.replace("quota: 24", "quota: 2048").replace("quota: 1.5", "quota: 512")


def test_numbers_keep_their_quotes_and_get_some_where_needed() -> None:
    new = {
        NumberKey("nominalQuota", "spot", "cpu"): "10.5",
        NumberKey("borrowingLimit", "spot", "cpu"): "2.5",
        NumberKey("nominalQuota", "spot", "memory"): "1Ti",
    }
    changed = change(KUEUE, KUEUE_TEXT, ObjectKey("queue", "ml"), new)
    assert changed == KUEUE_TEXT.replace('"9"', '"10.5"').replace("1500m", '"2.5"').replace(
        "'36Gi'", "'1Ti'"
    )
    assert written(find(KUEUE, changed))[ObjectKey("queue", "ml")] == new


@pytest.mark.parametrize(
    ("dialect", "typed", "problem"),
    [
        (NATIVE, "64", ""),
        (NATIVE, "1.5", ""),
        (NATIVE, "-1", "-1 is negative; it must be 0 or more."),
        (NATIVE, "12x", '"12x" is not a number.'),
        (NATIVE, "1, nominal_quota: 2", '"1, nominal_quota: 2" is not a number.'),
        (KUEUE, "64Gi", ""),
        (KUEUE, "1.5", ""),
        (KUEUE, "-1", "-1 is negative; it must be 0 or more."),
        (YUNIKORN, "64Gi", ""),
        (
            YUNIKORN,
            "1.5",
            '"1.5" is not a quantity. Write a whole number, 0 or more, such as 4, 500M or 2Gi.',
        ),
        (YUNIKORN, "2\nGi", '"2\\nGi" is not a number.'),
    ],
)
def test_typed_numbers_are_checked(dialect: Dialect, typed: str, problem: str) -> None:
    number = EditableNumber(key=NumberKey("", "", ""), title="")
    assert check_number(fields_of(dialect), number, typed) == problem


@pytest.mark.parametrize("typed", ['4"', "4}\n", "'4'", "4 # more", "*a", "&a 4", "", "16GB", "{}"])
@pytest.mark.parametrize("dialect", [NATIVE, KUEUE, YUNIKORN], ids=["native", "kueue", "yunikorn"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_no_other_text_is_a_number(dialect: Dialect, typed: str, quote: str) -> None:
    number = EditableNumber(key=NumberKey("", "", ""), title="", quote=quote)
    assert check_number(fields_of(dialect), number, typed).endswith(".")


def test_shared_and_anchored_numbers_cannot_be_changed() -> None:
    text = """\
resource_flavors: [{name: spot}]
resource_queues:
  - name: one
    resource_groups: &shared
      - covered_resources: [cpu, gpu]
        flavors:
          - name: spot
            resources:
              - {name: cpu, nominal_quota: 1}
              - {name: gpu, nominal_quota: &two 2}
  - {name: two, resource_groups: *shared}
"""
    found = find(NATIVE, text)
    shared = "An alias uses the same number in another place."
    for name in ("one", "two"):
        numbers = [each for each in found[ObjectKey("queue", name)] if each.written]
        assert [(each.key.resource, each.span) for each in numbers] == [
            ("cpu", None),
            ("gpu", None),
        ]
        assert numbers[0].obstacle == shared


_SAMPLES = [
    pytest.param(dialect, text, id=f"{dialect.name}: {title}")
    for dialect in (NATIVE, KUEUE, KAI, YUNIKORN)
    for title, text in dialect.samples().items()
]


@pytest.mark.parametrize(("dialect", "text"), _SAMPLES)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_the_rest_of_a_sample_stays(dialect: Dialect, text: str, data: st.DataObject) -> None:
    numbers = find(dialect, text)
    owner = data.draw(st.sampled_from(sorted(numbers)))
    editable = [each for each in numbers[owner] if each.span is not None]
    assume(editable)
    chosen = data.draw(st.lists(st.sampled_from(editable), unique_by=lambda each: each.key))
    new = {each.key: f"{data.draw(st.integers(1, 999))}{each.written}" for each in chosen}
    changed = change(dialect, text, owner, new)
    # A larger limit may contradict another number, such as that of the queue above.
    assume(dialect.read(changed, {}).ok)

    after = find(dialect, changed)
    assert written(after) == written(numbers) | {owner: written(numbers)[owner] | new}
    # With the old numbers it is the old text, so that nothing else has changed.
    old = {each.key: each.written for each in chosen}
    assert change(dialect, changed, owner, old) == text
    lines = list(zip(text.splitlines(), changed.splitlines(), strict=True))
    assert sum(before != now for before, now in lines) <= len(new)


def test_a_number_that_the_text_lacks_becomes_a_field() -> None:
    """Flow and block mappings, behind the last number, before its comment or the line end."""
    text = change(
        NATIVE,
        NATIVE_TEXT,
        ObjectKey("queue", "train"),
        {
            NumberKey("borrowing_limit", "a/b", "cpu"): "8",
            NumberKey("borrowing_limit", "a/b", "gpu"): "0.5",
        },
    )
    assert text == NATIVE_TEXT.replace(
        "nominal_quota: 24}", "nominal_quota: 24, borrowing_limit: 8}"
    ).replace(
        "                lending_limit: 0\n",
        "                lending_limit: 0\n                borrowing_limit: 0.5\n",
    )
    ads = {NumberKey("max", "", "nvidia.com/gpu"): "4", NumberKey("max", "", "memory"): "8Gi"}
    for before in (YUNIKORN_TEXT, IN_MAP):
        after = find(YUNIKORN, change(YUNIKORN, before, ADS, ads))
        assert written(after)[ADS] == written(find(YUNIKORN, before))[ADS] | ads
        assert change(YUNIKORN, before, ADS, ads).count("\n") == before.count("\n")


def test_a_mapping_that_several_objects_share_takes_no_number() -> None:
    text = NATIVE_TEXT.replace("- {name: cpu", "- &cpu {name: cpu") + (
        "    resource_groups:\n"
        "      - {covered_resources: [cpu], flavors: [{name: spot, resources: [*cpu]}]}\n"
    )
    found = find(NATIVE, text)
    for name, flavor in (("train", "a/b"), ("other", "spot")):
        numbers = {each.key: each for each in found[ObjectKey("queue", name)]}
        assert not numbers[NumberKey("borrowing_limit", flavor, "cpu")].is_editable


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_a_new_field_ends_its_line_like_the_others(end: str) -> None:
    text = NATIVE_TEXT.replace("\n", end)
    key = NumberKey("borrowing_limit", "a/b", "gpu")
    changed = change(NATIVE, text, ObjectKey("queue", "train"), {key: "1"})
    line = f"                lending_limit: 0{end}"
    assert changed == text.replace(line, f"{line}                borrowing_limit: 1{end}")


@pytest.mark.parametrize(("dialect", "text"), _SAMPLES)
def test_every_number_that_a_sample_can_take_is_read_again(dialect: Dialect, text: str) -> None:
    fields, numbers = fields_of(dialect), find(dialect, text)
    before = written(numbers)
    for owner, found in numbers.items():
        for number in [each for each in found if each.insertion is not None][:3]:
            after = dialect.read(with_numbers(text, fields, [(number, "1")]), {})
            # The number may contradict another one, which is an error at a field.
            assert all(each.path for each in after.errors)
            if after.ok:
                assert after.source is not None
                now = written(fields.find(after.source))
                assert now == before | {owner: before[owner] | {number.key: "1"}}


@pytest.mark.parametrize(("dialect", "text"), _SAMPLES)
def test_no_other_object_changes(dialect: Dialect, text: str) -> None:
    before, fields = dialect.read(text, {}).policy, fields_of(dialect)
    assert before is not None
    tried = (
        (owner, dialect.read(with_numbers(text, fields, [(number, f"1{number.written}")]), {}))
        for owner, found in find(dialect, text).items()
        for number in found
        if owner.kind == "queue" and number.span is not None and "1" <= number.written[0] <= "9"
    )
    owner, after = next((owner, each.policy) for owner, each in tried if each.policy is not None)
    assert [(each.noun, each.name) for each in compare_policies(before, after)] == [owner]
