"""Jobs as submissions: every field, every unit, and marked Jobs with mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.base import FieldPlace
from console.dialects.diagnostics import Severity
from console.dialects.positions import apply_fix
from console.dialects.skyshift import DIALECT, read_job
from console.engine.model.origin import Origin
from console.reading.exact_json import loads_exactly
from console.workloads.submissions import read_submissions
from tests.dialects.carets import actual_findings, expected_findings
from tests.dialects.skyshift.texts import job
from tests.dialects.test_contract import RELAXED, SCRAPS, check_diagnostic

FOLDER = Path(__file__).parent / "jobs"
MARKED = [pytest.param(path, id=path.stem) for path in sorted(FOLDER.glob("*.yaml"))]
MEGABYTE = 2**20

#: A policy with a template.
POLICY: Final = DIALECT.read(
    "kind: PlacementTemplate\nmetadata: { name: development }\nspec: {}\n", {}
).policy

MY_JOB = """\
{
    "kind": "Job",
    "metadata": {
        "name": "my-job"
    },
    "spec": {
        "replicas": "1",
        "image": "ubuntu:latest",
        "resources": {
            "cpus": "1",
            "memory": "128"
        },
        "run": "echo hello; sleep 300",
        "placement": {
            "filters": [{
                "name": "filter-1",
                "match_labels": {"purpose": "dev"},
                "match_expressions": [{"key": "location", "operator": "NotIn", "values": ["eu"]}]
            }],
            "preferences": [
                {"name": "pref-1", "match_labels": {"purpose": "dev"}, "weight": 100},
                {"name": "pref-2", "match_labels": {"location": "us"}, "weight": "50"}
            ]
        }
    }
}
"""


def requests(text: str) -> dict[str, Any]:
    """Return the requests of one replica."""
    reading = read_job(text)
    assert reading.job is not None, reading.diagnostics
    (pod_set,) = reading.job["pod_sets"]
    return pod_set["requests"]


def codes(text: str) -> list[str]:
    """Return the codes of the findings in *text*."""
    return [each.code for each in read_job(text).diagnostics]


def test_job_of_the_documentation() -> None:
    reading = read_job(MY_JOB)
    assert reading.job == {
        "name": "my-job",
        "namespace": "default",
        "tags": {},
        "pod_sets": [
            {
                "name": "main",
                "count": 1,
                "requests": {"cpu": 1, "memory": 131_072 * MEGABYTE},
            }
        ],
        "placement": {
            "filters": [
                {
                    "name": "filter-1",
                    "match_labels": {"purpose": "dev"},
                    "match_expressions": [
                        {"key": "location", "operator": "NotIn", "values": ["eu"]}
                    ],
                }
            ],
            "preferences": [
                {"name": "pref-1", "match_labels": {"purpose": "dev"}, "weight": 100},
                {"name": "pref-2", "match_labels": {"location": "us"}, "weight": 50},
            ],
        },
    }
    assert [(each.code, each.severity, each.message) for each in reading.diagnostics] == [
        ("SKY042", Severity.INFO, "Not used for the placement of workloads: image and run."),
        (
            "SKY051",
            Severity.WARNING,
            'memory: "128" has no unit, and SkyShift takes it for 128 GB (131,072 MB).',
        ),
    ]


def test_every_field() -> None:
    text = """\
kind: Job
metadata: { name: train, namespace: research, labels: { app: web, empty: "" } }
spec:
  replicas: 3
  resources: { cpus: 0.5, memory: 512, disk: 1T, A100: 2 }
  placement: { template: my-job, filters: [], preferences: [] }
"""
    reading = read_job(text)
    assert reading.diagnostics == ()
    assert reading.job == {
        "name": "train",
        "namespace": "research",
        "tags": {"app": "web", "empty": ""},
        "pod_sets": [
            {
                "name": "main",
                "count": 3,
                "requests": {
                    "cpu": 0.5,
                    "memory": 512 * MEGABYTE,
                    "ephemeral-storage": 2**40,
                    "A100": 2,
                },
            }
        ],
        "placement": {"template": "my-job"},
    }


def test_fields_that_are_absent_have_their_defaults() -> None:
    reading = read_job("metadata: { name: j }")
    assert reading.diagnostics == ()
    assert reading.job == {
        "name": "j",
        "namespace": "default",
        "tags": {},
        "pod_sets": [{"name": "main", "count": 1, "requests": {}}],
    }


#: Size -> megabytes, and the codes of the findings.
SIZES = {
    "0": (None, []),
    '"0"': (None, []),
    "128": (128, []),
    "1.5": (1.5, []),
    '"128"': (131_072, ["SKY051"]),
    '"1.5"': (1536, ["SKY051"]),
    '"128 "': (131_072, ["SKY051"]),
    '"128x"': (131_072, ["SKY051"]),
    "128MB": (128, []),
    "128M": (128, []),
    "128Mi": (128, []),
    "128m": (128, []),
    "1.5g": (1536, []),
    "1GB": (1024, []),
    "1T": (1024**2, []),
    "1P": (1024**3, []),
    "1024K": (1, []),
    "1048576B": (1, []),
    "512B": (512 / MEGABYTE, []),
    '"0.001M"': (0.001, []),
    "128MX": (128, ["SKY054"]),
    '"1M 5"': (1, ["SKY054"]),
    '"128 Mi"': (None, ["SKY010"]),
    '"128 M"': (None, ["SKY010"]),
    "abc": (None, ["SKY010"]),
    "M128": (None, ["SKY010"]),
    '"-5"': (None, ["SKY010"]),
    '""': (None, ["SKY010"]),
    "-5": (None, ["DOC011"]),
    "1e3": (None, ["DOC015"]),
    "010": (None, ["DOC015"]),
    "true": (None, ["DOC009"]),
    "[1]": (None, ["DOC009"]),
    "0.0001": (None, ["DOC012"]),
    "0.0001G": (None, ["DOC012"]),
    "1E": (None, ["DOC014"]),
    f'"{"9" * 30}"': (None, ["DOC014"]),
    f'"{"9" * 300}"': (None, ["SKY010"]),
    "100000000000000": (None, ["DOC014"]),
    "null": (None, []),
}


@pytest.mark.parametrize("key", ["memory", "disk"])
@pytest.mark.parametrize(("size", "expected"), SIZES.items())
def test_size(key: str, size: str, expected: tuple[float | None, list[str]]) -> None:
    megabytes, found = expected
    text = job(f"{{ {key}: {size} }}")
    assert codes(text) == found
    if read_job(text).ok:
        name = "memory" if key == "memory" else "ephemeral-storage"
        wanted = {} if megabytes is None else {name: megabytes * MEGABYTE}
        assert requests(text) == wanted
    else:
        assert megabytes is None


@pytest.mark.parametrize(
    ("size", "fixes"),
    [
        ('"128"', ["128M", "128G"]),
        ('"1.5"', ["1.5M", "1.5G"]),
        ('"128 Mi"', ["128M"]),
        ("128MX", ["128M"]),
        ("abc", []),
    ],
)
def test_fixes_of_a_size(size: str, fixes: list[str]) -> None:
    text = job(f"{{ memory: {size} }}")
    (finding,) = read_job(text).diagnostics
    fixed = [apply_fix(text, fix) for fix in finding.fixes]
    assert fixed == [job(f"{{ memory: {each} }}") for each in fixes]
    assert all(read_job(each).diagnostics == () for each in fixed)


#: Resources -> requests, None if they are refused, and the codes of the findings.
RESOURCES = {
    "{}": ({}, []),
    "{ cpus: 0, gpus: 0, memory: 0, disk: 0, A100: 0 }": ({}, []),
    "{ cpus: 1 }": ({"cpu": 1}, []),
    '{ cpus: "1" }': ({"cpu": 1}, []),
    "{ cpus: 0.1 }": ({"cpu": 0.1}, []),
    "{ cpus: 0.0001 }": (None, ["DOC012"]),
    "{ cpus: -1 }": (None, ["DOC011"]),
    "{ cpus: one }": (None, ["DOC009"]),
    "{ cpus: 1K }": (None, ["DOC009"]),
    "{ gpus: 2 }": ({"gpus": 2}, []),
    "{ A100: 2 }": ({"A100": 2}, []),
    "{ A100: 2, T4: 1 }": ({"A100": 2, "T4": 1}, []),
    "{ gpus: 1, A100: 2 }": (None, ["SKY011"]),
    "{ gpus: 0, A100: 2 }": ({"A100": 2}, []),
    "{ gpus: 1, A100: 0 }": ({"gpus": 1}, []),
    "{ a100: 1 }": ({"a100": 1}, ["SKY052"]),
    "{ foo: 1 }": ({"foo": 1}, []),
    "{ RTX 2080: 1 }": ({"RTX 2080": 1}, []),
    "{ cpu: 1 }": (None, ["SKY012"]),
    "{ gpu: 1 }": (None, ["SKY012"]),
    "{ CPUS: 1 }": (None, ["SKY012"]),
    "{ ram: 1 }": (None, ["SKY012"]),
    "{ ephemeral-storage: 1 }": (None, ["SKY012"]),
    "{ pods: 1 }": (None, ["SKY012"]),
    '{ "": 1 }': (None, ["DOC006"]),
    "[cpus]": (None, ["DOC003"]),
}


@pytest.mark.parametrize(("resources", "expected"), RESOURCES.items())
def test_resources(resources: str, expected: tuple[dict[str, float] | None, list[str]]) -> None:
    wanted, found = expected
    text = job(resources)
    assert codes(text) == found
    if wanted is None:
        assert read_job(text).job is None
    else:
        assert requests(text) == wanted


@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        ("1", 1),
        ('"3"', 3),
        ("3.0", 3),
        ("null", 1),
        ("0", ["SKY013"]),
        ("-1", ["SKY013"]),
        ("1.5", ["DOC016"]),
        ("many", ["DOC009"]),
        ("3000000000", ["DOC014"]),
    ],
)
def test_replicas(replicas: str, expected: int | list[str]) -> None:
    text = job(replicas=replicas)
    reading = read_job(text)
    if isinstance(expected, int):
        assert reading.job is not None
        assert reading.job["pod_sets"][0]["count"] == expected
    else:
        assert codes(text) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [("DOC003", "")]),
        ("- a", [("DOC003", "")]),
        ("text", [("DOC003", "")]),
        ("a: [", [("YML001", "")]),
        ("kind: Cluster\nmetadata: { name: j }", [("SKY009", "kind")]),
        ("kind: job\nmetadata: { name: j }", [("SKY009", "kind")]),
        ("kind: Job", [("DOC002", "metadata")]),
        ("metadata: {}", [("DOC002", "metadata.name")]),
        ("metadata: { name: J }", [("SKY004", "metadata.name")]),
        ('metadata: { name: j, namespace: "" }', [("DOC006", "metadata.namespace")]),
        ("metadata: { name: j, labels: { a: 1 } }", [("DOC007", "metadata.labels.a")]),
        ("metadata: { name: j }\nspec: { placement: null }", [("DOC003", "spec.placement")]),
        ("metadata: { name: j }\nspec: { placement: [] }", [("DOC003", "spec.placement")]),
        ("metadata: { name: j }\nspec: { replica: 2 }", [("SKY053", "spec.replica")]),
        ("metadata: { name: j }\nspec: { bogus: 2 }", [("SKY053", "spec.bogus")]),
        ("metadata: { name: j }\n---\nkind: Job", [("YML008", "")]),
    ],
)
def test_findings_of_a_job(text: str, found: list[tuple[str, str]]) -> None:
    assert [(each.code, each.path) for each in read_job(text).diagnostics] == found


def test_misspelled_field_is_read_as_the_one_that_is_meant() -> None:
    reading = read_job("metadata: { name: j }\nspec: { replica: 2 }")
    assert reading.job is not None
    assert reading.job["pod_sets"][0]["count"] == 2


@pytest.mark.parametrize("path", MARKED)
def test_marked_job_has_the_expected_findings(path: Path) -> None:
    text = path.read_text("utf-8")
    reading = read_job(text, POLICY)
    assert expected_findings(text) == actual_findings(reading)
    for diagnostic in reading.diagnostics:
        for fix in diagnostic.fixes:
            after = actual_findings(read_job(apply_fix(text, fix), POLICY))
            count = [code for *_, code in after].count(diagnostic.code)
            assert count < [code for *_, code in actual_findings(reading)].count(diagnostic.code)


@pytest.mark.parametrize(
    "text",
    [
        MY_JOB,
        job("{ cpus: 0.125, memory: 1.5G, disk: 0.001, gpus: 1 }", replicas='"3"'),
        (FOLDER / "noticed.yaml").read_text("utf-8"),
    ],
)
def test_result_is_accepted_as_a_submission(text: str) -> None:
    reading = read_job(text)
    sent = loads_exactly(json.dumps([reading.job]))
    (submission,) = read_submissions(sent)
    (pod_set,) = submission.pod_sets
    assert pod_set.requests == {
        name: round(amount * 1000) for name, amount in requests(text).items()
    }
    assert (submission.placement or {}) == (reading.job or {}).get("placement", {})


def test_a_template_has_to_be_one_of_the_policy() -> None:
    text = job(placement="{ template: development }")
    unknown = text.replace("development", "staging")
    assert read_job(text, POLICY).ok
    assert read_job(unknown).ok
    (finding,) = read_job(unknown, POLICY).diagnostics
    assert (finding.code, finding.path, finding.message, finding.hint, finding.fixes) == (
        "SKY014",
        "spec.placement.template",
        'The config has no PlacementTemplate "staging".',
        "Templates of the config: development.",
        (),
    )
    (finding,) = read_job(text, DIALECT.empty_policy).diagnostics
    assert finding.hint == "The config has no PlacementTemplate."
    (finding,) = read_job(text.replace("development", "developmnt"), POLICY).diagnostics
    assert finding.hint == 'Did you mean "development"?'


def test_places_of_the_fields_of_the_submission() -> None:
    text = """\
kind: Job
metadata:
  name: j
  namespace: research
  labels: { team: a }
spec:
  replicas: 2
  resources: { cpus: 1 }
  placement: { template: t }
"""
    assert read_job(text).places == {
        "name": FieldPlace(path="metadata.name", span=Origin(3, 9, 3, 10)),
        "namespace": FieldPlace(path="metadata.namespace", span=Origin(4, 14, 4, 22)),
        "tags": FieldPlace(path="metadata.labels", span=Origin(5, 11, 5, 22)),
        "tags.team": FieldPlace(path="metadata.labels.team", span=Origin(5, 13, 5, 17)),
        "pod_sets[0].count": FieldPlace(path="spec.replicas", span=Origin(7, 3, 7, 11)),
        "pod_sets[0].requests": FieldPlace(path="spec.resources", span=Origin(8, 3, 8, 12)),
        "placement": FieldPlace(path="spec.placement", span=Origin(9, 3, 9, 12)),
    }
    assert read_job("metadata: {}").places == {}


@st.composite
def mutated_jobs(draw: st.DrawFn) -> str:
    """Draw a Job with parts removed, doubled or replaced by scraps."""
    text = draw(st.sampled_from([MY_JOB, *(path.read_text("utf-8") for path in FOLDER.iterdir())]))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        middle = draw(st.one_of(SCRAPS, st.just(text[start:end] * 2), st.just("")))
        text = text[:start] + middle + text[end:]
    return text


@RELAXED
@given(text=st.one_of(st.text(max_size=100), st.binary(max_size=100), mutated_jobs()))
def test_any_text_has_a_reading(text: str | bytes) -> None:
    reading = read_job(text)
    errors = [each for each in reading.diagnostics if each.severity is Severity.ERROR]
    assert reading.ok == (not errors) == (reading.job is not None)
    for diagnostic in reading.diagnostics:
        check_diagnostic(diagnostic)
    json.dumps(reading.job)


@RELAXED
@given(text=mutated_jobs())
def test_every_fix_removes_its_finding(text: str) -> None:
    for diagnostic in read_job(text).diagnostics:
        for fix in diagnostic.fixes:
            after = read_job(apply_fix(text, fix)).diagnostics
            assert not any(
                (each.code, each.message, each.path, each.span.line, each.span.column)
                == (
                    diagnostic.code,
                    diagnostic.message,
                    diagnostic.path,
                    diagnostic.span.line,
                    diagnostic.span.column,
                )
                for each in after
            ), (diagnostic, fix)
