"""The submit form of workloads and pasted JSON, validated by the rules of the API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from django import forms

from console.engine.model.amounts import format_amount
from console.engine.model.go_durations import GO_UNITS, go_nanoseconds, go_text
from console.errors import BadRequest, FieldError
from console.orgs.identities import groups_in
from console.reading.exact_json import loads_exactly
from console.reading.typed_values import Typed, read_typed
from console.workloads.queries.filters import TYPES
from console.workloads.submissions import (
    MARKET_TYPES,
    MOST_AT_ONCE,
    Submission,
    read_submissions,
)
from console.workloads.submitted_pod_sets import pod_set_fields

_REQUEST = "request_"
#: Values of optional fields of a pod set that the text of the form leaves out.
_ABSENT: Final[tuple[object, ...]] = (None, [], {})
_FIELD = re.compile(r"workloads\[\d+\]\.([a-z_]+)")
#: The amount fields are read as the requests of one pod set.
_AMOUNT = re.compile(r"workloads\[\d+\]\.pod_sets\[0\]\.requests\.(.+)")


#: Fields of the form with another name than in requests.
_FIELDS: Final = {"max_run_seconds": "max_run_time"}

#: Placeholder of the pod sets field.
EXAMPLE = """\
- name: driver
  requests: {cpu: 500m, memory: 2Gi}
- name: workers
  count: 8
  min_count: 4
  requests: {cpu: 16, memory: 64Gi}
  node_selector: {zone: west}"""

#: Placeholder of the placement field.
EXAMPLE_PLACEMENT = "filters: [{ name: eu, match_labels: { region: eu } }]"


class SubmitForm(forms.Form):
    """
    Form for one workload or several copies.

    It has an amount field for each of *resources*, a field for the placement if the scheduler
    *takes_placement*, and fields for user and groups if the actor *states_user*. Its values are
    those of *repeated*, the request of another workload, if there is one.
    """

    name = forms.CharField(max_length=200, help_text="Copies are numbered: train-1, train-2.")
    type = forms.ChoiceField(choices=[(name, name) for name in TYPES])
    copies = forms.IntegerField(min_value=1, max_value=MOST_AT_ONCE, initial=1)
    priority = forms.CharField(
        required=False, max_length=20, help_text="Empty: set by the matching rule."
    )
    instance_type = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "seen-instance-types"}),
    )
    accelerator_type = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "seen-accelerator-types"}),
    )
    market_type = forms.ChoiceField(
        required=False, choices=[("", "Unknown"), *((name, name) for name in MARKET_TYPES)]
    )
    cloud_resource_id = forms.CharField(label="Cloud resource id", required=False, max_length=200)
    user = forms.CharField(required=False, max_length=200)
    groups = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="One group per line.",
    )
    project = forms.CharField(required=False, max_length=200)
    namespace = forms.CharField(
        required=False, max_length=253, help_text="Namespace of the local queue."
    )
    pod_sets = forms.CharField(
        label="Pod sets",
        required=False,
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "placeholder": EXAMPLE}),
        help_text="A list in YAML or JSON, instead of the amounts above.",
    )
    placement = forms.CharField(
        required=False,
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 5, "spellcheck": "false", "placeholder": EXAMPLE_PLACEMENT}
        ),
        help_text="Filters, preferences and template, in YAML or JSON.",
    )
    preemptible = forms.ChoiceField(
        required=False, choices=[("", "Set by the scheduler"), ("yes", "Yes"), ("no", "No")]
    )
    max_run_time = forms.CharField(
        label="Maximum run time",
        required=False,
        max_length=30,
        help_text="Such as 8h or 1h30m; it is then stopped. Empty: no limit.",
    )
    tags = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One key=value per line, such as team=research.",
    )

    def __init__(
        self,
        *args: Any,
        resources: Sequence[str],
        least_priority: Callable[[], int],
        takes_placement: bool = False,
        states_user: bool = True,
        repeated: Submission | None = None,
        **kwargs: Any,
    ) -> None:
        if repeated is not None:
            kwargs["initial"] = _initial(repeated, resources)
        super().__init__(*args, **kwargs)
        if not takes_placement and (repeated is None or repeated.placement is None):
            del self.fields["placement"]
        if repeated is None or repeated.preemptible is None:
            # Few workloads have this fact; they are submitted over HTTP.
            del self.fields["preemptible"]
        if not states_user:
            del self.fields["user"], self.fields["groups"]
        self._least_priority = least_priority
        self.resources = tuple(resources)
        #: The values of the text fields that are not empty, by field.
        self._typed: dict[str, Typed] = {}
        #: The submissions of a valid form; set by `is_valid`.
        self.submissions: list[Submission] = []
        for resource in self.resources:
            self.fields[_REQUEST + resource] = forms.CharField(
                label=resource,
                required=False,
                max_length=30,
            )

    @property
    def request_fields(self) -> list[forms.BoundField]:
        """The amount fields, one for each resource."""
        return [self[_REQUEST + resource] for resource in self.resources]

    def clean(self) -> dict[str, Any]:
        """Read the fields as a request of the API, and add its errors to the fields."""
        cleaned = super().clean() or {}
        value = {
            "name": cleaned.get("name", "unnamed"),
            "type": cleaned.get("type", "job"),
            "tags": self._tags(cleaned.get("tags", "")),
            "priority": self._priority(cleaned.get("priority", "")),
            "pod_sets": self._pod_sets(cleaned.get("pod_sets", "")),
            "preemptible": {"yes": True, "no": False}.get(cleaned.get("preemptible", "")),
            "placement": self._read_typed("placement", cleaned.get("placement", "")),
            "user": self._stated("user"),
            "groups": groups_in(self._stated("groups")),
            "project": cleaned.get("project", ""),
            "namespace": cleaned.get("namespace", ""),
            "max_run_seconds": self._run_seconds(cleaned.get("max_run_time", "")),
        } | {
            name: cleaned.get(name) or None
            for name in ("instance_type", "accelerator_type", "market_type", "cloud_resource_id")
        }
        copies = cleaned.get("copies") or 1
        try:
            one = read_submissions([value], self._least_priority)
            if not self.errors and copies == 1:
                self.submissions = one
            elif not self.errors:
                names = (f"{value['name']}-{i}" for i in range(1, copies + 1))
                self.submissions = read_submissions(
                    [value | {"name": name} for name in names], self._least_priority
                )
        except BadRequest as error:
            for finding in error.errors:
                self._note(finding)
        return cleaned

    def refuse(self, findings: Sequence[FieldError]) -> None:
        """Add the *findings* about the submissions to the fields; those of copies are the same."""
        for finding in findings:
            if finding.path.startswith("workloads[0]"):
                self._note(finding)

    def _stated(self, name: str) -> str:
        # A form that was opened with another role may have the field: its value must not be lost
        # without a message.
        text: str = (self.cleaned_data if name in self.fields else self.data).get(name, "")
        return text.strip()

    def _tags(self, text: str) -> dict[str, str]:
        tags: dict[str, str] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            key, equals, value = line.partition("=")
            if not equals:
                self.add_error("tags", f"Line {number} has no =; write key=value.")
            elif key.strip() in tags:
                self.add_error("tags", f"Line {number} repeats {key.strip()}.")
            else:
                tags[key.strip()] = value.strip()
        return tags

    def _pod_sets(self, text: str) -> Any:
        """Return the value of the pod sets field, or one pod set with the amounts."""
        amounts = self._amounts()
        if not text.strip():
            return [{"requests": amounts}] if amounts else None
        if amounts:
            message = "Amounts are also given above; use only one of the two."
            self.add_error("pod_sets", message)
        return self._read_typed("pod_sets", text)

    def _read_typed(self, name: str, text: str) -> Any:
        """Return the value of a text field in YAML or JSON; None if it is empty."""
        if not text.strip():
            return None
        typed = self._typed[name] = read_typed(text, f"workloads[0].{name}")
        for problem in typed.problems:
            self.add_error(name, problem)
        return typed.value

    def _amounts(self) -> dict[str, Decimal | str]:
        texts = {name: self.cleaned_data.get(_REQUEST + name, "") for name in self.resources}
        return {name: _number_or_text(text) for name, text in texts.items() if text}

    def _priority(self, text: str) -> int | None:
        try:
            return int(text) if text else None
        except ValueError:
            self.add_error("priority", f"{text!r} is not a whole number.")
            return None

    def _run_seconds(self, text: str) -> int | None:
        nanoseconds = go_nanoseconds(text.replace(" ", ""))
        if text and (nanoseconds is None or nanoseconds <= 0 or nanoseconds % GO_UNITS["s"]):
            message = f"{text!r} is not a duration in whole seconds, such as 8h or 1h30m."
            self.add_error("max_run_time", message)
            return None
        return nanoseconds // GO_UNITS["s"] if text and nanoseconds else None

    def _note(self, finding: FieldError) -> None:
        amount = _AMOUNT.fullmatch(finding.path)
        place = _FIELD.match(finding.path)
        name = place[1] if place else None
        if name in self._typed:
            line = self._typed[name].line_of(finding.path)
            self.add_error(name, f"Line {line}: {finding.message}")
        elif amount:
            self.add_error(_REQUEST + amount[1], finding.message)
        else:
            name = _FIELDS.get(name or "", name)
            self.add_error(name if name in self.fields else None, finding.message)


def _initial(repeated: Submission, resources: Sequence[str]) -> dict[str, str]:
    """Return the values of the fields for the request *repeated*."""
    initial = {
        "name": repeated.name,
        "type": repeated.type,
        "priority": "" if repeated.priority is None else str(repeated.priority),
        "instance_type": repeated.instance_type or "",
        "accelerator_type": repeated.accelerator_type or "",
        "market_type": repeated.market_type or "",
        "cloud_resource_id": repeated.cloud_resource_id or "",
        "user": repeated.user,
        "groups": "\n".join(repeated.groups),
        "project": repeated.project,
        "namespace": repeated.namespace,
        "preemptible": {True: "yes", False: "no", None: ""}[repeated.preemptible],
        "placement": _as_json(repeated.placement) if repeated.placement is not None else "",
        "max_run_time": ""
        if repeated.max_run_seconds is None
        else go_text(repeated.max_run_seconds),
        "tags": "\n".join(
            f"{key}={value}" for key, value in repeated.tags.items() if _is_line(key, value)
        ),
    }
    if repeated.pod_sets or not repeated.requests.keys() <= set(resources):
        pod_sets = [
            {name: value for name, value in pod_set_fields(each).items() if value not in _ABSENT}
            for each in repeated.requested_pod_sets()
        ]
        return initial | {"pod_sets": _as_json(pod_sets)}
    amounts = repeated.requests.items()
    return initial | {_REQUEST + name: format_amount(amount) for name, amount in amounts}


def tags_without_a_line(tags: Mapping[str, str]) -> list[str]:
    """Return the keys of those *tags* that the field of the form cannot represent."""
    return [key for key, value in tags.items() if not _is_line(key, value)]


def _is_line(key: str, value: str) -> bool:
    """Return whether the form reads the line of a tag as this tag."""
    is_trimmed = key == key.strip() and value == value.strip()
    return bool(key) and "=" not in key and is_trimmed and len(f"{key}{value}.".splitlines()) == 1


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _number_or_text(text: str) -> Decimal | str:
    """Return the number in *text*, or *text* itself, which may be a quantity such as 500m."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def read_pasted(text: str, least_priority: Callable[[], int]) -> list[Submission]:
    """
    Read pasted JSON: a list of workloads, or an object with such a list under ``workloads``.

    *least_priority* returns the lowest priority that may be requested.
    Raises BadRequest with the path of every error.
    """
    try:
        value = loads_exactly(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _not_json(f"Invalid JSON at {place}: {error.msg}.") from error
    except RecursionError as error:
        raise _not_json("The JSON is nested too deeply.") from error
    except ValueError as error:
        raise _not_json(f"The JSON cannot be read: {error}.") from error
    if isinstance(value, dict) and "workloads" in value:
        value = value["workloads"]
    return read_submissions(value, least_priority)


def _not_json(message: str) -> BadRequest:
    return BadRequest([FieldError("json", "invalid_json", message)])
