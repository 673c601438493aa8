"""Plugins of other packages in configs: checked, completed and explained by their names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from console.dialects.assist import assist
from console.dialects.skyshift import DIALECT, read_applied
from console.engine.disciplines.placement.plugin import KEEP, Cluster, Job, PlacementPlugin, Verdict
from console.engine.disciplines.placement.spec import DEFAULT_PLUGIN, placement_of
from tests.engine.placement.plugins import SAME, installed


class Racks(PlacementPlugin):
    """A filter."""

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        return KEEP


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    with installed({"Racks": Racks(), "EvenSpread": SAME["same-default"], "Broken": object()}):
        yield


STANDARD = ("ClusterAffinityPlugin", "ClusterAffinityPluginV2", DEFAULT_PLUGIN)


def scheduler(plugins: str) -> str:
    return f"kind: Scheduler\nspec:\n  plugins: {plugins}\n"


def test_installed_plugins_compile_with_their_weights() -> None:
    policy = DIALECT.read(scheduler("[DefaultPlugin, { name: Racks, weight: 7 }]"), {}).policy
    assert policy is not None
    found = [(each.name, each.weight) for each in placement_of(policy).plugins]
    assert found == [(DEFAULT_PLUGIN, 1), ("Racks", 7)]


@pytest.mark.parametrize(
    ("plugins", "code", "message", "hint"),
    [
        (
            "[DefaultPlugin, Rack]",
            "SKY007",
            'The scheduler has no plugin "Rack".',
            'Did you mean "Racks"?',
        ),
        (
            "[DefaultPlugin, gone]",
            "SKY007",
            'The scheduler has no plugin "gone".',
            f"It has {', '.join(STANDARD)}, EvenSpread and Racks.",
        ),
        (
            "[DefaultPlugin, Broken]",
            "SKY007",
            'The plugin "Broken" cannot be used: It is no PlacementPlugin.',
            "Ask the operators of Sluice to fix it.",
        ),
        (
            "[Racks, DefaultPlugin]",
            "SKY008",
            "Racks is the first plugin, and it cannot spread replicas over clusters.",
            "Put DefaultPlugin first.",
        ),
    ],
)
def test_names_are_checked(plugins: str, code: str, message: str, hint: str) -> None:
    (found,) = DIALECT.read(scheduler(plugins), {}).diagnostics
    assert (found.code, found.message, found.hint) == (code, message, hint)


def test_plugin_that_spreads_may_be_the_first() -> None:
    assert DIALECT.read(scheduler("[EvenSpread, DefaultPlugin]"), {}).diagnostics == ()


def test_editor_completes_and_explains_installed_plugins() -> None:
    text = scheduler("[DefaultPlugin, R]")
    assistant = assist(DIALECT, text)
    offered = {each.label for each in assistant.complete(3, text.splitlines()[2].index("R]") + 2)}
    assert offered == {"Racks", "EvenSpread", "ClusterAffinityPlugin", "ClusterAffinityPluginV2"}
    help_text = assistant.explain(3, 15)
    assert help_text is not None
    assert "Racks is provided by tests 1.0." in help_text.facts.description


def test_applied_text_compiles_without_its_plugins_and_with_no_other_error() -> None:
    text = scheduler("[EvenSpread, DefaultPlugin, Racks]")
    with installed({}):
        assert not DIALECT.read(text, {}).ok
        policy = read_applied(text).policy
        assert policy is not None
        names = [each.name for each in placement_of(policy).plugins]
        assert names == ["EvenSpread", DEFAULT_PLUGIN, "Racks"]
        assert read_applied(text + "  rank: products\n").policy is None
