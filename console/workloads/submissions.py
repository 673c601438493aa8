"""Submitted workloads: their fields, validation and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from console.engine.model.run_time import LONGEST_RUN_TIME
from console.engine.model.workload import PodSet
from console.errors import BadRequest, FieldError
from console.orgs.identities import LONGEST_USER, read_groups
from console.reading import Reader, join
from console.workloads.queries.filters import TYPES
from console.workloads.read_placement import read_placement
from console.workloads.read_pod_sets import LONGEST_KEY, read_pod_sets, read_requests

#: Maximum number of workloads in one request.
MOST_AT_ONCE: Final = 1000

MARKET_TYPES: Final = ("SPOT", "ON_DEMAND")

#: Reserved label keys, each with the field that sets it.
RESERVED: Final[Mapping[str, str]] = {
    "instance-type": "instance_type",
    "accelerator-type": "accelerator_type",
    "market-type": "market_type",
    "cloud-resource-id": "cloud_resource_id",
    "workload-type": "type",
}

_FIELDS: Final = (
    "name",
    "type",
    "tags",
    "instance_type",
    "accelerator_type",
    "market_type",
    "cloud_resource_id",
    "priority",
    "requests",
    "pod_sets",
    "user",
    "groups",
    "project",
    "namespace",
    "preemptible",
    "placement",
    "max_run_seconds",
)
_KNOWN: Final = frozenset(_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One submitted workload; None is an unknown fact."""

    name: str
    type: str = "job"
    tags: Mapping[str, str] = field(default_factory=dict)
    instance_type: str | None = None
    accelerator_type: str | None = None
    market_type: str | None = None
    cloud_resource_id: str | None = None
    #: None: the matching rule sets the priority.
    priority: int | None = None
    #: Resource -> thousandths; the short form of a single pod set with one pod.
    requests: Mapping[str, int] = field(default_factory=dict)
    #: Instead of *requests*.
    pod_sets: tuple[PodSet, ...] = ()
    user: str = ""
    groups: tuple[str, ...] = ()
    project: str = ""
    namespace: str = ""
    #: None: the scheduler decides whether the workload may be preempted.
    preemptible: bool | None = None
    #: As `read_placement` returns it; None without a placement.
    placement: Mapping[str, object] | None = None
    #: How long it may run altogether, in seconds; None: its tags decide.
    max_run_seconds: int | None = None

    def requested_pod_sets(self) -> tuple[PodSet, ...]:
        """Return the requested pod sets, also for a request in the short form."""
        if self.pod_sets:
            return self.pod_sets
        requests = {resource: amount for resource, amount in self.requests.items() if amount}
        return (PodSet(requests=requests),)

    def labels(self) -> dict[str, str]:
        """
        Return the labels that selectors are evaluated on: tags and known reserved facts.

        Raises BadRequest if a tag uses a reserved key.
        """
        if not self.tags.keys().isdisjoint(RESERVED):
            taken = [key for key in self.tags if key in RESERVED]
            raise BadRequest([_reserved(key, f"tags.{key}") for key in taken])
        labels = dict(self.tags)
        for key, name in RESERVED.items():
            fact = getattr(self, name)
            if fact is not None:
                labels[key] = fact
        return labels


def read_submissions(value: Any, least_priority: Callable[[], int] = lambda: 0) -> list[Submission]:
    """
    Return the submissions in the list *value* of a request; numbers are int or Decimal.

    *least_priority* returns the lowest priority that may be requested.
    Raises BadRequest with the path of every error.
    """
    reader = Reader()
    items = reader.items(value, "workloads", 1, MOST_AT_ONCE)
    least = cache(least_priority)
    submissions = [_read(reader, item, f"workloads[{i}]", least) for i, item in enumerate(items)]
    reader.finish()
    return submissions


def _read(reader: Reader, value: Any, path: str, least_priority: Callable[[], int]) -> Submission:
    fields = reader.mapping(value, path, _KNOWN, required=("name",))
    get = fields.get
    if get("pod_sets") is not None and get("requests") is not None:
        message = "This is the short form of one pod set; send either requests or pod_sets."
        reader.refuse(f"{path}.requests", "conflicting_fields", message)
    market = get("market_type")
    return Submission(
        name=reader.text(fields["name"], f"{path}.name", 200, blank=False)
        if "name" in fields
        else "",
        type="job" if get("type") is None else reader.choice(get("type"), f"{path}.type", TYPES),
        tags=_tags(reader, get("tags"), f"{path}.tags"),
        instance_type=reader.optional_text(get("instance_type"), f"{path}.instance_type", 200),
        accelerator_type=reader.optional_text(
            get("accelerator_type"), f"{path}.accelerator_type", 200
        ),
        market_type=None
        if market is None
        else reader.choice(market, f"{path}.market_type", MARKET_TYPES),
        cloud_resource_id=reader.optional_text(
            get("cloud_resource_id"), f"{path}.cloud_resource_id", 200
        ),
        priority=reader.priority(get("priority"), f"{path}.priority", least_priority),
        requests=_requests(reader, get("requests"), f"{path}.requests"),
        pod_sets=()
        if get("pod_sets") is None
        else read_pod_sets(reader, get("pod_sets"), f"{path}.pod_sets"),
        user=reader.text(get("user"), f"{path}.user", LONGEST_USER),
        groups=()
        if get("groups") is None
        else read_groups(reader, get("groups"), f"{path}.groups"),
        project=reader.text(get("project"), f"{path}.project", 200),
        namespace=reader.text(get("namespace"), f"{path}.namespace", 253),
        preemptible=None
        if get("preemptible") is None
        else reader.flag(get("preemptible"), f"{path}.preemptible"),
        placement=None
        if get("placement") is None
        else read_placement(reader, get("placement"), f"{path}.placement"),
        max_run_seconds=None
        if get("max_run_seconds") is None
        else reader.integer(get("max_run_seconds"), f"{path}.max_run_seconds", 1, LONGEST_RUN_TIME),
    )


def _tags(reader: Reader, value: Any, path: str) -> dict[str, str]:
    found = {}
    for key, text in reader.entries(value, path, 100, LONGEST_KEY):
        if key in RESERVED:
            reader.errors.append(_reserved(key, join(path, key)))
        found[key] = reader.text(text, join(path, key), 500) if text is not None else ""
        if text is None:
            reader.refuse(join(path, key), "wrong_type", "This has to be a string, not null.")
    return found


def _requests(reader: Reader, value: Any, path: str) -> dict[str, int]:
    return read_requests(reader, value, path, texts=False)


def _reserved(key: str, path: str) -> FieldError:
    message = f"The key {key} is reserved: send it as the field {RESERVED[key]} instead of a tag."
    return FieldError(path, "reserved_key", message)
