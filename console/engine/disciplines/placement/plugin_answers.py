"""Calls of one plugin under the guard, with its answers checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeVar

from console.engine.disciplines.placement.plugin import KEEP, Cluster, Job, PlacementPlugin, Verdict
from console.engine.disciplines.placement.plugin_host import HOST, overrides
from console.engine.disciplines.placement.spec import PluginUse
from console.engine.model.plugins import PluginFailed, failure_sentence

T = TypeVar("T")

#: Maximum number of characters of a sentence of a plugin; the rest is cut off.
LONGEST_SENTENCE: Final = 300

#: Bound of numerator and denominator of a score.
_LARGEST: Final = 10**15


class PluginUnanswered(Exception):
    """A plugin has not answered, or not as documented."""

    def __init__(self, plugin: str, error: str) -> None:
        super().__init__(plugin, error)
        self.plugin = plugin
        #: What happened, in one sentence.
        self.error = cut_sentence(error)


class AskedPlugin:
    """
    An installed plugin as a config lists it.

    All methods raise PluginUnanswered. One call of the guard covers the questions about all
    clusters, so its limit holds for them together.
    """

    def __init__(self, use: PluginUse) -> None:
        self.name = use.name
        #: Factor of its scores.
        self.weight = use.weight
        self._plugin: PlacementPlugin | None = HOST.plugins.get(use.name)
        self._guard = HOST.guard
        plugin = self._plugin
        #: A missing plugin is asked to filter, so that no job is placed without it.
        self.filters = plugin is None or overrides(plugin, "filter")
        self.scores = plugin is not None and overrides(plugin, "score")
        self.spreads = plugin is not None and overrides(plugin, "spread")
        #: Whether answers may change with the free amounts of nodes.
        self.reads_free = plugin is not None and (plugin.reads_free or self.spreads)
        #: Whether filters and scores get them.
        self.gets_free = plugin is not None and plugin.reads_free

    def verdicts(self, job: Job, clusters: Sequence[Cluster]) -> list[Verdict]:
        """Return the verdict on each of *clusters*, with sentences on one line."""
        plugin = self._found()
        answers = self._ask(lambda: [plugin.filter(job, each) for each in clusters])
        return [self._verdict(each) for each in answers]

    def scores_of(self, job: Job, clusters: Sequence[Cluster]) -> list[int | Fraction | None]:
        """Return the score of each of *clusters*, without the weight of the plugin."""
        plugin = self._found()
        answers = self._ask(lambda: [plugin.score(job, each) for each in clusters])
        return [self._score(each) for each in answers]

    def spread(self, job: Job, clusters: tuple[Cluster, ...]) -> dict[str, int]:
        """Return the number of replicas by cluster, without zeros."""
        plugin = self._found()
        found = self._ask(lambda: _items(plugin.spread(job, clusters)))
        names = {each.name for each in clusters}
        replicas: dict[str, int] = {}
        for name, count in found:
            if not isinstance(name, str) or name not in names:
                raise self._nonsense(f"spread names a cluster that does not remain: {_shown(name)}")
            if type(count) is not int or count < 0:
                raise self._nonsense(f"spread puts {_shown(count)} replicas on {name}")
            if count:
                replicas[name] = count
        total = sum(replicas.values())
        if total > job.replicas:
            raise self._nonsense(f"spread places {total} replicas, but the job has {job.replicas}")
        for each in clusters:
            count = replicas.get(each.name, 0)
            room = each.room(job) if count else 0
            if count > room:
                raise self._nonsense(
                    f"spread puts {count} replicas on {each.name}, where {room} fit"
                )
        return replicas

    def _found(self) -> PlacementPlugin:
        if self._plugin is None:
            problem = HOST.problems.get(self.name, "It is not installed.")
            raise PluginUnanswered(self.name, problem)
        return self._plugin

    def _ask(self, call: Callable[[], T]) -> T:
        try:
            return self._guard(self.name, call)
        except PluginFailed as error:
            raise PluginUnanswered(self.name, str(error)) from error

    def _verdict(self, answer: object) -> Verdict:
        if answer is KEEP:
            return KEEP
        if (
            not isinstance(answer, Verdict)
            or not isinstance(answer.keeps, bool)
            or not isinstance(answer.sentence, str)
        ):
            raise self._nonsense(f"filter returned {_shown(answer)}, which is no Verdict")
        return Verdict(keeps=answer.keeps, sentence=cut_sentence(answer.sentence))

    def _score(self, answer: object) -> int | Fraction | None:
        if answer is None:
            return None
        if type(answer) not in (int, Fraction):
            raise self._nonsense(f"score returned {_shown(answer)}, which is no int or Fraction")
        assert isinstance(answer, int | Fraction)
        if abs(answer.numerator) > _LARGEST or answer.denominator > _LARGEST:
            raise self._nonsense("score returned a number with more than 15 digits")
        return answer

    def _nonsense(self, sentence: str) -> PluginUnanswered:
        return PluginUnanswered(self.name, f"{sentence}.")


def cut_sentence(text: str) -> str:
    """Return *text* on one line of limited length, with a period at its end."""
    line = " ".join(text.split())
    if len(line) > LONGEST_SENTENCE:
        line = f"{line[:LONGEST_SENTENCE]} ..."
    return line if not line or line.endswith((".", "!", "?")) else f"{line}."


def _items(answer: object) -> list[tuple[object, object]]:
    if not isinstance(answer, Mapping):
        raise PluginFailed(f"spread returned {_shown(answer)}, which is no mapping.")
    return list(answer.items())


def _shown(answer: object) -> str:
    try:
        text = repr(answer)
    except Exception as error:
        # The text comes from the plugin too.
        text = f"a value without a text ({failure_sentence(error)})"
    return text if len(text) <= 60 else f"{text[:60]} ..."
