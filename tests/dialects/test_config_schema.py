"""The command that writes JSON Schemas for editors."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from jsonschema import Draft202012Validator

from console.dialects import default_dialect, dialects


def run(*arguments: str) -> str:
    """Run the command in this process; return its output."""
    out = io.StringIO()
    call_command("config_schema", *arguments, stdout=out)
    return out.getvalue()


def test_schema_of_the_default_dialect_is_printed():
    assert json.loads(run()) == default_dialect().schema()


@pytest.mark.parametrize("name", sorted(dialects()))
def test_schema_is_valid_and_accepts_the_samples(name: str):
    schema = json.loads(run("--dialect", name))
    Draft202012Validator.check_schema(schema)
    for text in dialects()[name].samples().values():
        for document in yaml.safe_load_all(text):
            Draft202012Validator(schema).validate(document)


def test_every_language_has_a_file(tmp_path: Path):
    printed = run("--into", str(tmp_path / "schemas"))
    paths = [tmp_path / "schemas" / f"{name}.schema.json" for name in dialects()]
    assert printed.splitlines() == [str(path) for path in paths]
    for path, dialect in zip(paths, dialects().values(), strict=True):
        assert json.loads(path.read_text("utf-8")) == dialect.schema()


def test_unwritable_folder_is_reported_in_one_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match=r"file.* cannot be written: ") as error:
        run("--into", str(tmp_path / "file"))
    assert error.value.returncode == 2
