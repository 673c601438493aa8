"""Plugins from other packages: how the application hands them to a discipline and guards calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")


class PluginFailed(Exception):
    """A call of a plugin has no result; the text is one sentence without the plugin's name."""


class Guard(Protocol):
    """Runs the calls of plugins, and limits what they can do to the process."""

    def __call__(self, plugin: str, call: Callable[[], T]) -> T:
        """
        Return the result of *call*, which calls the plugin with the name *plugin*.

        Raises PluginFailed if the plugin raises an exception or takes too long. Exceptions that
        are meant for the process are passed on.
        """


def without_limit(plugin: str, call: Callable[[], T]) -> T:
    """Return the result of *call*, however long it takes; raises PluginFailed, see `Guard`."""
    try:
        return call()
    except PluginFailed:
        raise
    except Exception as error:
        raise PluginFailed(failure_sentence(error)) from error


def failure_sentence(error: BaseException) -> str:
    """
    Return the kind and the text of an exception on one line.

    >>> failure_sentence(KeyError("rack"))
    "KeyError: 'rack'"
    """
    try:
        text = " ".join(str(error).split())
    except Exception:
        # The text comes from the plugin too.
        text = ""
    name = type(error).__name__
    return f"{name}: {text}" if text else name


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlugin:
    """An installed plugin, or why it cannot be used."""

    name: str
    #: None if it cannot be used.
    plugin: object | None = None
    #: The package that provides it, with its version.
    package: str = ""
    #: Why it cannot be used; "" if it can.
    problem: str = ""


class PluginHost(Protocol):
    """The part of a discipline that takes plugins; `HOST` in its module `plugin_host`."""

    #: The group of entry points by which packages provide plugins.
    group: str

    def install(self, found: Iterable[FoundPlugin], guard: Guard) -> None:
        """Use the plugins *found* from now on, instead of all former ones."""
