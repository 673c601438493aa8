"""The YuniKorn dialect: partitions with hierarchical queues, limits and placement rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.collector import collector_paused
from console.dialects.joined_files import JoinedFiles
from console.dialects.lints.hierarchy import HierarchyLints
from console.dialects.source import read_source
from console.dialects.yunikorn.codes import YUNIKORN_CODES
from console.dialects.yunikorn.documents import CONFIGS, DEFAULTS
from console.dialects.yunikorn.editable import NUMBER_FIELDS
from console.dialects.yunikorn.job import JOB_SAMPLE, read_job
from console.dialects.yunikorn.job_codes import JOB_CODES
from console.dialects.yunikorn.json_schema import json_schema
from console.dialects.yunikorn.new_queue import NEW_QUEUES
from console.dialects.yunikorn.objects import RULE, VOCABULARY, hierarchy_objects
from console.dialects.yunikorn.reading import read_config
from console.engine.disciplines.hierarchy.spec import HierarchySpec

_PLAIN = re.compile(r"^partitions[ \t]*:", re.MULTILINE)
_MAP = re.compile(rf"\bname[\"']?[ \t]*:[ \t]*[\"']?(?:{CONFIGS}|{DEFAULTS})\b")
_SAMPLES = {
    "Namespaces, limits and templates": "namespaces.yaml",
    "Teams with priorities and preemption": "preemption.yaml",
    "Several partitions": "partitions.yaml",
}


def read(text: str | bytes, past: Mapping[str, PastSpec]) -> Reading:
    """Read *text* as a config; *past* is unused, because nothing in it is immutable."""
    with collector_paused():
        return read_config(read_source(text, stream=True))


def read_joined(joined: JoinedFiles) -> Reading:
    """Read files as one config: ConfigMaps, or the one file with partitions."""
    with collector_paused():
        return read_config(read_source(joined.text, stream=True, files=joined.files))


def recognizes(text: str) -> bool:
    """Return whether *text* has partitions, or a ConfigMap of YuniKorn."""
    return _PLAIN.search(text) is not None or _MAP.search(text) is not None


def samples() -> dict[str, str]:
    """Return the examples of the dialect, by title."""
    folder = files(__name__) / "samples"
    return {title: (folder / name).read_text("utf-8") for title, name in _SAMPLES.items()}


DIALECT = Dialect(
    name="yunikorn",
    title="YuniKorn",
    reference="yunikorn",
    empty_spec=HierarchySpec(),
    read=read,
    read_joined=read_joined,
    recognizes=recognizes,
    codes=(*YUNIKORN_CODES, *JOB_CODES),
    about_codes=(
        "What YuniKorn refuses in a config, in its check, at its start or as an update, and "
        "settings that do not have the expected effect."
    ),
    schema=json_schema,
    samples=samples,
    objects=hierarchy_objects,
    vocabulary=VOCABULARY,
    lints=HierarchyLints,
    number_fields=NUMBER_FIELDS,
    new_queues=NEW_QUEUES,
    movable_kind=RULE,
    read_job=read_job,
    job_sample=JOB_SAMPLE,
)
