"""The manifests given to a product mean the same as the policy given to the engine."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from console.bench.kueue.traces import BASELINE, LARGE, ArrivalTrace
from console.dialects import dialects
from console.engine.disciplines.quota.spec import spec_of, with_spec
from console.engine.routing.local_queues import local_routing_of
from console.trial.manifests import body, manifests
from console.workloads.submissions import read_submissions
from tests.bench.small import BORROWING

#: Maximum size of a config in bytes.
MOST = 1 << 20


@pytest.mark.parametrize("trace", [BASELINE, LARGE, BORROWING], ids=lambda trace: trace.name)
def test_manifests_compile_to_the_same_policy(trace: ArrivalTrace) -> None:
    text = manifests(trace)
    reading = dialects()["kueue"].read(text, {})
    assert reading.diagnostics == ()
    assert reading.policy is not None
    expected, read = trace.policy(), reading.policy
    # Defaults that no text declares belong to the dialect.
    names = ("unsupported_labels", "least_priority", "run_time_label")
    of_dialect = {name: getattr(read, name) for name in names}
    written, told = local_routing_of(expected), local_routing_of(read)
    assert written is not None
    assert told is not None
    routing = replace(written, default_local_queue=told.default_local_queue)
    expected = replace(expected, routing=routing, **of_dialect)
    expected = with_spec(expected, settings=spec_of(read).settings)
    assert without_places(read) == without_places(expected)
    assert len(text.encode()) < MOST
    assert "&" not in text


def test_workloads_read_as_those_of_the_trace() -> None:
    for arrival in BORROWING.arrivals():
        (read,) = read_submissions([body(arrival)])
        (pods,) = arrival.workload.pod_sets
        assert read.name == arrival.workload.id
        assert read.labels() == {**arrival.workload.labels, "workload-type": "job"}
        assert (read.namespace, read.priority) == (arrival.queue, arrival.kind.priority)
        assert read.requests == pods.requests


def without_places(value: Any) -> Any:
    """Return *value* as plain data, without source positions."""
    if is_dataclass(value):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return {name: without_places(part) for name, part in parts.items() if name != "origin"}
    if isinstance(value, dict):
        return {key: without_places(part) for key, part in value.items()}
    return [without_places(part) for part in value] if isinstance(value, tuple) else value
