"""The command that checks config files: output, exit status and formats."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from console.configs.expectation_files import CODES, read_expectation_file
from console.dialects.lints import lint
from console.dialects.native import DIALECT
from console.dialects.render import findings_to_json

BAD = """\
resource_flavors:
  - name: spot
resource_queues:
  - name: q
    resource_groups:
      - covered_resources: [memory]
        flavors: [{ name: spto }]
scheduling_rules:
\t- resource_queue: q
"""
WARNED = "resource_queues:\n- name: q\n"
ROOT = Path(__file__).parents[2]


def run(*arguments: Path | str) -> tuple[str, int]:
    """Run the command in this process; return its output and exit status."""
    out = io.StringIO()
    status = 0
    try:
        call_command("check_config", *map(str, arguments), stdout=out)
    except SystemExit as stop:
        status = int(stop.code or 0)
    return out.getvalue(), status


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a path for a config file."""
    return tmp_path / "config.yaml"


def test_errors_are_shown_with_their_line_and_a_caret(config: Path):
    config.write_text(BAD.replace("\t", "  "))
    output, status = run(config)
    assert status == 1
    assert output == (
        f'{config}:6:29: error NAT003 "memory" is not a resource; use gpu, cpu, memory_gb or tpu.\n'
        "        - covered_resources: [memory]\n"
        "                              ^^^^^^\n"
        "  Use memory_gb, counted in GiB.\n"
        "\n"
        f'{config}:7:27: error NAT002 Flavor "spto" is not defined in resource_flavors.\n'
        "          flavors: [{ name: spto }]\n"
        "                            ^^^^\n"
        '  Did you mean "spot"?\n'
        "\n"
        f"{config}: 2 errors, no warnings\n"
    )


def test_caret_position_with_tabs(config: Path):
    config.write_text(BAD)
    output, status = run(config)
    assert status == 1
    assert output.splitlines()[1:3] == ["   - resource_queue: q", "  ^"]


def test_control_characters_are_escaped_in_output(config: Path):
    config.write_bytes('a\u202eb: "\x1b[2J"\n'.encode())
    printed, status = run(config)
    assert printed == (
        f"{config}:1:7: error YML003 The character U+001B is not allowed in YAML text.\n"
        '  a\ufffdb: "\ufffd[2J"\n'
        "        ^\n"
        "  Remove it, or write it as an escape in double quotes.\n"
        "\n"
        f"{config}: 1 error, no warnings\n"
    )
    assert status == 1


def test_warnings_alone_pass(config: Path):
    config.write_text(WARNED)
    output, status = run(config)
    assert status == 0
    assert output.startswith(f"{config}:2:9: warning NAT022 No rule routes to queue")
    assert output.endswith(f"{config}: no errors, 1 warning\n")


def test_dialect_of_a_file_is_detected(config: Path):
    config.write_text("apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: { name: a }\n")
    output, status = run(config)
    assert status == 0
    assert output.startswith(f"{config}:3:19: warning KUE059 No ClusterQueue is in cohort")
    output, status = run(config, "--dialect", "native")
    assert status == 1
    assert output.startswith(f"{config}:1:1: error DOC001")


def test_a_sound_config_passes(config: Path):
    config.write_text("{}")
    assert (f"{config}: no errors, no warnings\n", 0) == run(config)


@pytest.mark.parametrize("text", [BAD, WARNED, "{}", "a: 'b"])
def test_json_output_equals_the_api_response(config: Path, text: str):
    config.write_text(text)
    output, status = run(config, "--format", "json", "--dialect", "native")
    answer = json.loads(output)
    assert answer == findings_to_json(lint(DIALECT, DIALECT.read(text, {})).findings)
    assert list(answer) == ["ok", "diagnostics", "lints"]
    assert all(finding["severity"] == "error" for finding in answer["diagnostics"])
    assert not any(finding["severity"] == "error" for finding in answer["lints"])
    assert (status == 0) == answer["ok"] == (answer["diagnostics"] == [])


def test_json_and_sarif_link_the_page_of_codes(config: Path):
    config.write_text(WARNED)
    page = "https://sluice.example/o/research/config/codes"
    output, _ = run(config, "--format", "json")
    assert [each["doc_url"] for each in json.loads(output)["lints"]] == [None]
    output, _ = run(config, "--format", "json", "--codes-url", f"{page}#top")
    assert [each["doc_url"] for each in json.loads(output)["lints"]] == [f"{page}#NAT022"]
    output, _ = run(config, "--format", "sarif", "--codes-url", page)
    rules = json.loads(output)["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["helpUri"] for rule in rules] == [f"{page}#NAT022"]
    output, _ = run(config, "--format", "sarif")
    rules = json.loads(output)["runs"][0]["tool"]["driver"]["rules"]
    assert ["helpUri" in rule for rule in rules] == [False]


@pytest.mark.parametrize("url", ["config/codes", "javascript:alert(1)", "https://", "http://a b"])
def test_invalid_url_of_the_page_of_codes_is_rejected(config: Path, url: str):
    config.write_text(WARNED)
    with pytest.raises(CommandError, match="is not a URL that begins with http"):
        run(config, "--codes-url", url)


def test_unreadable_file_is_reported_in_one_sentence(tmp_path: Path):
    with pytest.raises(CommandError, match=r"nowhere\.yaml cannot be read: No such file") as error:
        run(tmp_path / "nowhere.yaml")
    assert error.value.returncode == 2


def test_standard_input_and_binary_input_need_no_database():
    done = subprocess.run(
        [sys.executable, "manage.py", "check_config", "-"],
        input=b"a: \xff\n",
        capture_output=True,
        cwd=ROOT,
        check=False,
        env={"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "PATH": ""},
    )
    assert done.returncode == 1
    assert done.stdout.decode().startswith("<stdin>:1:4: error YML002 The byte 0xff is not UTF-8.")


def test_long_lines_are_truncated_around_the_caret(config: Path):
    config.write_text("resource_flavors: [" + "{ name: a }, " * 200 + "]")
    output, _ = run(config)
    assert max(len(line) for line in output.splitlines()[1:3]) <= 122
    assert output.splitlines()[1][output.splitlines()[2].index("^")] == "a"


SOUND = """\
resource_queues:
  - name: research
  - name: default
scheduling_rules:
  - resource_queue: research
    selector: [{key: team, operator: in, values: [ml]}]
    priority_policy: {default: 50}
  - resource_queue: default
"""
EXPECTED = """\
expectations:
  - name: ml reaches its queue
    labels: {team: ml}
    queue: research
    effective_priority: 50
  - name: others wait with the rest
    labels: {team: web}
    queue: default
"""


def test_several_files_are_several_configs(tmp_path: Path):
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("{}")
    bad.write_text("resource_queues: 3\n")
    output, status = run(good, bad)
    assert status == 1
    assert output.startswith(f"{good}: no errors, no warnings\n\n{bad}:1:18: error DOC004")
    assert output.endswith(f"{bad}: 1 error, no warnings\n")
    output, status = run(good, bad, "--format", "json")
    answer = json.loads(output)
    assert status == 1
    assert (answer["ok"], [(each["file"], each["ok"]) for each in answer["files"]]) == (
        False,
        [(str(good), True), (str(bad), False)],
    )
    assert answer["files"][1]["diagnostics"] == [
        DIALECT.read("resource_queues: 3\n", {}).errors[0].to_json()
    ]
    assert run(good, good) == (
        f"{good}: no errors, no warnings\n\n{good}: no errors, no warnings\n",
        0,
    )


def test_strict_fails_on_warnings(config: Path):
    config.write_text(WARNED)
    assert run(config)[1] == 0
    assert run(config, "--strict")[1] == 1
    config.write_text("{}")
    assert run(config, "--strict")[1] == 0


def test_standard_input_is_read_once():
    with pytest.raises(CommandError, match="read once only") as error:
        run("-", "-")
    assert error.value.returncode == 2


def test_met_expectations_have_no_output(config: Path, tmp_path: Path):
    config.write_text(SOUND)
    expected = tmp_path / "expected.yaml"
    expected.write_text(EXPECTED)
    output, status = run(config, "--expect", expected)
    assert (status, output) == (
        0,
        f"{config}: no errors, no warnings\n\n{expected}: no errors, no warnings\n",
    )


def test_failed_expectation_is_shown_with_the_line_of_the_config(config: Path, tmp_path: Path):
    config.write_text(SOUND.replace("default: 50", "default: 60").replace("[ml]", "[ml, web]"))
    expected = tmp_path / "expected.yaml"
    expected.write_text(EXPECTED)
    output, status = run(config, "--expect", expected)
    assert status == 1
    assert output == (
        f"{config}: no errors, no warnings\n"
        "\n"
        f"{expected}:5:5: error EXP001 ml reaches its queue is expected in research with priority "
        "50. Rule 1 routes it to research with priority 60.\n"
        "      effective_priority: 50\n"
        "      ^^^^^^^^^^^^^^^^^^\n"
        f"  See {config}:5:5.\n"
        "\n"
        f"{expected}:8:5: error EXP001 others wait with the rest is expected in default. Rule 1 "
        "routes it to research with priority 60.\n"
        "      queue: default\n"
        "      ^^^^^\n"
        f"  See {config}:5:5.\n"
        "\n"
        f"{expected}: 2 errors, no warnings\n"
    )


def test_expectations_are_not_checked_if_the_config_has_errors(config: Path, tmp_path: Path):
    config.write_text("resource_queues: 3\n")
    expected = tmp_path / "expected.yaml"
    expected.write_text(EXPECTED)
    output, status = run(config, "--expect", expected, "--format", "json")
    files = json.loads(output)["files"]
    assert status == 1
    assert [(each["file"], each["ok"]) for each in files] == [
        (str(config), False),
        (str(expected), True),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "- {name: a, queue: null}\n- {name: a, queue: q}",
            [("EXP002", 2, "expectations[1].name")],
        ),
        ("expectation: []", [("EXP002", 1, "expectation"), ("EXP002", 1, "expectations")]),
        ("3", [("EXP002", 1, "")]),
        ("[]", [("EXP002", 1, "expectations")]),
        (
            "expectations:\n- {queue: q}\n- name: b\n  queue: q\n  labels:\n    size: 8",
            [
                ("EXP002", 2, "expectations[0].name"),
                ("EXP002", 6, "expectations[1].labels.size"),
            ],
        ),
        ("a: 'b", [("YML001", 1, "")]),
        ("", [("EXP002", 1, "")]),
    ],
)
def test_invalid_expectation_file_has_findings_with_positions(
    tmp_path: Path, text: str, found: list[tuple[str, int, str]]
):
    file = read_expectation_file(text.encode())
    assert file.expectations == ()
    assert sorted((d.code, d.span.line, d.path) for d in file.findings) == sorted(found)


def test_malformed_expectation_file_has_no_expectations():
    for raw in (b"\xff", b"\x00", b"- - - [", b"{" * 200, b"a: &a [*a]"):
        assert read_expectation_file(raw).expectations == ()


def test_the_codes_of_expectations_are_documented():
    page = (ROOT / "docs" / "gitops.md").read_text("utf-8")
    for code in CODES:
        assert f"### {code.code} {code.title}\n\n*{code.severity.value}*. {code.advice}\n" in page
