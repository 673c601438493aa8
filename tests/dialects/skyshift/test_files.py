"""Several files of objects are checked as one config."""

from __future__ import annotations

from pathlib import Path

from tests.dialects.test_check_config import run

CLUSTER = "kind: Cluster\nmetadata: { name: dev-1 }\n"
POLICY = """\
kind: FilterPolicy
metadata: { name: web }
spec:
  labels_selector: { app: web }
  cluster_filter: { include: [dev_1] }
---
kind: Scheduler
spec: { plugins: [DefaultPlugin, ClusterAffinityPlugin] }
"""


def test_findings_are_those_of_all_files_together(tmp_path: Path) -> None:
    cluster, policy, again = (tmp_path / f"{name}.yaml" for name in ("cluster", "policy", "again"))
    cluster.write_text(CLUSTER, "utf-8")
    policy.write_text(POLICY.replace("dev_1", "dev-1"), "utf-8")
    again.write_text(f"# The same cluster.\n{CLUSTER}", "utf-8")
    assert run(cluster, policy) == (
        f"{cluster}: no errors, no warnings\n\n{policy}: no errors, no warnings\n",
        0,
    )
    output, code = run(cluster, policy, again)
    assert code == 1
    assert (
        f'{again}:3:19: error SKY003 Cluster "dev-1" is already used on line 2 of {cluster}.'
    ) in output


def test_cluster_of_another_file_is_suggested(tmp_path: Path) -> None:
    cluster, policy = tmp_path / "cluster.yaml", tmp_path / "policy.yaml"
    cluster.write_text(CLUSTER.replace("dev-1", "dev-one"), "utf-8")
    policy.write_text(POLICY.replace("dev_1", "dev-oen"), "utf-8")
    output, code = run(cluster, policy)
    assert code == 0
    assert f'{policy}:5:31: warning SKY050 The config has no cluster "dev-oen".' in output
    assert 'Did you mean "dev-one"?' in output
