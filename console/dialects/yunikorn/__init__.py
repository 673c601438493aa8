"""The YuniKorn dialect: partitions with hierarchical queues, limits and placement rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.collector import collector_paused
from console.dialects.findings import ReadingStopped
from console.dialects.joined_files import JoinedFiles
from console.dialects.source import Source, read_source
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.checks import check
from console.dialects.yunikorn.codes import YUNIKORN_CODES
from console.dialects.yunikorn.compile import compile_policy
from console.dialects.yunikorn.decode import Decoder
from console.dialects.yunikorn.documents import CONFIGS, DEFAULTS, Located, locate
from console.dialects.yunikorn.json_schema import json_schema
from console.dialects.yunikorn.library_types import CONFIG
from console.dialects.yunikorn.objects import VOCABULARY, hierarchy_objects
from console.dialects.yunikorn.parse import partitions_of
from console.dialects.yunikorn.problems import Problems
from console.dialects.yunikorn.schema import Document
from console.dialects.yunikorn.switches import read_switches
from console.dialects.yunikorn.validator import validator_message
from console.dialects.yunikorn.warnings import warn
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
        source = read_source(text, stream=True)
        if not source.roots and not source.findings.has_errors:
            return _read(source)
        if not source.roots and isinstance(text, str):
            source.findings.cite(validator_message(text)[0] or "")
        return _read(source)


def read_joined(joined: JoinedFiles) -> Reading:
    """Read files as one config: ConfigMaps, or the one file with partitions."""
    with collector_paused():
        return _read(read_source(joined.text, stream=True, files=joined.files))


def _read(source: Source) -> Reading:
    findings = source.findings
    if not source.roots:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    document: Document | None = None
    try:
        located = locate(source.roots, findings)
        problems = Problems(findings, read_switches(located.switches, findings))
        amounts = Amounts(problems)
        document = _document(located, problems)
        check(document, amounts, problems)
        warn(document, amounts, problems)
    except ReadingStopped:
        pass
    if findings.has_errors or document is None:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    policy = compile_policy(document, amounts, problems.compatibility, source.positions)
    return Reading(diagnostics=findings.diagnostics(), policy=policy, queue_specs={}, source=source)


def _document(located: Located, problems: Problems) -> Document:
    if located.root is None:
        return Document(settings=located.settings)
    decoder = Decoder(problems, located.first_line)
    config = decoder.struct(located.root, CONFIG, located.path)
    partitions = partitions_of(config) if config is not None else ()
    return Document(partitions=partitions, settings=located.settings)


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
    empty_spec=HierarchySpec(),
    read=read,
    read_joined=read_joined,
    recognizes=recognizes,
    codes=YUNIKORN_CODES,
    about_codes=(
        "What YuniKorn refuses in a config, in its check, at its start or as an update, and "
        "settings that do not have the expected effect."
    ),
    schema=json_schema,
    samples=samples,
    objects=hierarchy_objects,
    vocabulary=VOCABULARY,
)
