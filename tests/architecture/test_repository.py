"""Rules of the repository: no local paths, locks, documented settings, dependencies, migrations."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

_LEFT_OUT = {".git", ".venv", "var", "__pycache__"}

#: Split, so that this file does not match itself.
_MACHINE_PATHS = re.compile("|".join([r"(?<![\w.])/" + "work/", "/" + "root/", "/" + "home/[a-z]"]))
_REGISTRIES = re.compile(
    "|".join(
        ["pypi" + r"\.org", "python" + "hosted", "npm" + r"js\.(org|com)", r"deb\." + "debian"]
    )
)


def _texts() -> Iterator[tuple[Path, str]]:
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(part in _LEFT_OUT or part.endswith("_cache") for part in parts)
        if hidden or ".hypothesis" in parts or not path.is_file():
            continue
        try:
            yield path.relative_to(ROOT), path.read_text("utf-8")
        except UnicodeDecodeError:
            continue


def test_no_file_names_a_path_of_one_machine_or_a_registry() -> None:
    found = [
        f"{path}:{number}: {line.strip()[:80]}"
        for path, text in _texts()
        for number, line in enumerate(text.splitlines(), 1)
        if _MACHINE_PATHS.search(line) or _REGISTRIES.search(line)
    ]
    assert found == []


def test_locks_contain_only_names_versions_and_hashes() -> None:
    for name in (
        *("requirements.lock", "requirements-tracing.lock", "requirements-dev.lock"),
        "tests/compat/requirements.lock",
    ):
        text = (ROOT / name).read_text()
        assert "://" not in text
        pinned = re.findall(r"^[a-z0-9][\w.-]*==", text, re.MULTILINE | re.IGNORECASE)
        assert len(pinned) == len(re.findall(r"^\S", text, re.MULTILINE)) - text.count("\n#")


def test_every_setting_is_documented() -> None:
    """A row of the table in docs/operations.md starts with the name of the setting."""
    tree = ast.parse((ROOT / "console" / "settings.py").read_text())
    read = {
        str(node.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).startswith("env.")
        and isinstance(node.args[0], ast.Constant)
    }
    text = (ROOT / "docs" / "operations.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", text, re.MULTILINE))
    assert documented == read


def test_every_direct_dependency_says_why_it_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    direct = [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["tracing"],
        *project["dependency-groups"]["dev"],
    ]
    names = {re.match(r"[\w.-]+", requirement)[0] for requirement in direct}
    text = (ROOT / "docs" / "dependencies.md").read_text()
    assert set(re.findall(r"^\| `([\w.-]+)` \|", text, re.MULTILINE)) == names


def test_migrations_have_descriptive_names() -> None:
    names = [path.stem for path in ROOT.glob("console/*/migrations/0*.py")]
    assert names
    assert [name for name in names if "auto" in name or "and_more" in name] == []


def test_readme_lists_the_makefile_targets() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets == {
        *("run", "test", "test-on-postgres", "test-on-sqlite", "test-products", "test-all"),
        *("shapes", "check", "bench", "pictures", "soak"),
    }
