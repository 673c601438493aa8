"""The Kueue dialect: Kubernetes manifests as kubectl prints them, in v1beta1 and v1beta2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.collector import collector_paused
from console.dialects.findings import ReadingStopped
from console.dialects.joined_files import JoinedFiles
from console.dialects.kueue.checks import check
from console.dialects.kueue.codes import ERRORS
from console.dialects.kueue.compile import compile_policy
from console.dialects.kueue.editable import NUMBER_FIELDS
from console.dialects.kueue.json_schema import json_schema
from console.dialects.kueue.lint_codes import LINTS
from console.dialects.kueue.lints import lint
from console.dialects.kueue.manifests import GROUP, OPENSHIFT_GROUP
from console.dialects.kueue.new_queue import NEW_QUEUES
from console.dialects.kueue.parse import parse
from console.dialects.lints.quota import QuotaLints
from console.dialects.source import Source, read_source
from console.engine.disciplines.quota.policy_objects import VOCABULARY, quota_objects
from console.engine.disciplines.quota.spec import QuotaSpec

_HEADER = re.compile(r"\bapiVersion[\"']?[ \t]*:")
_OWN = re.compile(rf"{re.escape(GROUP)}|{re.escape(OPENSHIFT_GROUP)}")
#: A group of objects that Kubernetes does not have itself, such as those of another scheduler.
_FOREIGN = re.compile(_HEADER.pattern + r"[ \t]*[\"']?(?![\w.-]*\bk8s\.io/)[\w-]+\.[\w.-]+/")
_KIND = r"\bkind[\"']?[ \t]*:[ \t]*[\"']?"
#: ConfigMaps hold configs of any product.
_MAP = re.compile(rf"{_KIND}ConfigMap\b")
_NO_MAP = re.compile(rf"{_KIND}(?!ConfigMap\b|ConfigMapList\b|List\b)\w")
_SAMPLES = {
    "Two teams share one cohort": "two-teams.yaml",
    "Forty queues, as kubectl prints them": "forty-queues.yaml",
}


def read(text: str | bytes, past: Mapping[str, PastSpec]) -> Reading:
    """Read *text* as manifests of Kueue; *past* is unused, because nothing in them is immutable."""
    with collector_paused():
        return _read(read_source(text, stream=True))


def read_joined(joined: JoinedFiles) -> Reading:
    """Read files of manifests as one config."""
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
    lint(document, policy, findings)
    return Reading(diagnostics=findings.diagnostics(), policy=policy, queue_specs={}, source=source)


def recognizes(text: str) -> bool:
    """Return whether *text* has a manifest, and not only manifests of other products."""
    if _OWN.search(text) is not None:
        return True
    if _MAP.search(text) is not None and _NO_MAP.search(text) is None:
        return False
    return _HEADER.search(text) is not None and _FOREIGN.search(text) is None


def samples() -> dict[str, str]:
    """Return the examples of the dialect, by title."""
    folder = files(__name__) / "samples"
    return {title: (folder / name).read_text("utf-8") for title, name in _SAMPLES.items()}


DIALECT = Dialect(
    name="kueue",
    title="Kueue",
    reference="kueue-reference",
    empty_spec=QuotaSpec(),
    read=read,
    read_joined=read_joined,
    recognizes=recognizes,
    codes=(*ERRORS, *LINTS),
    about_codes=(
        "What Kueue refuses in its manifests, and problems that it does not report: rules between "
        "objects, and settings that do not have the expected effect."
    ),
    schema=json_schema,
    samples=samples,
    objects=quota_objects,
    vocabulary=VOCABULARY,
    lints=QuotaLints,
    number_fields=NUMBER_FIELDS,
    new_queues=NEW_QUEUES,
    equivalent_lints={
        "KUE056": "LNT008",
        "KUE057": "LNT008",
        "KUE062": "LNT009",
    },
)
