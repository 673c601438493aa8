"""Shadowed rules: rules for which earlier rules leave no workloads."""

from __future__ import annotations

from collections.abc import Mapping

from console.dialects.findings import Findings
from console.dialects.lints.codes import RULE_SHADOWED
from console.dialects.lints.wording import names
from console.dialects.place_finder import PlaceFinder
from console.engine.routing.regions import Region, region_of
from console.engine.routing.rule_index import RuleIndex
from console.engine.routing.rules import Rule

#: Limits of one check: region subtractions, and pieces that one rule may be cut into.
_MOST_CUTS, _MOST_PIECES = 20_000, 100


def find_shadowed(rules: tuple[Rule, ...]) -> dict[int, tuple[Rule, ...]]:
    """Return the rules that match no workload first, by index, with the rules that shadow them."""
    found: dict[int, tuple[Rule, ...]] = {}
    index = RuleIndex(rules)
    regions = [region_of(rule) for rule in rules]
    cuts = _MOST_CUTS
    for rule, region in zip(rules, regions, strict=True):
        if region is None:
            continue
        pieces, takers = [region], []
        for other in index.overlapping_before(rule.index):
            cuts -= 1
            theirs = regions[other.index]
            if theirs is None or not any(piece.intersection(theirs) for piece in pieces):
                continue
            takers.append(other)
            pieces = [left for piece in pieces for left in piece.without(theirs)]
            cuts -= len(pieces)
            if not pieces or len(pieces) > _MOST_PIECES:
                break
        if not pieces:
            shadowing = _shadowing(region, takers, regions)
            # A last rule that matches everything is a safety net, even if several rules cover it.
            if len(shadowing) == 1 or rule is not rules[-1] or region != Region():
                found[rule.index] = shadowing
        if cuts < 0:
            break
    return found


def lint_shadows(
    shadows: Mapping[int, tuple[Rule, ...]],
    rules: tuple[Rule, ...],
    places: PlaceFinder,
    findings: Findings,
) -> None:
    """Report shadowed rules."""
    for index, takers in shadows.items():
        rule = rules[index]
        match = "matches" if len(takers) == 1 else "together match"
        findings.add(
            RULE_SHADOWED,
            places.reference(rule.origin, rule.queue),
            f"Rule {index + 1} is never reached: {names(map(_describe_rule, takers))} {match} "
            "every workload that it would match.",
            "Move it up, narrow the earlier rules, or remove it.",
        )


def _shadowing(
    region: Region, takers: list[Rule], regions: list[Region | None]
) -> tuple[Rule, ...]:
    """Return the one rule of *takers* that covers all of *region* alone, or all of them."""
    for taker in takers:
        theirs = regions[taker.index]
        if theirs is not None and not list(region.without(theirs)):
            return (taker,)
    return tuple(takers)


def _describe_rule(rule: Rule) -> str:
    where = f" (line {rule.origin.line})" if rule.origin is not None else ""
    return f"rule {rule.index + 1}{where}"
