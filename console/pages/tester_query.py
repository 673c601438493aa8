"""Input of a rule test, read from and written to a query string that can be shared."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict

from console.configs.compiled_configs import find_compiled_config
from console.configs.read_expectations import (
    LONGEST_NAME,
    LONGEST_QUEUE,
    any_priority,
    read_tested_workload,
)
from console.engine.model.amounts import format_amount
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.expectations import ExpectedRoute
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.identities import groups_in
from console.orgs.models import Organization
from console.pages.pasted_labels import paste_one, read_pairs
from console.reading import Reader, is_storable, printable
from console.reading.typed_values import read_typed
from console.workloads import models
from console.workloads.queries import get_workload
from console.workloads.read_pod_sets import MOST_PODS
from console.workloads.stored_facts import decode_facts
from console.workloads.stored_pod_sets import decode_pod_sets

#: Number of empty label rows below the filled ones.
BLANK_ROWS: Final = 3

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)

#: Fields of a text that is shown as it was typed, without spaces around it.
_TEXTS: Final = ("namespace", "user", "groups", "priority", "requests", "replicas", "template")


@dataclass(frozen=True, slots=True, kw_only=True)
class TesterQuery:
    """The input of a rule test: the typed fields of a workload, and the configs to test."""

    config: str = "active"
    #: A second config to compare with; empty: none.
    beside: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    namespace: str = ""
    user: str = ""
    #: Names of groups, one on each line.
    groups: str = ""
    priority: str = ""
    requests: str = ""
    #: Number of pods that each have *requests*; empty: one.
    replicas: str = ""
    #: Id of the workload whose pod sets are used instead of *requests* and *replicas*.
    pods: str = ""
    #: A placement as JSON or YAML, and the name of a template that completes it.
    placement: str = ""
    template: str = ""

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The labels, and empty rows for more."""
        return [*self.labels, *[("", "")] * BLANK_ROWS]

    def to_query_string(self, **more: str) -> str:
        """Return the query string of this test, with *more* parameters."""
        parts = [("config", self.config), ("beside", self.beside)]
        labels = [pair for k, v in self.labels for pair in (("key", k), ("value", v))]
        # Without a key parameter, the page would show the form and no result.
        labels = labels or [("key", "")]
        rest = [(name, getattr(self, name)) for name in (*_TEXTS, "pods", "placement")]
        given = [(name, value) for name, value in (*parts, *rest, *more.items()) if value]
        return f"?{urlencode([*labels, *given])}"


def read_tester_query(data: QueryDict) -> TesterQuery:
    """Return the input in an address or form; a row without key and value is skipped."""
    keys, values = data.getlist("key"), data.getlist("value")
    values += [""] * (len(keys) - len(values))
    rows = ((key.strip(), value.strip()) for key, value in zip(keys, values, strict=False))
    return TesterQuery(
        config=data.get("config") or "active",
        beside=data.get("beside", ""),
        labels=tuple((key, value) for key, value in rows if key or value),
        pods=data.get("pods", "").strip(),
        # The text keeps its lines, which the form shows again.
        placement=data.get("placement", "").strip(),
        **{name: data.get(name, "").strip() for name in _TEXTS},
    )


def with_paste(query: TesterQuery, text: str) -> TesterQuery:
    """Return *query* with the pasted fields; raise BadRequest at ``paste``."""
    fields = paste_one(text, "paste")
    if fields.get("pod_sets") is not None:
        message = (
            "A single test does not accept pod_sets: paste this under Many, enter requests "
            "instead, or use the id of such a workload."
        )
        raise BadRequest([FieldError("paste", "conflicting_fields", message)])
    reader = Reader()
    # The test itself checks the priority against the minimum of the config.
    workload = read_tested_workload(reader, fields, least_priority=any_priority)
    if reader.errors:
        raise BadRequest(
            [FieldError("paste", e.code, f"{e.path}: {e.message}") for e in reader.errors]
        )
    return _with_fields(query, workload, fields.keys())


def with_workload(query: TesterQuery, org: Organization, uid: str) -> TesterQuery:
    """Return *query* with the fields of the workload *uid*; raise NotFound if there is none."""
    row = _workload(org, uid)
    workload = Workload(
        id=uid,
        sequence=0,
        labels=row.labels,  # type: ignore[attr-defined]
        namespace=row.namespace,
        user=row.user,
        groups=tuple(row.groups),
        priority=row.requested_priority,
        pod_sets=(PodSet(requests=row.requests),),
        placement=decode_facts(row.facts).placement,
    )
    names = {"labels", "namespace", "user", "groups", "priority", "requests", "placement"}
    found = _with_fields(query, workload, names)
    if not row.pod_sets:
        return found
    return replace(found, requests="", pods=uid)


def workload_of(query: TesterQuery, org: Organization) -> Workload:
    """Return the workload to test; raise BadRequest with all errors of its fields."""
    reader = Reader()
    fields: dict[str, Any] = {
        "labels": dict(query.labels),
        "namespace": query.namespace,
        "user": query.user,
        "groups": groups_in(query.groups),
    }
    seen: set[str] = set()
    for key, _ in query.labels:
        if not key:
            reader.refuse("labels", "blank", "A value has no key.")
        elif key in seen:
            reader.refuse("labels", "repeated_name", f"The label {key} is given twice.")
        seen.add(key)
    if query.priority:
        fields["priority"] = _priority(reader, query.priority, "priority")
    if query.requests:
        try:
            pairs = read_pairs(query.requests, "requests")
            fields["requests"] = {name: _number_or_text(value) for name, value in pairs.items()}
        except BadRequest as error:
            reader.errors += error.errors
    fields["placement"] = _placement(reader, query)
    count = _replicas(reader, query.replicas)
    workload = read_tested_workload(
        reader,
        fields,
        least_priority=lambda: find_compiled_config(org, query.config).policy.least_priority,
    )
    reader.finish()
    if query.pods:
        return _with_pods(workload, org, query.pods)
    return replace(workload, pod_sets=(replace(workload.pod_sets[0], count=count),))


def read_expectation(form: QueryDict, query: TesterQuery, org: Organization) -> ExpectedRoute:
    """Return the expectation of a form about the workload in *query*; raise BadRequest."""
    reader = Reader()
    try:
        workload = workload_of(query, org)
    except BadRequest as error:
        reader.errors += error.errors
    name = reader.text(form.get("name", "").strip(), "name", LONGEST_NAME, blank=False)
    queue = reader.text(form.get("queue", "").strip(), "queue", LONGEST_QUEUE)
    text = form.get("effective_priority", "").strip()
    priority = _priority(reader, text, "effective_priority") if text else None
    if priority is not None and not queue:
        message = "A priority needs a queue; leave this field empty."
        reader.refuse("effective_priority", "conflicting_fields", message)
    elif priority is not None:
        reader.integer(priority, "effective_priority", least=any_priority())
    reader.finish()
    return ExpectedRoute(name=name, workload=workload, queue=queue or None, priority=priority)


def _with_pods(workload: Workload, org: Organization, uid: str) -> Workload:
    row = _workload(org, uid)
    return replace(workload, pod_sets=decode_pod_sets(row.pod_sets, row.requests))


def _workload(org: Organization, uid: str) -> models.Workload:
    if not is_storable(uid):
        raise NotFound(f"There is no workload {printable(uid)!r} in {org.slug}.")
    return get_workload(org, uid)


def _with_fields(query: TesterQuery, workload: Workload, names: Any) -> TesterQuery:
    """Return *query* with the fields of *workload* whose names are in *names*."""
    changes: dict[str, Any] = {"labels": tuple(workload.labels.items())}
    if "namespace" in names:
        changes["namespace"] = workload.namespace
    if "user" in names:
        changes["user"] = workload.user
    if "groups" in names:
        changes["groups"] = "\n".join(workload.groups)
    if "priority" in names:
        changes["priority"] = "" if workload.priority is None else str(workload.priority)
    if "requests" in names:
        changes |= {"requests": format_requests(workload.total()), "pods": "", "replicas": ""}
    if "placement" in names:
        placement = workload.placement
        text = json.dumps(placement, ensure_ascii=False) if placement else ""
        changes |= {"placement": text, "template": ""}
    return replace(query, **changes)


def format_requests(requests: Mapping[str, int]) -> str:
    """
    Return *requests*, in thousandths, as text for the form.

    >>> format_requests({"gpu": 8000, "cpu": 500})
    'gpu=8, cpu=0.5'
    """
    return ", ".join(f"{name}={format_amount(amount)}" for name, amount in requests.items())


def _placement(reader: Reader, query: TesterQuery) -> Any:
    """Return the placement as JSON values, with the template; None without both."""
    placement: Any = {}
    if query.placement:
        typed = read_typed(query.placement, "placement")
        if typed.findings:
            reader.refuse("placement", "invalid_text", typed.problems[0])
            return None
        placement = typed.value
    if query.template and isinstance(placement, dict):
        placement = {**placement, "template": query.template}
    return placement or None


def _replicas(reader: Reader, text: str) -> int:
    if not text:
        return 1
    if _WHOLE.fullmatch(text):
        return reader.integer(int(text), "replicas", 1, MOST_PODS)
    reader.refuse("replicas", "wrong_type", f"{printable(text)!r} is not a whole number.")
    return 1


def _priority(reader: Reader, text: str, path: str) -> int:
    if _WHOLE.fullmatch(text):
        return int(text)
    reader.refuse(path, "wrong_type", f"{printable(text)!r} is not a whole number.")
    return 0


def _number_or_text(value: Any) -> Any:
    """Return the number in *value*, or *value* itself, which may be a quantity such as 500m."""
    if not isinstance(value, str):
        return value
    try:
        return Decimal(value)
    except InvalidOperation:
        return value
