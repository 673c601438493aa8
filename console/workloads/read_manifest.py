"""Manifests: workloads described in the form of the active config language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from console.dialects import dialects
from console.dialects.base import Dialect, FieldPlace, JobReading
from console.dialects.diagnostics import Diagnostic, Severity
from console.engine.model.policy import Policy
from console.errors import BadRequest, ConsoleError, FieldError
from console.expensive import CHEAP_TEXT
from console.reading.exact_json import loads_exactly
from console.workloads.submissions import RESERVED, Submission, read_submissions

#: Maximum size of a manifest in bytes. Reading a manifest is a cheap request.
LARGEST: Final = CHEAP_TEXT

#: The path of the only submission in errors of `read_submissions`.
_ONLY: Final = "workloads[0]."
#: Field of a submission -> the label of a manifest that sets the field.
_LABELS: Final = {name: f"tags.{key}" for key, name in RESERVED.items()}

#: Fields of a submission that no manifest sets.
_IDENTITY: Final = frozenset({"user", "groups"})


class NoManifests(ConsoleError):
    """The active config language has no manifests; *title* is the title of the language."""

    status = 415
    title = "The config language has no manifests"

    def __init__(self, title: str) -> None:
        super().__init__(
            "no_manifests",
            f"The config language {title} has no manifests; send workloads as JSON with "
            "Content-Type: application/json.",
        )


class ManifestRejected(ConsoleError):
    """The manifest has errors; *findings* are all of its diagnostics."""

    title = "The manifest has errors"

    def __init__(self, findings: tuple[Diagnostic, ...]) -> None:
        count = sum(each.severity is Severity.ERROR for each in findings)
        super().__init__(
            "manifest_rejected",
            f"The manifest has {count} error{'s' if count != 1 else ''}; no workload was "
            "submitted.",
        )
        self.findings = findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The submission that a manifest describes, and its warnings and notes."""

    submission: Submission
    findings: tuple[Diagnostic, ...]


def manifest_language(policy: Policy) -> Dialect | None:
    """Return the language of *policy* if the language has manifests."""
    language = dialects()[policy.dialect]
    return language if language.read_job is not None else None


def read_manifest(policy: Policy, text: bytes) -> Manifest:
    """
    Read *text* as a manifest in the language of *policy*, the active one.

    Raises NoManifests, ManifestRejected, and BadRequest if a value exceeds a limit of workloads.
    """
    language = dialects()[policy.dialect]
    if language.read_job is None:
        raise NoManifests(language.title)
    if len(text) > LARGEST:
        message = f"A manifest has at most {LARGEST:,} bytes; this one has {len(text):,}."
        raise BadRequest([FieldError("", "too_long", message)])
    reading = language.read_job(text, policy)
    return Manifest(submission=_submission(reading), findings=reading.diagnostics)


def _submission(reading: JobReading) -> Submission:
    """
    Return the submission of *reading*; labels with a reserved key set the fields of these labels.

    It has no user and no groups, which are those of the submitter.

    Raises ManifestRejected or BadRequest.
    """
    if reading.job is None:
        raise ManifestRejected(reading.diagnostics)
    # A manifest is written by its submitter, so the user and groups that it names prove nothing.
    fields = {name: value for name, value in reading.job.items() if name not in _IDENTITY}
    tags = dict(fields.get("tags") or {})
    fields |= {name: tags.pop(key) for key, name in RESERVED.items() if key in tags}
    # Written and read as JSON, so that all numbers are exact.
    value = loads_exactly(json.dumps(fields | {"tags": tags}))
    try:
        (submission,) = read_submissions([value])
    except BadRequest as error:
        errors = [_placed(each, reading.places) for each in error.errors]
        raise BadRequest(errors, error.message) from error
    return submission


def _placed(error: FieldError, places: Mapping[str, FieldPlace]) -> FieldError:
    """Return *error* with its place in the manifest instead of the path in the submission."""
    path = error.path.removeprefix(_ONLY)
    path = _LABELS.get(path, path)
    fitting = [name for name in places if path == name or path.startswith((f"{name}.", f"{name}["))]
    if not fitting:
        return FieldError(path, error.code, error.message)
    name = max(fitting, key=len)
    place = places[name]
    message = f"Line {place.span.line}, column {place.span.column}: {error.message}"
    return FieldError(place.path + path.removeprefix(name), error.code, message)
