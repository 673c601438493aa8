"""New queues in a text: the queue and what routes to it are added, and nothing else changes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import pytest

from console.dialects import dialects
from console.dialects.adding_queues import QueueText, with_queue
from console.dialects.editable_numbers import NumberKey
from tests.dialects.test_moving import RULES, TEXT

NATIVE = """\
# The flavors.
resource_flavors:
  - { name: a100, selector: [{ key: gpu, operator: in, values: [A100] }] }
  - { name: pool, selector: [{ key: team, operator: in, values: [research] }] }
resource_queues:
  - name: train  # of team train
    cohort_name: shared
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: a100
            resources:
              - { name: gpu, nominal_quota: 64 }
              - { name: cpu, nominal_quota: 512 }

  # All others.
  - name: default

scheduling_rules:
  - selector:
      - { key: team, operator: in, values: [train] }
    resource_queue: train
  # The rest.
  - resource_queue: default
# The end.
"""
KUEUE = """\
# A flavor.
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: spot }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: vision }
spec:
  cohortName: research
  namespaceSelector: {}
# Behind vision.
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: main, namespace: vision }
spec: { clusterQueue: vision }
"""
KUEUE_LIST = """\
apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: ResourceFlavor
  metadata: {name: spot}
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: ClusterQueue
  metadata: {name: vision}
  spec: {namespaceSelector: {}}
"""
KAI = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: research
spec:
  resources:
    gpu: {quota: 8, overQuotaWeight: 1, limit: -1}
---
# Another department.
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: other
spec:
  resources:
    gpu: {quota: 8, overQuotaWeight: 1, limit: -1}
"""
YUNIKORN = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: research
            resources:
              guaranteed: { vcore: 10 }
          # The last.
          - name: other
"""

#: Language, text, name, fields, numbers by field, flavor and resource -> the added lines, each
#: after the number of its line in the new text.
CASES = {
    "native: a queue beside its cohort, and a rule before the one that takes all": (
        "native",
        NATIVE,
        "vision",
        {"cohort_name": ["shared"], "conditions": ["team=vision,speech", "gpu=A100"]},
        {
            ("nominal_quota", "a100", "gpu"): "8",
            ("borrowing_limit", "a100", "gpu"): "4",
            ("nominal_quota", "pool", "cpu"): "64",
        },
        """\
16:  - name: vision
17:    cohort_name: shared
18:    resource_groups:
19:      - covered_resources: [gpu]
20:        flavors:
21:          - name: a100
22:            resources:
23:              - { name: gpu, nominal_quota: 8, borrowing_limit: 4 }
24:      - covered_resources: [cpu]
25:        flavors:
26:          - name: pool
27:            resources:
28:              - { name: cpu, nominal_quota: 64 }
29:
37:  - selector:
38:      - { key: team, operator: in, values: [vision, speech] }
39:      - { key: gpu, operator: in, values: [A100] }
40:    resource_queue: vision
""",
    ),
    "native: flavors that share a resource share a group": (
        "native",
        NATIVE,
        "vision",
        {"conditions": ["a=true"], "position": ["3"]},
        {
            ("nominal_quota", "a100", "gpu"): "8",
            ("nominal_quota", "a100", "cpu"): "16",
            ("nominal_quota", "pool", "cpu"): "64",
        },
        """\
19:  - name: vision
20:    resource_groups:
21:      - covered_resources: [gpu, cpu]
22:        flavors:
23:          - name: a100
24:            resources:
25:              - { name: gpu, nominal_quota: 8 }
26:              - { name: cpu, nominal_quota: 16 }
27:          - name: pool
28:            resources:
29:              - { name: gpu, nominal_quota: 0 }
30:              - { name: cpu, nominal_quota: 64 }
31:
38:  - selector:
39:      - { key: a, operator: in, values: ["true"] }
40:    resource_queue: vision
""",
    ),
    "native: the first rule, in a text with a list on one line": (
        "native",
        TEXT,
        "c",
        {"conditions": ["team=c"], "position": ["1"]},
        {},
        """\
2:resource_queues: [{name: a}, {name: b}, { name: c }]
4:  - selector:
5:      - { key: team, operator: in, values: [c] }
6:    resource_queue: c
7:
""",
    ),
    "native: a text without queues": (
        "native",
        "resource_flavors: []\n# End.\n",
        "a:v2",
        {"conditions": ["team=a"]},
        {},
        """\
2:resource_queues:
3:  - name: a:v2
4:scheduling_rules:
5:  - selector:
6:      - { key: team, operator: in, values: [a] }
7:    resource_queue: a:v2
""",
    ),
    "Kueue: two documents": (
        "kueue",
        KUEUE,
        "speech",
        {"cohort": ["research"], "namespace": ["speech"]},
        {("nominalQuota", "spot", "cpu"): "1500m", ("nominalQuota", "spot", "memory"): "8Gi"},
        """\
12:---
13:apiVersion: kueue.x-k8s.io/v1beta2
14:kind: ClusterQueue
15:metadata:
16:  name: speech
17:spec:
18:  cohortName: research
19:  namespaceSelector:
20:    matchLabels: { kubernetes.io/metadata.name: speech }
21:  resourceGroups:
22:    - coveredResources: [cpu, memory]
23:      flavors:
24:        - name: spot
25:          resources:
26:            - { name: cpu, nominalQuota: 1500m }
27:            - { name: memory, nominalQuota: 8Gi }
34:---
35:apiVersion: kueue.x-k8s.io/v1beta2
36:kind: LocalQueue
37:metadata: { name: speech, namespace: speech }
38:spec:
39:  clusterQueue: speech
""",
    ),
    "Kueue: items of a List in the fields of its version": (
        "kueue",
        KUEUE_LIST,
        "speech",
        {"cohort": ["research"], "namespace": ["vision"], "local_queue": ["main"]},
        {("nominalQuota", "spot", "cpu"): "1.5"},
        """\
11:- apiVersion: kueue.x-k8s.io/v1beta1
12:  kind: ClusterQueue
13:  metadata:
14:    name: speech
15:  spec:
16:    cohort: research
17:    namespaceSelector:
18:      matchLabels: { kubernetes.io/metadata.name: vision }
19:    resourceGroups:
20:      - coveredResources: [cpu]
21:        flavors:
22:          - name: spot
23:            resources:
24:              - { name: cpu, nominalQuota: "1.5" }
25:- apiVersion: kueue.x-k8s.io/v1beta1
26:  kind: LocalQueue
27:  metadata: { name: main, namespace: vision }
28:  spec:
29:    clusterQueue: speech
""",
    ),
    "KAI: a queue below its parent": (
        "kai",
        KAI,
        "vision",
        {"parentQueue": ["research"], "priority": ["50"]},
        {("quota", "", "gpu"): "4", ("limit", "", "gpu"): "-1", ("quota", "", "cpu"): "1000"},
        """\
8:---
9:apiVersion: scheduling.run.ai/v2
10:kind: Queue
11:metadata:
12:  name: vision
13:spec:
14:  parentQueue: research
15:  priority: 50
16:  resources:
17:    cpu: { quota: 1000 }
18:    gpu: { quota: 4, limit: -1 }
""",
    ),
    "YuniKorn: a queue without a rule": (
        "yunikorn",
        YUNIKORN,
        "vision",
        {"parent": ["root"]},
        {("guaranteed", "", "vcore"): "5", ("max", "", "vcore"): "10"},
        """\
12:          - name: vision
13:            resources:
14:              guaranteed:
15:                vcore: 5
16:              max:
17:                vcore: 10
""",
    ),
    "YuniKorn: the first queues below a queue, and the first rule": (
        "yunikorn",
        YUNIKORN,
        "vision",
        {"parent": ["root.other"], "users": ["ann"], "groups": ["staff"]},
        {},
        """\
12:            queues:
13:              - name: vision
14:    placementrules:
15:      - name: fixed
16:        value: root.other.vision
17:        filter:
18:          type: allow
19:          users: [ann]
20:          groups: [staff]
21:      - name: provided
""",
    ),
    "YuniKorn: before the rule that takes all applications": (
        "yunikorn",
        RULES,
        "vision",
        {"parent": ["gpu:root"], "users": ["ann"]},
        {},
        """\
12:        value: root.vision
13:        filter:
14:          type: allow
15:          users: [ann]
16:      - name: fixed
18:    queues: [{name: root, submitacl: "*", queues: [{name: all}, { name: vision }]}]
""",
    ),
}


def add(
    language: str,
    text: str,
    name: str,
    fields: Mapping[str, Sequence[str]],
    numbers: Mapping[tuple[str, str, str], str],
) -> QueueText:
    dialect = dialects()[language]
    reading = dialect.read(text, {})
    assert reading.policy is not None
    assert reading.source is not None
    return with_queue(
        dialect,
        text,
        reading.source,
        dialect.objects(reading.policy),
        name,
        fields,
        {NumberKey(*key): value for key, value in numbers.items()},
    )


def added_lines(before: str, after: str) -> str:
    """Return the lines of *after* that *before* does not have, with their numbers."""
    found, at = [], 0
    for line in difflib.ndiff(before.splitlines(), after.splitlines()):
        at += line[:1] in " +"
        if line[:1] == "+":
            found.append(f"{at}:{line[2:]}\n")
    return "".join(found)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_queue_and_its_route_are_added(case: tuple, end: str) -> None:
    language, text, name, fields, numbers, expected = case
    made = add(language, text.replace("\n", end), name, fields, numbers)
    assert made.problems == {}
    assert made.number_problems == {}
    after = made.text.replace(end, "\n")
    assert made.text == after.replace("\n", end)
    assert added_lines(text, after) == expected
    gone = [each for each in text.splitlines() if each not in after.splitlines()]
    assert len(gone) <= 1, "at most one line, with a list in flow style, changes"
    assert dialects()[language].read(made.text, {}).errors == ()


WRONG = {
    "native: all at once": (
        "native",
        NATIVE,
        "train",
        {"cohort": ["a"], "position": ["1", "2"]},
        {("nominal_quota", "a100", "gpu"): "many", ("nominal_quota", "b200", "gpu"): "1"},
        {
            "conditions": "Enter a value.",
            "name": "Queue train exists already. Enter another name.",
            "cohort": "The language of the config has no such field.",
            "position": "Enter at most 1.",
        },
        ["a100", "b200"],
    ),
    "native: a position and a condition": (
        "native",
        NATIVE,
        "vision",
        {"conditions": ["team"], "position": ["4"]},
        {},
        {
            "position": "Enter a position from 1 to 3.",
            "conditions": "Write team as a label and its values: team=research.",
        },
        [],
    ),
    "Kueue: a local queue that exists": (
        "kueue",
        KUEUE,
        "speech",
        {"namespace": ["vision"], "local_queue": ["main"]},
        {},
        {
            "local_queue": "Namespace vision has a LocalQueue main already. Enter another name.",
        },
        [],
    ),
    "KAI: an unknown parent": (
        "kai",
        KAI,
        "vision",
        {"parentQueue": ["nobody"], "priority": ["high"]},
        {},
        {"parentQueue": "There is no queue nobody.", "priority": "Enter a whole number."},
        [],
    ),
    "YuniKorn: an empty list of rules": (
        "yunikorn",
        YUNIKORN + "    placementrules: []\n",
        "vision",
        {"parent": ["root.other"], "groups": ["staff"]},
        {},
        {
            "groups": (
                "The list of placement rules is empty, so applications name their queue. Remove "
                "the key placementrules from the text first, or leave the users and groups empty."
            )
        },
        [],
    ),
    "YuniKorn: an unknown parent": (
        "yunikorn",
        YUNIKORN,
        "vision",
        {"parent": ["root.nothing"]},
        {},
        {"parent": "There is no queue root.nothing."},
        [],
    ),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_wrong_values_are_reported_by_field(case: tuple) -> None:
    language, text, name, fields, numbers, problems, flavors = case
    made = add(language, text, name, fields, numbers)
    assert made.problems == problems
    assert sorted(key.flavor for key in made.number_problems) == flavors


ONE_LINE = """\
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: a}, spec: {resources: {}}}
"""


@pytest.mark.parametrize(
    ("language", "text", "fields"),
    [
        ("native", "resource_queues:\nscheduling_rules: []\n", {"conditions": ["a=b"]}),
        ("kai", ONE_LINE, {}),
    ],
)
def test_other_layouts_are_left_to_the_editor(
    language: str, text: str, fields: Mapping[str, Sequence[str]]
) -> None:
    made = add(language, text, "new", fields, {})
    assert made.problems == {
        "": "The layout of the text allows no such edit. Add the queue in the editor."
    }


def test_fields_are_completed_from_the_text() -> None:
    dialect = dialects()["native"]
    source = dialect.read(NATIVE, {}).source
    assert source is not None
    assert dialect.new_queues is not None
    fields = dialect.new_queues.fields(source)
    assert [(each.name, each.values) for each in fields] == [
        ("cohort_name", ("shared",)),
        ("conditions", ("team=train", "gpu=A100", "team=research")),
        ("position", ()),
    ]
    assert fields[-1].choices == (
        ("1", "Before rule 1, which routes to train"),
        ("", "Before rule 2, which routes all other workloads to default"),
        ("3", "After all rules"),
    )


def test_many_rules_are_not_listed() -> None:
    rule = "  - {selector: [{key: a, operator: exists}], resource_queue: train}\n"
    text = NATIVE.replace("scheduling_rules:\n", f"scheduling_rules:\n{rule * 200}")
    dialect = dialects()["native"]
    source = dialect.read(text, {}).source
    assert source is not None
    assert dialect.new_queues is not None
    position = dialect.new_queues.fields(source)[-1]
    assert (position.choices, position.hint) == (
        (),
        "From 1 to 203. Empty: before rule 202, which takes all workloads that reach it.",
    )


PARTITION = """\
partitions:
  - name: default
    placementrules:
      - {name: fixed, value: root.a, filter: {type: allow, users: [ann]}}
      - {name: provided}
    queues: [{name: root, queues: [{name: a}]}]
"""
OTHER = "  - {name: gpu, queues: [{name: root, queues: [{name: b}]}]}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            PARTITION,
            [
                ("1", "Before rule 1, which routes to root.a"),
                ("2", "Before rule 2, of type provided"),
                ("", "After all rules"),
            ],
        ),
        (f"{PARTITION}{OTHER}", []),
    ],
)
def test_placement_rules_are_listed_for_one_partition(
    text: str, expected: list[tuple[str, str]]
) -> None:
    dialect = dialects()["yunikorn"]
    source = dialect.read(text, {}).source
    assert source is not None
    assert dialect.new_queues is not None
    assert list(dialect.new_queues.fields(source)[-1].choices) == expected


def test_languages_with_queues_have_the_form() -> None:
    assert sorted(name for name, each in dialects().items() if each.new_queues) == [
        "kai",
        "kueue",
        "native",
        "yunikorn",
    ]
