"""Checks of config files: grouping of files into configs, and their diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from console.dialects import default_dialect, dialects, likely_dialect
from console.dialects.base import Dialect, Reading
from console.dialects.diagnostics import Diagnostic
from console.dialects.joined_files import JoinedFiles
from console.dialects.lints import Checked, lint
from console.dialects.sarif import CheckedFile
from console.dialects.source import read_source
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy


@dataclass(frozen=True, slots=True)
class CheckedConfig:
    """One checked config: its files with their diagnostics, and its policy."""

    files: Sequence[CheckedFile]
    #: Indexes of the files in the arguments, from 0.
    numbers: Sequence[int]
    #: None if a file has an error.
    policy: Policy | None
    #: Returns file, line and column of an origin in the policy.
    place: Callable[[Origin], str] = field(repr=False)


def check_files(files: Sequence[tuple[str, bytes]], dialect: str | None) -> list[CheckedConfig]:
    """
    Check *files*, pairs of name and content, in the language *dialect* or the detected one.

    In a language of document streams, all files are one config; in other languages, each file is a
    config.
    """
    languages = _languages([raw for _, raw in files], dialect)
    groups: dict[object, list[int]] = {}
    for index, language in enumerate(languages):
        key = language.name if language.read_joined is not None else index
        groups.setdefault(key, []).append(index)
    return [
        _check_together(languages[numbers[0]], numbers, [files[number] for number in numbers])
        if len(numbers) > 1
        else _check_one(languages[numbers[0]], numbers, *files[numbers[0]])
        for numbers in groups.values()
    ]


def _languages(texts: Sequence[bytes], name: str | None) -> list[Dialect]:
    """
    Return the language of each file.

    An unrecognized file gets the language of the document streams among the files, or the default.
    """
    if name is not None:
        return [dialects()[name]] * len(texts)
    likely = [likely_dialect(raw.decode("utf-8", "replace")) for raw in texts]
    streams = (each for each in likely if each is not None and each.read_joined is not None)
    otherwise = next(streams, default_dialect())
    return [each or otherwise for each in likely]


def _check_one(language: Dialect, numbers: Sequence[int], name: str, raw: bytes) -> CheckedConfig:
    # Earlier versions are only in the database, so no queue specs are fixed here.
    checked = lint(language, language.read(raw, {}))
    return CheckedConfig(
        [CheckedFile(name, raw, checked.findings)],
        numbers,
        checked.reading.policy,
        lambda origin: f"{name}:{origin.line}:{origin.column}",
    )


def _check_together(
    language: Dialect, numbers: Sequence[int], files: Sequence[tuple[str, bytes]]
) -> CheckedConfig:
    """Check files as one config; if a file has YAML errors, only YAML errors are reported."""
    sources = [read_source(raw, stream=True) for _, raw in files]
    joined = JoinedFiles(
        (name, source.positions.text, len(source.roots))
        for (name, _), source in zip(files, sources, strict=True)
    )
    unreadable = [source.findings.diagnostics() if not source.roots else () for source in sources]
    findings: Sequence[Sequence[Diagnostic]] = unreadable
    policy = None
    if not any(unreadable):
        checked = _read_joined(language, joined)
        findings, policy = joined.split(checked.findings), checked.reading.policy
    return CheckedConfig(
        [CheckedFile(name, raw, found) for (name, raw), found in zip(files, findings, strict=True)],
        numbers,
        policy,
        joined.place,
    )


def _read_joined(language: Dialect, joined: JoinedFiles) -> Checked:
    read: Callable[[JoinedFiles], Reading] | None = language.read_joined
    assert read is not None, language.name
    return lint(language, read(joined))
