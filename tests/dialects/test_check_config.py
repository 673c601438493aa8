"""The command that checks a file, as people and scripts meet it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from console.dialects.native import DIALECT
from console.dialects.render import reading_to_json

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


def run(path: Path, *options: str) -> tuple[str, int]:
    """Run the command in this process; return what it prints and its exit status."""
    out = io.StringIO()
    status = 0
    try:
        call_command("check_config", str(path), *options, stdout=out)
    except SystemExit as stop:
        status = int(stop.code or 0)
    return out.getvalue(), status


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A place for a config file."""
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


def test_a_tab_does_not_move_the_caret(config: Path):
    config.write_text(BAD)
    output, status = run(config)
    assert status == 1
    assert output.splitlines()[1:3] == ["   - resource_queue: q", "  ^"]


def test_warnings_alone_pass(config: Path):
    config.write_text(WARNED)
    output, status = run(config)
    assert status == 0
    assert output.startswith(f"{config}:2:9: warning NAT022 No rule leads to queue")
    assert output.endswith(f"{config}: no errors, 1 warning\n")


def test_without_a_dialect_a_file_is_read_as_what_it_looks_like(config: Path):
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
def test_json_is_what_the_api_answers(config: Path, text: str):
    config.write_text(text)
    output, status = run(config, "--format", "json", "--dialect", "native")
    answer = json.loads(output)
    assert answer == reading_to_json(DIALECT.read(text, {}))
    assert list(answer) == ["ok", "diagnostics", "lints"]
    assert all(finding["severity"] == "error" for finding in answer["diagnostics"])
    assert not any(finding["severity"] == "error" for finding in answer["lints"])
    assert (status == 0) == answer["ok"] == (answer["diagnostics"] == [])


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path):
    with pytest.raises(CommandError, match=r"nowhere\.yaml cannot be read: No such file") as error:
        run(tmp_path / "nowhere.yaml")
    assert error.value.returncode == 2


def test_standard_input_and_bytes_that_are_no_text_need_no_database():
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


def test_long_lines_are_cut_around_the_mark(config: Path):
    config.write_text("resource_flavors: [" + "{ name: a }, " * 200 + "]")
    output, _ = run(config)
    assert max(len(line) for line in output.splitlines()[1:3]) <= 122
    assert output.splitlines()[1][output.splitlines()[2].index("^")] == "a"
