"""Several manifest files are checked as one config, and each file keeps its own findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from console.configs.config_files import check_files
from console.dialects import dialects
from console.dialects.diagnostics import Diagnostic
from console.dialects.joined_files import JoinedFiles
from console.dialects.positions import apply_fix
from console.dialects.sarif import CheckedFile
from console.dialects.source import read_source
from tests.dialects.test_check_config import run

FLAVOR = """\
# Nodes.
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: spot }
"""
QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: research }
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{ name: spot, resources: [{ name: cpu, nominalQuota: 8 }] }]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: lq, namespace: ns }
spec: { clusterQueue: research }"""


def write(folder: Path, **texts: str) -> list[Path]:
    """Write files; return their paths in order."""
    paths = [folder / f"{name}.yaml" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, "utf-8", newline="")
    return paths


def test_files_may_refer_to_objects_of_each_other(tmp_path: Path):
    flavor, queue = write(tmp_path, flavor=FLAVOR, queue=QUEUE)
    assert run(queue)[1] == 1
    assert run(flavor, queue) == (
        f"{flavor}: no errors, no warnings\n\n{queue}: no errors, no warnings\n",
        0,
    )
    # The order of files does not matter, and a file of unknown dialect is read with the others.
    (empty,) = write(tmp_path, empty="# nothing yet\n")
    assert run(queue, empty, flavor)[1] == 0


def test_a_finding_is_shown_in_its_file_and_names_the_line_of_another(tmp_path: Path):
    flavor, queue = write(tmp_path, flavor=FLAVOR, queue=f"{QUEUE}\n---\n{FLAVOR}")
    output, status = run(flavor, queue)
    assert status == 1
    assert output == (
        f"{flavor}: no errors, no warnings\n"
        "\n"
        f'{queue}:19:19: error KUE003 ResourceFlavor "spot" is already used on line 4 of '
        f"{flavor}.\n"
        "  metadata: { name: spot }\n"
        "                    ^^^^\n"
        "  Rename or remove one of the two.\n"
        "\n"
        f"{queue}: 1 error, no warnings\n"
    )


def test_paths_and_fixes_are_those_of_the_file(tmp_path: Path):
    other = FLAVOR.replace("spot", "other")
    flavor, queue = write(tmp_path, flavor=other, queue=QUEUE)
    output, _ = run(flavor, queue, "--format", "json")
    answer = json.loads(output)
    assert [(each["file"], each["ok"]) for each in answer["files"]] == [
        (str(flavor), True),
        (str(queue), False),
    ]
    (error,) = answer["files"][1]["diagnostics"]
    assert error["path"] == "[0].spec.resourceGroups[0].flavors[0].name"
    assert error["range"] == {"line": 9, "column": 25, "end_line": 9, "end_column": 29}
    configs = check_files([("a", other.encode()), ("b", QUEUE.encode())], None)
    (found,) = [d for d in configs[0].files[1].findings if d.code == "KUE026"]
    (fix,) = found.fixes
    # The file does not end with a newline.
    after = apply_fix(QUEUE, fix)
    assert after == (
        f"{QUEUE}\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
        "metadata: { name: spot }\n"
    )


def test_sarif_has_each_finding_at_its_file(tmp_path: Path):
    flavor, queue = write(tmp_path, flavor=f"{FLAVOR}spec: 3\n", queue=f"{QUEUE}\nstatus: {{}}\n")
    (sarif,) = json.loads(run(flavor, queue, "--format", "sarif")[0])["runs"]
    places = [
        (
            result["ruleId"],
            result["locations"][0]["physicalLocation"]["artifactLocation"]["index"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
            result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
        )
        for result in sarif["results"]
    ]
    assert places == [("DOC003", 0, 5, "spec"), ("KUE040", 1, 15, "[1].status")]


def test_files_that_are_not_yaml_suppress_other_findings(tmp_path: Path):
    flavor, queue, other = write(tmp_path, flavor="a: [\n", queue=QUEUE, other="b: 'c\n")
    output, status = run(flavor, queue, other, "--dialect", "kueue", "--format", "json")
    assert status == 1
    assert [
        (each["ok"], [(d["code"], d["range"]["line"]) for d in each["diagnostics"]])
        for each in json.loads(output)["files"]
    ] == [(False, [("YML001", 2)]), (True, []), (False, [("YML001", 2)])]


def test_files_of_two_dialects_are_separate_configs(tmp_path: Path):
    queue, native, flavor = write(
        tmp_path, queue=QUEUE, native="resource_queues: []", flavor=FLAVOR
    )
    output, status = run(queue, native, flavor)
    assert status == 0
    assert [line for line in output.splitlines() if "no errors" in line] == [
        f"{queue}: no errors, no warnings",
        f"{native}: no errors, no warnings",
        f"{flavor}: no errors, no warnings",
    ]


def test_failed_expectation_links_the_file_of_the_cause(tmp_path: Path):
    flavor, queue, expected = write(
        tmp_path,
        flavor=FLAVOR,
        queue=QUEUE,
        expected="""\
- name: a
  namespace: ns
  labels: { kueue.x-k8s.io/queue-name: lq }
  queue: other
""",
    )
    output, status = run(flavor, queue, "--expect", expected)
    assert status == 1
    assert f"  See {queue}:11:1.\n" in output


KUEUE = dialects()["kueue"]
BAD = sorted((Path(__file__).parent / "kueue" / "bad").glob("*.yaml"))


def codes_and_messages(findings: tuple[Diagnostic, ...]) -> list[tuple[str, str]]:
    """Return code and message of findings, without the lines that messages mention."""
    return sorted((d.code, d.message.partition(" is already used on ")[0]) for d in findings)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_split_stream_has_the_findings_of_the_stream(path: Path, size: int):
    text = path.read_text("utf-8")
    documents = text.split("\n---\n")
    texts = ["\n---\n".join(documents[n : n + size]) for n in range(0, len(documents), size)]
    files = [(f"{n}.yaml", each.encode()) for n, each in enumerate(texts)]
    (config,) = check_files(files, "kueue")
    checked: list[CheckedFile] = list(config.files)
    whole = check_files([("all.yaml", text.encode())], "kueue")[0].files[0].findings
    assert codes_and_messages(tuple(whole)) == codes_and_messages(
        tuple(d for file in checked for d in file.findings)
    )
    # Every finding is at the same line of text as in the stream.
    lines = text.splitlines()
    shown = sorted((d.code, lines[d.span.line - 1]) for d in whole)
    assert shown == sorted(
        (d.code, each.splitlines()[d.span.line - 1])
        for each, file in zip(texts, checked, strict=True)
        for d in file.findings
    )


@pytest.mark.parametrize(
    "texts",
    [
        ["a: 1", "b: 2\n"],
        ["# only words\n", "a: 1\n", ""],
        ["---\na: 1\n---\nb: 2\n", "%YAML 1.1\n---\nc: 3\n", "\ufeff# d\n\n--- {d: 4}\n"],
        ["a: |+\n  b\n\n", "--- # no text\n", "a: 1\n...\n", "c: 1\r\n", "d: 1\r"],
    ],
)
def test_joined_files_keep_their_documents(texts: list[str]):
    sources = [read_source(text, stream=True) for text in texts]
    assert all(source.roots for source in sources)
    joined = JoinedFiles(
        (str(n), source.positions.text, len(source.roots)) for n, source in enumerate(sources)
    )
    whole = read_source(joined.text, stream=True)
    assert whole.findings.diagnostics() == ()
    assert len(whole.roots) == sum(len(source.roots) for source in sources)
    lines = joined.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for start, source in zip(joined.files, sources, strict=True):
        first = source.positions.text.replace("\r", "\n").split("\n")[0]
        assert lines[start.line - 1] == first
