"""Placement: the rules that find the queue of an application, and the verdict of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from console.engine.disciplines.hierarchy.runtime_queue import RECOVERY_PATH, RuntimeQueue
from console.engine.disciplines.hierarchy.spec import ROOT, PlacementRule, RuleKind
from console.engine.disciplines.hierarchy.tree import BAD_NAME, QUEUE_NAME, RuntimeTree

#: The queue of applications that no rule matches, if it exists.
DEFAULT_PATH: Final = f"{ROOT}.default"

NO_RULE_MATCHED: Final = "application rejected: no placement rule matched"

_BELOW_ROOT: Final = f"{ROOT}."

#: The rule of a partition that states none.
_ONLY_RULE: Final = PlacementRule(kind=RuleKind.PROVIDED)
#: The rule after all others.
_LAST_RULE: Final = PlacementRule(kind=RuleKind.RECOVERY, creates=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """What an application states when it is submitted."""

    id: str
    user: str
    groups: tuple[str, ...] = ()
    #: A path, or a name that rules complete; may be empty.
    queue: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    #: Whether it has to be accepted.
    is_forced: bool = False

    def tag(self, name: str) -> str:
        """Return the value of a tag with a name in any case; empty if there is none."""
        if name in self.tags:
            return self.tags[name]
        wanted = name.lower()
        return next((value for key, value in self.tags.items() if key.lower() == wanted), "")


class Verdict(StrEnum):
    """The answer of a rule for one application."""

    ACCEPTED = "accepted"
    #: The submission states no queue, or has no such tag.
    NO_INPUT = "no input"
    #: The filter does not accept the user.
    FILTERED = "filtered"
    #: The queue does not exist, and the rule creates none.
    MISSING = "missing"
    #: The rule for the queue above has no answer.
    NO_PARENT = "no parent"
    #: The user may not submit to the queue, or to the nearest one above that exists.
    NO_ACCESS = "no access"
    #: The queue takes no applications, because it is for queues below it.
    NOT_A_LEAF = "not a leaf"
    #: The config does not have the queue any more.
    DRAINING = "draining"
    #: The path does not begin with the root.
    OUTSIDE_ROOT = "outside root"
    #: The recovery queue is only for applications that have to be accepted.
    NOT_FORCED = "not forced"
    #: A name is no valid name of a queue. The application is refused.
    BAD_NAME = "bad name"
    #: The queue of the rule for the one above takes none below it. The application is refused.
    PARENT_IS_LEAF = "parent is a leaf"


#: Verdicts after which no other rule is asked.
FINAL: Final = frozenset({Verdict.ACCEPTED, Verdict.BAD_NAME, Verdict.PARENT_IS_LEAF})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one rule answered."""

    verdict: Verdict
    rule: PlacementRule
    #: The index of the rule in the config; None: that of a parent, or one that is always there.
    index: int | None = None
    #: The path that the rule answered, or the name that is not valid; empty if it found none.
    queue: str = ""
    #: The queue that decided: where the user has no access, or the leaf that takes none below it.
    at: str = ""
    #: The answer of the rule for the queue above, if that one decided.
    parent: Attempt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The queue of an application, and how it was found."""

    #: The path; None: the application is refused.
    queue: str | None = None
    #: In the order of the rules, to the one that decided.
    attempts: tuple[Attempt, ...] = ()
    #: YuniKorn's words for the refusal, without those about the application; empty if placed.
    problem: str = ""

    def message(self, application: str) -> str:
        """Return YuniKorn's message for the refusal of the application with this id."""
        return f"failed to place application {application}: {self.problem}"


def place(tree: RuntimeTree, rules: Sequence[PlacementRule], application: Application) -> Placement:
    """
    Return the queue that *rules* find for an application; it may have to be created.

    Changes nothing.
    """
    attempts = []
    for index, rule in _chain(rules):
        attempt = replace(_ask(tree, rule, application), index=index)
        if attempt.verdict is Verdict.ACCEPTED:
            attempt = _checked(tree, attempt, application)
        attempts.append(attempt)
        if attempt.verdict in FINAL:
            return _placement(attempts)
    if DEFAULT_PATH not in tree.queues:
        return _placement(attempts)
    attempt = Attempt(verdict=Verdict.ACCEPTED, rule=_LAST_RULE, queue=DEFAULT_PATH)
    attempts.append(_checked(tree, attempt, application))
    return _placement(attempts)


def _chain(rules: Sequence[PlacementRule]) -> Iterator[tuple[int | None, PlacementRule]]:
    if rules:
        yield from enumerate(rules)
    else:
        yield None, _ONLY_RULE
    yield None, _LAST_RULE


def _placement(attempts: Sequence[Attempt]) -> Placement:
    last = attempts[-1]
    if last.verdict is Verdict.ACCEPTED:
        return Placement(queue=last.queue, attempts=tuple(attempts))
    problem = NO_RULE_MATCHED
    if last.verdict is Verdict.BAD_NAME:
        problem = BAD_NAME
    elif last.verdict is Verdict.PARENT_IS_LEAF:
        problem = f"parent rule returned a leaf queue: {last.at}"
    return Placement(attempts=tuple(attempts), problem=problem)


def _checked(tree: RuntimeTree, answered: Attempt, application: Application) -> Attempt:
    """Return the attempt with the verdict on the queue that its rule answered."""
    path = answered.queue
    if path == RECOVERY_PATH and application.is_forced:
        return answered
    queue = tree.find(path)
    if queue is not None:
        return _at_existing(queue, answered, application)
    nearest = tree.nearest(path)
    if nearest is None:
        return replace(answered, verdict=Verdict.OUTSIDE_ROOT)
    if not nearest.may_submit(application.user, application.groups):
        return replace(answered, verdict=Verdict.NO_ACCESS, at=nearest.path)
    return answered


def _at_existing(queue: RuntimeQueue, answered: Attempt, application: Application) -> Attempt:
    if not queue.is_leaf:
        return replace(answered, verdict=Verdict.NOT_A_LEAF, at=queue.path)
    if not queue.may_submit(application.user, application.groups):
        return replace(answered, verdict=Verdict.NO_ACCESS, at=queue.path)
    if queue.is_draining:
        return replace(answered, verdict=Verdict.DRAINING, at=queue.path)
    return answered


def _ask(tree: RuntimeTree, rule: PlacementRule, application: Application) -> Attempt:
    """Return the queue that a rule answers, as accepted, or why it answers none."""
    stated = _input(rule, application)
    if not stated:
        is_recovery = rule.kind is RuleKind.RECOVERY
        return Attempt(verdict=Verdict.NOT_FORCED if is_recovery else Verdict.NO_INPUT, rule=rule)
    if not rule.filter.accepts(application.user, application.groups):
        return Attempt(verdict=Verdict.FILTERED, rule=rule)
    if _is_complete(tree, rule, stated):
        if not _has_valid_names(rule, stated.split(".")):
            return Attempt(verdict=Verdict.BAD_NAME, rule=rule, queue=stated)
        return _unless_missing(tree, rule, stated.lower())
    name = stated if rule.kind is RuleKind.FIXED else stated.replace(".", "_dot_")
    if not _has_valid_names(rule, (name,)):
        return Attempt(verdict=Verdict.BAD_NAME, rule=rule, queue=name)
    above = ROOT
    if rule.parent is not None:
        parent = _above(tree, rule.parent, application)
        if parent.verdict is not Verdict.ACCEPTED:
            verdict = parent.verdict if parent.verdict in FINAL else Verdict.NO_PARENT
            return Attempt(verdict=verdict, rule=rule, at=parent.at, parent=parent)
        above = parent.queue
    return _unless_missing(tree, rule, f"{above}.{name.lower()}")


def _input(rule: PlacementRule, application: Application) -> str:
    match rule.kind:
        case RuleKind.PROVIDED:
            return application.queue
        case RuleKind.USER:
            return application.user
        case RuleKind.TAG:
            return application.tag(rule.value)
        case RuleKind.FIXED:
            return rule.value
        case RuleKind.RECOVERY:
            return RECOVERY_PATH if application.is_forced else ""


def _is_complete(tree: RuntimeTree, rule: PlacementRule, stated: str) -> bool:
    """Return whether a name is a whole path, for which no rule finds the queue above."""
    match rule.kind:
        case RuleKind.USER:
            return False
        case RuleKind.FIXED if tree.compatibility.textual_rule_paths:
            return stated.startswith(ROOT)
        case RuleKind.FIXED:
            return stated == ROOT or stated.startswith(_BELOW_ROOT)
        case _:
            return stated.startswith(_BELOW_ROOT)


def _has_valid_names(rule: PlacementRule, names: Sequence[str]) -> bool:
    """Return whether names are valid; those in the config are."""
    is_stated = rule.kind in (RuleKind.FIXED, RuleKind.RECOVERY)
    return is_stated or all(QUEUE_NAME.fullmatch(name) for name in names)


def _unless_missing(tree: RuntimeTree, rule: PlacementRule, path: str) -> Attempt:
    is_missing = not rule.creates and tree.find(path) is None
    return Attempt(
        verdict=Verdict.MISSING if is_missing else Verdict.ACCEPTED, rule=rule, queue=path
    )


def _above(tree: RuntimeTree, rule: PlacementRule, application: Application) -> Attempt:
    """Return the answer of the rule for the queue above."""
    answer = _ask(tree, rule, application)
    if answer.verdict is not Verdict.ACCEPTED:
        return answer
    path = answer.queue
    if not path.startswith(_BELOW_ROOT):
        path = f"{_BELOW_ROOT}{path}"
    queue = tree.find(path)
    if queue is not None and queue.is_leaf:
        return replace(answer, verdict=Verdict.PARENT_IS_LEAF, queue=path, at=path)
    return replace(answer, queue=path)
