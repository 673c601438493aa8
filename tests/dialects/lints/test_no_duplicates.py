"""A finding of the dialect replaces a lint with the same meaning at the same place."""

from __future__ import annotations

from console.dialects import dialects
from console.dialects.lints import Facts, lint
from console.dialects.lints.codes import LINT_CODES
from console.engine.model.history import History, Shape
from console.engine.model.inventory import Cluster, Inventory
from console.engine.model.workload import Workload

TEXT = """\
resource_flavors:
  - name: any
    selector: [{ key: a, operator: exists }, { key: a, operator: does_not_exist }]
resource_queues:
  - name: idle
  - name: train
    cohort_name: ml
    preemption: { reclaim_within_cohort: any }
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: any
            resources:
              - name: gpu
                nominal_quota: 0
                borrowing_limit: 0
  - name: lab
    cohort_name: ml
    preemption: { reclaim_within_cohort: any }
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: any, resources: [{ name: gpu, nominal_quota: 8 }] }]
scheduling_rules:
  - resource_queue: lab
    selector: [{ key: team, operator: in, values: [a] }]
  - resource_queue: train
    selector: [{ key: team, operator: in, values: [b] }]
"""
NATIVE = dialects()["native"]
PAST = History(
    window_days=30,
    shapes=(
        Shape(
            workload=Workload(id="1", sequence=1, labels={"team": "c"}),
            runs=4,
            last_seen="2026-01-01",
        ),
    ),
)


def codes(text: str, facts: Facts) -> list[tuple[int, str]]:
    """Return line and code of all findings."""
    checked = lint(NATIVE, NATIVE.read(text, {}), facts)
    return [(d.span.line, d.code) for d in checked.findings]


def test_finding_of_the_dialect_replaces_the_lint():
    found = codes(TEXT, Facts())
    assert found == [
        (3, "NAT024"),
        (5, "NAT022"),
        (15, "NAT027"),
        (24, "LNT005"),
        (26, "NAT020"),
        (26, "LNT005"),
    ]


def test_lint_with_counts_replaces_the_finding_without():
    found = codes(TEXT, Facts(history=PAST))
    assert [code for _, code in found if code in ("NAT020", "LNT001")] == ["LNT001"]


def test_rules_after_a_catch_all_are_reported_only_by_the_dialect():
    rule = "scheduling_rules:\n"
    text = TEXT.replace(rule, f"{rule}  - resource_queue: lab\n")
    found = [code for _, code in codes(text, Facts()) if code in ("NAT021", "LNT002")]
    assert found == ["NAT021", "NAT021"]


def test_a_misspelled_cluster_of_a_filter_policy_is_reported_once():
    skyshift = dialects()["skyshift"]
    text = """\
{kind: Scheduler, spec: {plugins: [DefaultPlugin, ClusterAffinityPlugin]}}
---
{kind: Cluster, metadata: {name: east}}
---
kind: FilterPolicy
metadata: {name: eu}
spec:
  labels_selector: {team: a}
  cluster_filter: {include: [eats]}
"""
    facts = Facts(inventory=Inventory(clusters={"east": Cluster(name="east")}))
    reading = skyshift.read(text, {})
    assert [(d.span.line, d.code) for d in lint(skyshift, reading, facts).findings] == [
        (9, "SKY050")
    ]


def test_dialects_name_own_codes_and_lints_that_exist():
    lints = {code.code for code in LINT_CODES}
    for dialect in dialects().values():
        assert set(dialect.equivalent_lints) <= {code.code for code in dialect.codes}
        assert set(dialect.equivalent_lints.values()) <= lints


def test_a_text_with_errors_has_no_lints():
    reading = NATIVE.read("resource_queues: [{nmae: a}]", {})
    checked = lint(NATIVE, reading, Facts(history=PAST))
    assert checked.lints == ()
    assert checked.findings == reading.diagnostics
