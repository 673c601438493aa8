"""The installed plugins of the discipline, which the application finds when it starts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from console.engine.disciplines.placement.plugin import PlacementPlugin
from console.engine.disciplines.placement.spec import PLUGINS, PlacementSpec
from console.engine.model.plugins import FoundPlugin, Guard, failure_sentence, without_limit


class PlacementPluginHost:
    """Takes plugins from the application, and knows those that cannot be used."""

    group = "sluice.placement_plugins"

    def __init__(self) -> None:
        #: By name, without the plugins of the discipline itself.
        self.plugins: Mapping[str, PlacementPlugin] = {}
        #: By name: why an installed plugin cannot be used.
        self.problems: Mapping[str, str] = {}
        #: Name -> the package that provides the plugin.
        self.packages: Mapping[str, str] = {}
        self.guard: Guard = without_limit

    def install(self, found: Iterable[FoundPlugin], guard: Guard) -> None:
        """Use the plugins *found* from now on, instead of all former ones."""
        plugins: dict[str, PlacementPlugin] = {}
        problems: dict[str, str] = {}
        packages: dict[str, str] = {}
        for each in found:
            problem = each.problem or _problem(each, packages)
            packages.setdefault(each.name, each.package)
            if problem:
                problems[each.name] = problem
            elif isinstance(each.plugin, PlacementPlugin):
                plugins[each.name] = each.plugin
        # Of two packages with the same name, none wins.
        self.plugins = {name: each for name, each in plugins.items() if name not in problems}
        self.problems, self.packages, self.guard = problems, packages, guard

    @property
    def names(self) -> Collection[str]:
        """The names that a config may list, in order."""
        return sorted({*PLUGINS, *self.plugins})

    def may_spread(self, name: str) -> bool:
        """Return whether an installed plugin spreads replicas, so that it may be the first one."""
        return name in self.plugins and overrides(self.plugins[name], "spread")

    def listed(self, spec: PlacementSpec) -> Iterable[PlacementPlugin]:
        """Return the installed plugins that *spec* lists."""
        return [self.plugins[each.name] for each in spec.plugins if each.name in self.plugins]


def overrides(plugin: PlacementPlugin, method: str) -> bool:
    """Return whether *plugin* has an own *method*."""
    return getattr(type(plugin), method) is not getattr(PlacementPlugin, method)


def _problem(found: FoundPlugin, packages: Mapping[str, str]) -> str:
    if found.name in PLUGINS:
        return "The name belongs to a plugin of Sluice."
    if found.name in packages:
        return f"{packages[found.name]} and {found.package} both provide it."
    plugin = found.plugin
    if not isinstance(plugin, PlacementPlugin):
        return "It is no PlacementPlugin."
    try:
        labels = plugin.job_labels
    except Exception as error:
        # A property, of which the code comes from the plugin.
        return f"It has no job_labels: {failure_sentence(error)}."
    if not isinstance(labels, tuple) or not all(isinstance(each, str) for each in labels):
        return "Its job_labels are not a tuple of texts."
    if not any(overrides(plugin, each) for each in ("filter", "score", "spread")):
        return "It overrides neither filter nor score nor spread."
    return ""


HOST: Final = PlacementPluginHost()
