"""The command `check_config`: checks config files and expectations, for people and pipelines."""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.configs.config_files import CheckedConfig, check_files
from console.configs.expectation_files import CODES, ExpectationFile, read_expectation_file
from console.dialects import dialects
from console.dialects.catalogue import every_code
from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.render import findings_to_json, findings_to_text
from console.dialects.sarif import CheckedFile, to_sarif

_STDIN = "-"


class Command(BaseCommand):
    """Check files as configs, with exit status 1 for errors. Needs no database."""

    help = (
        "Check scheduler config files. The exit status is 1 when one has errors or breaks an "
        "expectation, and 2 when a file cannot be read."
    )
    # System checks, which need the database and settings of other apps, are not run.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "files",
            metavar="FILE",
            nargs="+",
            help="a config, or - for standard input; files of manifests are one config together",
        )
        parser.add_argument(
            "--dialect",
            choices=sorted(dialects()),
            help="the config language of all files (default: detected for each file)",
        )
        parser.add_argument(
            "--expect",
            metavar="FILE",
            action="append",
            default=[],
            help="file of expectations: label sets and their queues; can be repeated",
        )
        parser.add_argument(
            "--strict", action="store_true", help="exit status 1 for warnings as well"
        )
        parser.add_argument(
            "--format",
            choices=("text", "json", "sarif"),
            default="text",
            help="output format of the diagnostics",
        )
        parser.add_argument(
            "--codes-url",
            metavar="URL",
            type=_codes_page_url,
            help="URL of the page of diagnostic codes of your installation, for links in JSON "
            "and SARIF",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the diagnostics of all files."""
        names: list[str] = options["files"]
        if names.count(_STDIN) > 1:
            raise CommandError("Standard input can be read once only.", returncode=2)
        texts = [(_display_name(name), _read(name)) for name in names]
        expected = {name: _read(name) for name in options["expect"]}
        configs = check_files(texts, options["dialect"])
        checked = _in_order(configs)
        broken = [
            CheckedFile(name, raw, _expectation_findings(read_expectation_file(raw), configs))
            for name, raw in expected.items()
        ]
        self.stdout.write(_render(options["format"], checked, broken, options["codes_url"] or ""))
        if _fails([*checked, *broken], strict=options["strict"]):
            sys.exit(1)


def _in_order(configs: Sequence[CheckedConfig]) -> list[CheckedFile]:
    """Return the files of all configs in the order of the arguments."""
    files = {
        number: file
        for config in configs
        for number, file in zip(config.numbers, config.files, strict=True)
    }
    return [files[number] for number in sorted(files)]


def _expectation_findings(
    file: ExpectationFile, configs: Sequence[CheckedConfig]
) -> list[Diagnostic]:
    """Return the diagnostics of an expectation file and of the expectations that configs break."""
    found = list(file.findings)
    for config in configs:
        if config.policy is not None:
            found += file.check(config.policy, config.place)
    return sorted(found, key=lambda each: each.span)


def _render(
    form: str, configs: Sequence[CheckedFile], broken: Sequence[CheckedFile], codes_url: str
) -> str:
    files = [*configs, *broken]
    if form == "sarif":
        return json.dumps(to_sarif(files, (*every_code(), *CODES), codes_url), indent=2)
    if form == "text":
        return "\n\n".join(findings_to_text(f.findings, f.text, f.name) for f in files)
    if len(files) == 1:
        # In the format of the API response to a check.
        return _json(findings_to_json(files[0].findings, codes_url))
    answers = [{"file": file.name, **findings_to_json(file.findings, codes_url)} for file in files]
    return _json({"ok": all(each["ok"] for each in answers), "files": answers})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _fails(files: Sequence[CheckedFile], *, strict: bool) -> bool:
    bad = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return any(finding.severity in bad for file in files for finding in file.findings)


def _codes_page_url(text: str) -> str:
    """Return a URL without its fragment; SARIF does not accept relative URLs."""
    url, _, _ = text.partition("#")
    if not re.fullmatch(r"https?://[!-~]+", url):
        raise ArgumentTypeError(f"{text!r} is not a URL that begins with http:// or https://")
    return url


def _display_name(name: str) -> str:
    return "<stdin>" if name == _STDIN else name


def _read(name: str) -> bytes:
    if name == _STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.", returncode=2) from error
