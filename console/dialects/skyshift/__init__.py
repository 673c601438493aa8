"""The SkyShift dialect: clusters, placement templates, filter policies and the scheduler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.collector import collector_paused
from console.dialects.diagnostics import Severity
from console.dialects.findings import Findings, ReadingStopped
from console.dialects.joined_files import JoinedFiles
from console.dialects.lints.codes import POLICY_CLUSTER_UNKNOWN
from console.dialects.lints.placement import PlacementLints
from console.dialects.skyshift.checks import check
from console.dialects.skyshift.codes import (
    DEFAULT_NOT_FIRST,
    SKYSHIFT_CODES,
    UNKNOWN_CLUSTER,
    UNKNOWN_PLUGIN,
)
from console.dialects.skyshift.compile import compile_policy
from console.dialects.skyshift.job import JOB_SAMPLE, read_job
from console.dialects.skyshift.json_schema import json_schema
from console.dialects.skyshift.listing import listed_clusters
from console.dialects.skyshift.live_schema import live_schema
from console.dialects.skyshift.manifests import KINDS
from console.dialects.skyshift.objects import VOCABULARY, placement_objects
from console.dialects.skyshift.parse import parse
from console.dialects.source import Source, read_source
from console.engine.disciplines.placement.spec import PlacementSpec

_KIND = re.compile(rf"\bkind[\"']?[ \t]*:[ \t]*[\"']?(?:{'|'.join(KINDS)})\b")
#: A field of all manifests of Kubernetes, some of which have kinds of the same names.
_API_VERSION = re.compile(r"\bapiVersion[\"']?[ \t]*:")
_ABOUT_PLUGINS = frozenset((UNKNOWN_PLUGIN.code, DEFAULT_NOT_FIRST.code))
_SAMPLES = {
    "Two clusters, dev and staging": "dev-and-staging.yaml",
    "Clusters by purpose and location, with a template": "purpose-and-location.yaml",
}


def read(text: str | bytes, past: Mapping[str, PastSpec]) -> Reading:
    """Read *text* as objects; *past* is unused, because nothing in them is immutable."""
    with collector_paused():
        return _read(read_source(text, stream=True))


def read_joined(joined: JoinedFiles) -> Reading:
    """Read files of objects as one config."""
    with collector_paused():
        return _read(read_source(joined.text, stream=True, files=joined.files))


def read_applied(text: str) -> Reading:
    """Read a text that was applied, although plugins that it lists may be missing now."""
    with collector_paused():
        return _read(read_source(text, stream=True), is_applied=True)


def _read(source: Source, *, is_applied: bool = False) -> Reading:
    findings = source.findings
    if not source.roots:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    try:
        document = parse(source.roots, findings)
        check(document, findings)
    except ReadingStopped:
        pass
    if findings.has_errors and not (is_applied and _lacks_only_plugins(findings)):
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    policy = compile_policy(document, source.positions)
    return Reading(diagnostics=findings.diagnostics(), policy=policy, queue_specs={}, source=source)


def _lacks_only_plugins(findings: Findings) -> bool:
    """Return whether all errors are about plugins, which depend on the installed packages."""
    return all(
        each.code in _ABOUT_PLUGINS
        for each in findings.diagnostics()
        if each.severity is Severity.ERROR
    )


def recognizes(text: str) -> bool:
    """Return whether *text* has an object of a config, and none of Kubernetes."""
    return _KIND.search(text) is not None and _API_VERSION.search(text) is None


def samples() -> dict[str, str]:
    """Return the examples of the dialect, by title."""
    folder = files(__name__) / "samples"
    return {title: (folder / name).read_text("utf-8") for title, name in _SAMPLES.items()}


DIALECT = Dialect(
    name="skyshift",
    title="SkyShift",
    reference="skyshift",
    empty_spec=PlacementSpec(),
    read=read,
    read_joined=read_joined,
    read_applied=read_applied,
    recognizes=recognizes,
    codes=SKYSHIFT_CODES,
    about_codes=(
        "What SkyShift refuses in its objects and jobs, and problems that it does not report: "
        "misspelled fields, names that it changes, and conditions without effect."
    ),
    schema=json_schema,
    live_schema=live_schema,
    samples=samples,
    objects=placement_objects,
    vocabulary=VOCABULARY,
    lints=PlacementLints,
    equivalent_lints={UNKNOWN_CLUSTER.code: POLICY_CLUSTER_UNKNOWN.code},
    read_job=read_job,
    listed_clusters=listed_clusters,
    job_sample=JOB_SAMPLE,
)
