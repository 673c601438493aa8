"""An active config whose plugin is no longer installed: it stays active, and places nothing."""

from __future__ import annotations

from collections.abc import Callable

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.engine.disciplines.placement.plugin import KEEP, Cluster, Job, PlacementPlugin, Verdict
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies import queries
from console.workloads.models import State, Workload
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.engine.placement.plugins import installed


class KeepsAll(PlacementPlugin):
    """A filter."""

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        """Keep every cluster."""
        return KEEP


def submit(owner: Actor, name: str) -> None:
    submit_workloads(owner, read_submissions([{"name": name, "requests": {"cpu": 1}}]))


def test_jobs_wait_for_a_plugin_that_was_removed_and_start_when_it_is_back(
    owner: Actor, settle: Callable[[Organization], int]
) -> None:
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    text = "{kind: Scheduler, spec: {plugins: [DefaultPlugin, keeps-all]}}"
    with installed({"keeps-all": KeepsAll()}):
        apply_config(owner, "skyshift", text, "", 0)
        submit(owner, "first")
        settle(owner.org)
    restart()
    with installed({}):
        submit(owner, "second")
        settle(owner.org)
        states = {each.name: (each.state, each.reason) for each in Workload.objects.all()}
        assert states == {
            "first": (State.ADMITTED, "placed"),
            "second": (State.PENDING, "plugin_failed"),
        }
    restart()
    with installed({"keeps-all": KeepsAll()}):
        submit(owner, "third")
        settle(owner.org)
        states = {each.name: each.state for each in Workload.objects.all()}
        assert states == dict.fromkeys(("first", "second", "third"), State.ADMITTED)


def restart() -> None:
    """Forget what a process remembers."""
    forget_states()
    queries._compile.cache_clear()
