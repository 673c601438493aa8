"""The KAI dialect: queues, priority classes, nodes and the settings of the scheduler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.collector import collector_paused
from console.dialects.findings import ReadingStopped
from console.dialects.joined_files import JoinedFiles
from console.dialects.kai.checks import check
from console.dialects.kai.codes import KAI_CODES
from console.dialects.kai.compile import compile_policy
from console.dialects.kai.editable import NUMBER_FIELDS
from console.dialects.kai.job import JOB_SAMPLE, read_job
from console.dialects.kai.job_codes import JOB_CODES
from console.dialects.kai.json_schema import json_schema
from console.dialects.kai.manifests import QUEUE_GROUP, SHARD_GROUP
from console.dialects.kai.new_queue import NEW_QUEUES
from console.dialects.kai.objects import VOCABULARY, fairshare_objects
from console.dialects.kai.parse import parse
from console.dialects.lints.fairshare import FairshareLints
from console.dialects.source import Source, read_source
from console.engine.disciplines.fairshare.spec import FairshareSpec

_API_VERSION = re.compile(
    rf"\bapiVersion[\"']?[ \t]*:[ \t]*[\"']?(?:{re.escape(QUEUE_GROUP)}|{re.escape(SHARD_GROUP)})/"
)
_SAMPLES = {
    "Queues of a team, and a burst queue": "team-and-burst.yaml",
    "Departments of a lab, with nodes": "departments.yaml",
    "A burst queue beside a guaranteed one": "burst.yaml",
}


def read(text: str | bytes, past: Mapping[str, PastSpec]) -> Reading:
    """Read *text* as objects; *past* is unused, because nothing in them is immutable."""
    with collector_paused():
        return _read(read_source(text, stream=True))


def read_joined(joined: JoinedFiles) -> Reading:
    """Read files of objects as one config."""
    with collector_paused():
        return _read(read_source(joined.text, stream=True, files=joined.files))


def _read(source: Source) -> Reading:
    findings = source.findings
    if not source.roots:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    try:
        document = parse(source.roots, findings)
        check(document, findings)
    except ReadingStopped:
        pass
    if findings.has_errors:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    policy = compile_policy(document, source.positions)
    return Reading(diagnostics=findings.diagnostics(), policy=policy, queue_specs={}, source=source)


def recognizes(text: str) -> bool:
    """Return whether *text* has an object of KAI."""
    return _API_VERSION.search(text) is not None


def samples() -> dict[str, str]:
    """Return the examples of the dialect, by title."""
    folder = files(__name__) / "samples"
    return {title: (folder / name).read_text("utf-8") for title, name in _SAMPLES.items()}


DIALECT = Dialect(
    name="kai",
    title="KAI",
    reference="kai",
    empty_spec=FairshareSpec(),
    read=read,
    read_joined=read_joined,
    recognizes=recognizes,
    codes=(*KAI_CODES, *JOB_CODES),
    about_codes=(
        "What KAI refuses in its objects, and problems that it does not report: queues that run "
        "nothing, absent limits and weights, and numbers in other units."
    ),
    schema=json_schema,
    samples=samples,
    objects=fairshare_objects,
    vocabulary=VOCABULARY,
    lints=FairshareLints,
    number_fields=NUMBER_FIELDS,
    new_queues=NEW_QUEUES,
    read_job=read_job,
    job_sample=JOB_SAMPLE,
)
