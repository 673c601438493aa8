"""The form that submits workloads, read by the same rules as the API's requests."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms

from console.errors import BadRequest, FieldError
from console.exact_json import loads_exactly
from console.workloads.queries.filters import TYPES
from console.workloads.submissions import (
    MARKET_TYPES,
    MOST_AT_ONCE,
    Submission,
    read_submissions,
)

_REQUEST = "request_"
_FIELD = re.compile(r"workloads\[\d+\]\.([a-z_]+)(?:\.(.+))?")


class SubmitForm(forms.Form):
    """One workload, or several alike; *resources* each get a field of their own."""

    name = forms.CharField(max_length=200, help_text="Copies are numbered: train-1, train-2.")
    type = forms.ChoiceField(choices=[(name, name) for name in TYPES])
    copies = forms.IntegerField(min_value=1, max_value=MOST_AT_ONCE, initial=1)
    priority = forms.CharField(
        required=False, max_length=20, help_text="Empty leaves it to the rule that takes it."
    )
    instance_type = forms.CharField(required=False, max_length=200)
    accelerator_type = forms.CharField(required=False, max_length=200)
    market_type = forms.ChoiceField(
        required=False, choices=[("", "Not known"), *((name, name) for name in MARKET_TYPES)]
    )
    cloud_resource_id = forms.CharField(label="Cloud resource id", required=False, max_length=200)
    user = forms.CharField(required=False, max_length=200)
    project = forms.CharField(required=False, max_length=200)
    tags = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One key=value on each line, such as team=research.",
    )

    def __init__(self, *args: Any, resources: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.resources = tuple(resources)
        #: What was read; filled by `is_valid`.
        self.submissions: list[Submission] = []
        for resource in self.resources:
            self.fields[_REQUEST + resource] = forms.CharField(
                label=resource,
                required=False,
                max_length=30,
                widget=forms.TextInput(attrs={"inputmode": "decimal"}),
            )

    @property
    def request_fields(self) -> list[forms.BoundField]:
        """The fields for amounts, one for each resource."""
        return [self[_REQUEST + resource] for resource in self.resources]

    def clean(self) -> dict[str, Any]:
        """Read the whole as the API would, and put its findings next to the fields."""
        cleaned = super().clean() or {}
        value = {
            "name": cleaned.get("name", "unnamed"),
            "type": cleaned.get("type", "job"),
            "tags": self._tags(cleaned.get("tags", "")),
            "priority": self._number("priority", whole=True),
            "requests": self._requests(),
            "user": cleaned.get("user", ""),
            "project": cleaned.get("project", ""),
        } | {
            name: cleaned.get(name) or None
            for name in ("instance_type", "accelerator_type", "market_type", "cloud_resource_id")
        }
        copies = cleaned.get("copies") or 1
        try:
            one = read_submissions([value])
            if not self.errors and copies == 1:
                self.submissions = one
            elif not self.errors:
                names = (f"{value['name']}-{i}" for i in range(1, copies + 1))
                self.submissions = read_submissions([value | {"name": name} for name in names])
        except BadRequest as error:
            for finding in error.errors:
                self._note(finding)
        return cleaned

    def _tags(self, text: str) -> dict[str, str]:
        tags: dict[str, str] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            key, equals, value = line.partition("=")
            if not equals:
                self.add_error("tags", f"Line {number} has no =; write key=value.")
            elif key.strip() in tags:
                self.add_error("tags", f"Line {number} gives {key.strip()} a second time.")
            else:
                tags[key.strip()] = value.strip()
        return tags

    def _requests(self) -> dict[str, Any]:
        amounts = {name: self._number(_REQUEST + name) for name in self.resources}
        return {name: amount for name, amount in amounts.items() if amount is not None}

    def _number(self, name: str, *, whole: bool = False) -> int | Decimal | None:
        text = self.cleaned_data.get(name, "")
        if not text:
            return None
        try:
            return int(text) if whole else Decimal(text)
        except (ValueError, InvalidOperation):
            kind = "a whole number" if whole else "a number"
            self.add_error(name, f"{text!r} is not {kind}.")
            return None

    def _note(self, finding: FieldError) -> None:
        place = _FIELD.match(finding.path)
        name = place[1] if place else None
        if place and name == "requests" and place[2]:
            name = _REQUEST + place[2]
        self.add_error(name if name in self.fields else None, finding.message)


def read_pasted(text: str) -> list[Submission]:
    """
    Read pasted JSON: a list of workloads, or an object that has one under ``workloads``.

    Raises BadRequest with the path of everything that is wrong.
    """
    try:
        value = loads_exactly(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _not_json(f"This is not JSON at {place}: {error.msg}.") from error
    except RecursionError as error:
        raise _not_json("This is nested too deep.") from error
    except ValueError as error:
        raise _not_json(f"This is not JSON that can be read: {error}.") from error
    if isinstance(value, dict) and "workloads" in value:
        value = value["workloads"]
    return read_submissions(value)


def _not_json(message: str) -> BadRequest:
    return BadRequest([FieldError("json", "invalid_json", message)])
