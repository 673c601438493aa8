"""What would let a rejected workload in, in words: what its submitter can do, then the config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from console.engine.explain.landing import landing_sentence
from console.engine.explain.sentences import Sentence, Verdict
from console.engine.explain.tested import near_sentence, rule_sentence
from console.engine.landing import Landing
from console.engine.nearest import NearMiss
from console.engine.truth import RuleTruth
from console.engine.words import expression, lower_first


def fix_sentences(
    landing: Landing, misses: Sequence[NearMiss], rules: Sequence[RuleTruth]
) -> Iterator[Sentence]:
    """
    Yield what would let the workload of *landing* in, the least effort first.

    *misses* are the nearest ways into a queue by another request; *rules* are those that miss
    it most narrowly.
    """
    if not landing.is_refused:
        text = f"Submit it again: {lower_first(landing_sentence(landing))}"
        yield Sentence(text=text, verdict=Verdict.PASS)
        return
    possible = [miss for miss in misses if miss.is_possible and not miss.is_cut]
    for miss in sorted(possible, key=_effort):
        yield Sentence(text=f"In the request: {_reach(miss)}")
    yield from _flavors(landing)
    for rule in rules:
        text = (
            f"In the config: have rule {rule.index + 1} take it to {rule.queue}. Now: "
            f"{lower_first(rule_sentence(rule, landing.route.rule))}{_false(rule)}"
        )
        yield Sentence(text=text, origin=rule.origin)


def _effort(miss: NearMiss) -> tuple[int, int]:
    changes = len(miss.labels) + miss.changes_priority + (miss.namespace is not None)
    return changes, miss.rule or 0


def _reach(miss: NearMiss) -> str:
    way = f"rule {miss.rule + 1}, which leads to {miss.queue}" if miss.rule is not None else ""
    return f"{lower_first(near_sentence(miss))[:-1]}, to be taken by {way or miss.queue}."


def _false(rule: RuleTruth) -> str:
    false = [each for each in rule.expressions if not each.holds]
    if not false:
        return ""
    asked = false[0].expression
    return f" It asks for {expression(asked.key, asked.operator.value, asked.values)}."


def _flavors(landing: Landing) -> Iterator[Sentence]:
    """Yield what the flavors of the queue ask for, where they all refuse the labels."""
    queue = landing.policy.queues.get(landing.route.queue or "")
    if queue is None:
        return
    for group, failures in zip(queue.groups, landing.route.matches, strict=False):
        for entry, failed in zip(group.flavors, failures, strict=True):
            if failed is not None:
                asked = expression(failed.key, failed.operator, failed.values)
                text = (
                    f"In the request: have labels with {asked}, to be given {entry.flavor} of "
                    f"{queue.name}."
                )
                yield Sentence(text=text, origin=failed.origin)
