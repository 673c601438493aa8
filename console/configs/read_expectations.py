"""Readers of expectations and of workloads for the rule tester, for requests, forms and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from console.dialects.numbers import LEAST_PRIORITY
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.expectations import ExpectedRoute
from console.orgs.identities import LONGEST_USER, read_groups
from console.reading import Reader, join
from console.workloads.read_placement import read_placement
from console.workloads.read_pod_sets import LONGEST_KEY, read_pod_sets, read_requests

#: Returns the lowest priority that may be requested; see `Reader.priority`.
LeastPriority: TypeAlias = Callable[[], int]

#: Maximum number of expectations of one organization, and of one file.
MOST_EXPECTATIONS: Final = 500

#: Maximum number of labels of one workload, and of characters of a value, as in submissions.
MOST_LABELS: Final = 120
LONGEST_VALUE: Final = 500

LONGEST_NAME: Final = 200
LONGEST_QUEUE: Final = 500

#: Fields of a workload to test.
WORKLOAD_FIELDS: Final = (
    *("labels", "namespace", "user", "groups", "priority"),
    *("requests", "pod_sets", "placement"),
)

#: Fields of an expectation. Expectations do not store pod sets and placements.
EXPECTATION_FIELDS: Final = (
    "name",
    "labels",
    "namespace",
    "user",
    "groups",
    "priority",
    "requests",
    "queue",
    "effective_priority",
)


def read_tested_workload(
    reader: Reader, fields: Mapping[str, Any], path: str = "", *, least_priority: LeastPriority
) -> Workload:
    """
    Read a workload to test from the `WORKLOAD_FIELDS` entries of *fields*.

    The labels are those on which selectors are evaluated: a fact that has its own field in a
    submission, such as ``instance_type``, is given by its label here. *least_priority* returns
    the lowest priority that the tested config allows.
    """
    get = fields.get
    if get("pod_sets") is not None and get("requests") is not None:
        message = "This is the short form of one pod set; send either requests or pod_sets."
        reader.refuse(join(path, "requests"), "conflicting_fields", message)
    requests = read_requests(reader, get("requests"), join(path, "requests"), texts=True)
    pod_sets: tuple[PodSet, ...] = (PodSet(requests={k: v for k, v in requests.items() if v}),)
    if get("pod_sets") is not None:
        pod_sets = read_pod_sets(reader, get("pod_sets"), join(path, "pod_sets"))
    placement = None
    if get("placement") is not None:
        placement = read_placement(reader, get("placement"), join(path, "placement"))
    return Workload(
        id="tested",
        sequence=0,
        labels=_labels(reader, get("labels"), join(path, "labels")),
        namespace=reader.text(get("namespace"), join(path, "namespace"), 253),
        user=reader.text(get("user"), join(path, "user"), LONGEST_USER),
        groups=()
        if get("groups") is None
        else read_groups(reader, get("groups"), join(path, "groups")),
        priority=reader.priority(get("priority"), join(path, "priority"), least_priority),
        pod_sets=pod_sets,
        placement=placement,
    )


def any_priority() -> int:
    """Return the lowest priority that a config of any dialect can allow."""
    return LEAST_PRIORITY


def read_expectations(
    reader: Reader, value: Any, path: str, least_priority: LeastPriority = any_priority
) -> list[ExpectedRoute]:
    """
    Read a list of 1 to `MOST_EXPECTATIONS` expectations with distinct names.

    Without *least_priority*, the expectations belong to no config, and all priorities are valid.
    """
    items = reader.items(value, path, 1, MOST_EXPECTATIONS)
    least = cache(least_priority)
    found = [_expectation(reader, item, f"{path}[{i}]", least) for i, item in enumerate(items)]
    _check_names(reader, found, path)
    return found


def _expectation(
    reader: Reader, value: Any, path: str, least_priority: LeastPriority
) -> ExpectedRoute:
    fields = reader.mapping(value, path, EXPECTATION_FIELDS, required=("name", "queue"))
    name = fields.get("name", "")
    effective = fields.get("effective_priority")
    queue = reader.optional_text(fields.get("queue"), f"{path}.queue", LONGEST_QUEUE)
    if queue is None and effective is not None:
        message = "No priority is expected without a queue; remove this field."
        reader.refuse(f"{path}.effective_priority", "conflicting_fields", message)
    return ExpectedRoute(
        name=reader.text(name, f"{path}.name", LONGEST_NAME, blank=False) if name else "",
        workload=read_tested_workload(reader, fields, path, least_priority=least_priority),
        queue=queue,
        # Priority classes can have negative values.
        priority=None
        if effective is None
        else reader.integer(effective, f"{path}.effective_priority", least=LEAST_PRIORITY),
    )


def _check_names(reader: Reader, found: Sequence[ExpectedRoute], path: str) -> None:
    names: set[str] = set()
    for i, each in enumerate(found):
        if each.name and each.name in names:
            message = f"Another expectation is called {each.name}; use another name."
            reader.refuse(f"{path}[{i}].name", "repeated_name", message)
        names.add(each.name)


def _labels(reader: Reader, value: Any, path: str) -> dict[str, str]:
    found = {}
    for key, text in reader.entries(value, path, MOST_LABELS, LONGEST_KEY):
        if text is None:
            message = "The value has to be a string, not null; remove the label if it is absent."
            reader.refuse(join(path, key), "wrong_type", message)
        found[key] = reader.text(text, join(path, key), LONGEST_VALUE)
    return found
