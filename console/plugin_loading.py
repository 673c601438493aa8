"""Loads plugins of installed packages, by their entry points, and hands them to the disciplines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points

import structlog

from console.engine.disciplines import plugin_hosts
from console.engine.model.plugins import FoundPlugin, failure_sentence
from console.plugin_guard import PluginGuard

log = structlog.get_logger(__name__)


def install_plugins() -> None:
    """
    Hand the plugins of all installed packages to the disciplines; called when a process starts.

    A plugin that cannot be loaded does not prevent the start: it is logged, and configs that list
    it have an error.
    """
    for host in plugin_hosts():
        host.install(tuple(_loaded(entry_points(group=host.group))), PluginGuard())


def _loaded(points: Iterable[EntryPoint]) -> Iterator[FoundPlugin]:
    for point in sorted(points, key=lambda each: (each.name, each.value)):
        package = f"{point.dist.name} {point.dist.version}" if point.dist is not None else ""
        try:
            plugin = point.load()
            if isinstance(plugin, type):
                plugin = plugin()
        except (Exception, SystemExit) as error:
            log.exception("plugin not loaded", plugin=point.name, package=package)
            problem = (
                f"It cannot be loaded from {package or point.value}: {failure_sentence(error)}."
            )
            yield FoundPlugin(name=point.name, package=package, problem=problem)
        else:
            yield FoundPlugin(name=point.name, plugin=plugin, package=package)
