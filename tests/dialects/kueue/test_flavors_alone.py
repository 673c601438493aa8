"""A file with flavors only has no findings about unused flavors."""

from __future__ import annotations

from console.dialects.kueue import DIALECT

FLAVORS = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: spot }
spec: { nodeLabels: { capacity: spot } }
"""
COHORT = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: { name: c }\n"


def test_unused_flavor_is_reported_only_with_queues_or_cohorts():
    assert DIALECT.read(FLAVORS, {}).diagnostics == ()
    found = [d.code for d in DIALECT.read(FLAVORS + COHORT, {}).diagnostics]
    assert found == ["KUE054", "KUE059"]
