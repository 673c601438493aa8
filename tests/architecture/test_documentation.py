"""Documentation matches the repository: links, files, commands, versions, settings and reasons."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands

from console.engine.model.reasons import registered_reasons
from console.engine.wording.reasons import reason_title

ROOT = Path(__file__).resolve().parent.parent.parent

#: Folders with files of other projects.
_LEFT_OUT = {".git", ".venv", ".hypothesis", ".pytest_cache", "node_modules", "var", "vectors"}

DOCUMENTS = sorted(
    path for path in ROOT.rglob("*.md") if _LEFT_OUT.isdisjoint(path.relative_to(ROOT).parts)
)
EVERY = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))

_BLOCK = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)|\b(?:src|href|srcset)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")

#: Code spans that name a file or folder of the repository.
_FILE = re.compile(
    r"(?:console|tests|docs|templates|static|\.ci)/[\w./-]*|[\w-]+\.(?:md|toml|lock)"
)
_TARGET = re.compile(r"\bmake ([a-z]+)\b")
_COMMAND = re.compile(r"\bmanage\.py ([a-z_]+)")
_MODULE = re.compile(r"\bpython -m (tests[\w.]*)")


def prose(document: Path) -> str:
    """Return a document without its code blocks."""
    return _BLOCK.sub("", document.read_text("utf-8"))


def commands(document: Path) -> str:
    """Return the text of the code blocks and code spans of a document, which a reader may type."""
    text = document.read_text("utf-8")
    return "\n".join([*(match[0] for match in _BLOCK.finditer(text)), *_CODE.findall(text)])


def anchors(document: Path) -> set[str]:
    """Return the anchors that Markdown viewers create for the headings of a document."""
    found: set[str] = set()
    for heading in _HEADING.findall(prose(document)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        # A repeated heading gets a number.
        number = next(
            n for n in range(len(found) + 1) if (f"{slug}-{n}" if n else slug) not in found
        )
        found.add(f"{slug}-{number}" if number else slug)
    return found


def relative_links(document: Path) -> Iterator[tuple[str, str]]:
    """Yield file ("" for the document itself) and anchor of each link within the repository."""
    for match in _LINK.finditer(_CODE.sub("", prose(document))):
        address = match[1] or match[2]
        if not re.match(r"[a-z]+:", address):
            file, _, anchor = address.partition("#")
            yield file, anchor


@EVERY
def test_links_have_existing_targets(document: Path) -> None:
    dead = []
    for file, anchor in relative_links(document):
        target = (document.parent / file).resolve() if file else document
        is_there = target.exists() and target.is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in anchors(target)):
            dead.append(f"{file}#{anchor}" if anchor else file)
    assert dead == []


@EVERY
def test_named_files_exist(document: Path) -> None:
    missing = []
    for code in _CODE.findall(prose(document)):
        if _FILE.fullmatch(code):
            places = (ROOT, ROOT / "docs", document.parent)
            if not any((place / code).exists() for place in places):
                missing.append(code)
    assert missing == []


@EVERY
def test_named_commands_exist(document: Path) -> None:
    text = commands(document)
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    unknown = {f"make {name}" for name in set(_TARGET.findall(text)) - targets}
    unknown |= {f"manage.py {name}" for name in set(_COMMAND.findall(text)) - get_commands().keys()}
    for module in _MODULE.findall(text):
        path = ROOT / module.replace(".", "/")
        if not (path.with_suffix(".py").exists() or (path / "__main__.py").exists()):
            unknown.add(f"python -m {module}")
    assert unknown == set()


def test_makefile_runs_existing_commands() -> None:
    named = set(_COMMAND.findall((ROOT / "Makefile").read_text()))
    assert named - get_commands().keys() == set()


def test_changelog_starts_with_project_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    entries = re.findall(
        r"^## \[(.+?)\] - (Unreleased|\d{4}-\d\d-\d\d)$",
        (ROOT / "CHANGELOG.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert entries[0][0] == version


def test_every_setting_is_documented_with_its_default() -> None:
    """A default that depends on the machine or on another setting is described in words."""
    names: set[str] = set()
    defaults: dict[str, str] = {}
    for node in ast.walk(ast.parse((ROOT / "console/settings.py").read_text())):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="env"), attr=reader),
                args=[ast.Constant(value=str(name)), *others],
            ):
                names.add(name)
                given = [*(word.value for word in node.keywords if word.arg == "default"), *others]
                match reader, given:
                    case (("text" | "flag" | "port" | "number"), [ast.Constant(value=value), *_]):
                        shown = int(value) if isinstance(value, bool) else value
                        defaults[name] = "none" if shown == "" else f"`{shown}`"
    document = (ROOT / "docs/operations.md").read_text()
    told = dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \|", document, re.MULTILINE))
    assert told.keys() == names
    # REDIS_URL is read a second time to see whether it is set.
    del defaults["REDIS_URL"]
    assert {name: told[name] for name in defaults} == defaults


def test_every_reason_is_explained_with_the_title_and_the_advice_that_pages_show() -> None:
    documents = [
        ROOT / "docs" / "concepts.md",
        *(ROOT / "console" / "engine" / "disciplines").glob("*/README.md"),
    ]
    text = "\n".join(document.read_text("utf-8") for document in documents)
    rows = re.findall(r"^\| `([a-z_]+)` \| ([^|]+) \| [^|]+\|(.*)$", text, re.MULTILINE)
    told = {
        code: (title, advice.strip(" |"))
        for code, title, advice in rows
        if code in registered_reasons()
    }
    assert told == {
        reason: (reason_title(reason), reason.advice) for reason in registered_reasons()
    }


def test_index_lists_every_document() -> None:
    index = ROOT / "docs" / "README.md"
    named = {(index.parent / file).resolve() for file, _ in relative_links(index)}
    documents = {path for path in DOCUMENTS if path.parent == index.parent}
    assert documents - named == {index}
