"""Plugins of installed packages, and the documented one, loaded by its entry points."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from console.dialects.skyshift import DIALECT
from console.engine.disciplines.placement.plugin_host import HOST
from console.engine.disciplines.placement.spec import placement_of
from console.engine.explain import explain
from console.engine.state import State
from console.plugin_guard import PluginGuard
from console.plugin_loading import install_plugins
from tests.engine.placement.plugins import installed
from tests.engine.placement.worlds import cluster, inventory, job

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "docs" / "placement-plugin"
PAGE: Final = ROOT / "docs" / "placement-plugins.md"


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget afterwards the plugins that a test installs."""
    with installed({}):
        yield


def provide(
    folder: Path, name: str, points: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make the modules in *folder* a package with entry points, as an installer does."""
    info = folder / f"{name.replace('-', '_')}-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n")
    lines = "".join(f"{key} = {value}\n" for key, value in points.items())
    (info / "entry_points.txt").write_text(f"[{HOST.group}]\n{lines}")
    monkeypatch.syspath_prepend(folder)


def test_documented_package_places_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project: dict[str, Any] = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    shutil.copy(PACKAGE / "src" / "cluster_price.py", tmp_path)
    provide(tmp_path, project["name"], project["entry-points"][HOST.group], monkeypatch)
    install_plugins()
    assert {**HOST.packages} == dict.fromkeys(
        ("ClusterPrice", "EvenSpread"), "sluice-cluster-price 1.0.0"
    )
    assert isinstance(HOST.guard, PluginGuard)

    (config,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    reading = DIALECT.read(config, {})
    assert reading.diagnostics == ()
    assert reading.policy is not None
    assert [each.weight for each in placement_of(reading.policy).plugins] == [1, 1, 1, 10]
    state = State(reading.policy)
    state.change_inventory(
        inventory(
            [
                cluster("dear", {"cpu": 8}, labels={"price": "4"}),
                cluster("cheap", {"cpu": 8}, labels={"price": "1"}),
                cluster("fair", {"cpu": 8}, labels={"price": "2"}),
            ]
        )
    )
    state.submit(job(1, {"cpu": 1}, replicas=4, labels={"max-price": "2"}))
    (decision,) = state.settle()
    places = [(each.cluster, each.count) for each in decision.assignment[0].places]
    assert places == [("cheap", 2), ("fair", 2)]
    told = [
        each.text
        for stage in explain(decision.trace).stages
        if stage.stage == "placement"
        for each in stage.sentences
    ]
    assert "\n".join(told) in PAGE.read_text()


def test_documented_tests_of_the_package_pass() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml"],
        cwd=PACKAGE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout


def test_page_shows_the_files_of_the_package() -> None:
    shown = re.findall(r"```(?:python|toml)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    files = [path.read_text() for path in sorted(PACKAGE.rglob("*.*")) if path.is_file()]
    assert len(shown) == 3
    assert [block for block in shown if not any(block in text for text in files)] == []


def test_packages_that_cannot_be_loaded_are_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stopping_plugin.py").write_text("raise SystemExit(1)\n")
    (tmp_path / "failing_plugin.py").write_text("def make(): pass\nplugin = None\n")
    points = {
        "absent": "absent_plugin_module:Plugin",
        "nothing": "failing_plugin:plugin",
        "stopping": "stopping_plugin:plugin",
    }
    provide(tmp_path, "broken-plugins", points, monkeypatch)
    install_plugins()
    package = "It cannot be loaded from broken-plugins 1.0.0"
    assert dict(HOST.problems) == {
        "absent": f"{package}: ModuleNotFoundError: No module named 'absent_plugin_module'.",
        "nothing": "It is no PlacementPlugin.",
        "stopping": f"{package}: SystemExit: 1.",
    }
    assert dict(HOST.plugins) == {}


def test_a_plugin_with_failing_labels_does_not_prevent_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "labelless_plugin.py").write_text(
        "from console.engine.disciplines.placement.plugin import PlacementPlugin\n"
        "class Plugin(PlacementPlugin):\n"
        "    job_labels = property(lambda self: 1 // 0)\n"
    )
    points = {"labelless": "labelless_plugin:Plugin"}
    provide(tmp_path, "broken-plugins", points, monkeypatch)
    install_plugins()
    problem = "It has no job_labels: ZeroDivisionError: integer division or modulo by zero."
    assert (dict(HOST.problems), dict(HOST.plugins)) == ({"labelless": problem}, {})
