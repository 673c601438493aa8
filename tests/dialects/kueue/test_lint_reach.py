"""Findings about which workloads reach a queue: the sentences about stopped queues."""

from __future__ import annotations

import pytest

from console.dialects.kueue import DIALECT

CONFIG = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: training}}
spec: {{namespaceSelector: {{}}, stopPolicy: {queue}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: research, namespace: team}}
spec: {{clusterQueue: training, stopPolicy: {local_queue}}}
"""


@pytest.mark.parametrize(
    ("stop", "drains"), [("Hold", ""), ("HoldAndDrain", ", and running workloads are preempted")]
)
def test_a_stopped_queue_is_reported_with_its_policy(stop: str, drains: str) -> None:
    reading = DIALECT.read(CONFIG.format(queue=stop, local_queue=stop), {})
    assert [
        (each.span.line, each.message, each.hint)
        for each in reading.diagnostics
        if each.code == "KUE070"
    ] == [
        (
            4,
            f"Nothing is admitted in this queue{drains}: stopPolicy is {stop}.",
            "Set it to None to resume.",
        ),
        (
            9,
            f"Nothing is admitted from this LocalQueue{drains}: stopPolicy is {stop}.",
            "Set it to None to resume.",
        ),
    ]


def test_a_queue_that_is_not_stopped_is_not_reported() -> None:
    reading = DIALECT.read(CONFIG.format(queue="None", local_queue="None"), {})
    assert "KUE070" not in {each.code for each in reading.diagnostics}
