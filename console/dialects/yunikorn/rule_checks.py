"""Checks of placement rules: names, filters, and paths of queues that the text fixes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import Final

from console.dialects.findings import Place, Repair
from console.dialects.repairs import did_you_mean, replace
from console.dialects.wording import listed, quote, shorten
from console.dialects.written import Written
from console.dialects.yunikorn.access import LIMITED_GROUP, LIMITED_USER
from console.dialects.yunikorn.codes import (
    DOLLAR_NAME,
    FILTER_CASE,
    FILTER_IGNORED,
    FILTER_NAMES,
    FILTER_TYPE,
    LARGE_EXPRESSION,
    QUALIFIED_BELOW_PARENT,
    QUEUE_NAME,
    RULE_NAME,
    RULE_NEVER_MATCHES,
    RULE_NOT_LEAF,
    RULE_PATH,
    RULE_PATH_TEXT,
    RULE_VALUE,
)
from console.dialects.yunikorn.expressions import (
    ExpressionProblem,
    has_special_characters,
    read_expression,
)
from console.dialects.yunikorn.problems import Problems, Stage
from console.dialects.yunikorn.queue_checks import (
    QUEUE_NAME_HINT,
    QUEUE_NAME_ORIGINAL,
    QUEUE_PATTERN,
)
from console.dialects.yunikorn.repairs import add_field, parent_fix
from console.dialects.yunikorn.schema import FilterDoc, PartitionDoc, QueueDoc, RuleDoc
from console.engine.disciplines.hierarchy.spec import ROOT, RuleKind

#: The rules of a config.
NAMES: Final = tuple(kind.value for kind in RuleKind if kind is not RuleKind.RECOVERY)
DENY: Final = "deny"
_TYPES: Final = ("", "allow", DENY)
_IDENTIFIER: Final = re.compile(r"[_a-zA-Z][a-zA-Z0-9_]*")
_FAILING: Final = "failing placement rule config"


def check_rules(partition: PartitionDoc, root: QueueDoc, problems: Problems) -> None:
    """Report what YuniKorn's check refuses in the rules of a partition."""
    for rule in partition.rules:
        _check_rule(rule, problems)
    paths = [_fixed_path(rule, problems) for rule in partition.rules]
    tree = _Tree(root)
    for number, (rule, path) in enumerate(zip(partition.rules, paths, strict=True)):
        if path is not None:
            _check_path(number, rule, path, tree, problems)


def check_rules_of_load(partition: PartitionDoc, problems: Problems) -> None:
    """Report what YuniKorn finds when it builds the rules of a partition."""
    for rule in partition.rules:
        each: RuleDoc | None = rule
        while each is not None:
            _check_build(each, problems)
            each = each.parent


def _check_rule(rule: RuleDoc, problems: Problems) -> None:
    if not _IDENTIFIER.fullmatch(rule.name):
        problems.add(
            RULE_NAME,
            rule.name_place if rule.name else rule.name_place.first,
            f"{quote(rule.name)} is not a placement rule."
            if rule.name
            else "The placement rule has no name.",
            f"It is {listed(NAMES)}.",
            original=f"invalid rule name {rule.name}, a name must be a valid identifier",
        )
    if rule.parent is not None:
        _check_rule(rule.parent, problems)
    if rule.filter is not None:
        _check_filter(rule.filter, problems)


def _check_filter(stated: FilterDoc, problems: Problems) -> None:
    kind = stated.kind
    if kind is not None:
        _check_type(kind, problems)
    _check_names(stated.users, "user", LIMITED_USER, problems)
    _check_names(stated.groups, "group", LIMITED_GROUP, problems)


def _check_type(kind: Written[str], problems: Problems) -> None:
    lower = kind.value.lower()
    if lower not in _TYPES:
        hint, repairs = did_you_mean(problems.findings, kind.place, kind.value, _TYPES[1:])
        problems.add(
            FILTER_TYPE,
            kind.place,
            f"{quote(kind.value)} is not a type of a filter; it is allow or deny.",
            hint,
            repairs,
            original=f"invalid rule filter type {kind.value}, filter type  must be either '', "
            "allow or deny",
        )
    elif lower == DENY and kind.value != DENY:
        acts = "allow" if problems.compatibility.deny_in_lower_case_only else "deny"
        problems.add(
            FILTER_CASE,
            kind.place,
            f"{kind.value} acts as {acts} here, and as allow in YuniKorn, which knows deny in "
            "lower case only.",
            "Write deny.",
            (replace(kind.place, DENY),),
        )


def _check_names(
    names: tuple[Written[str], ...], what: str, pattern: re.Pattern[str], problems: Problems
) -> None:
    if len(names) == 1:
        _check_single_name(names[0], what, pattern, problems)
        return
    for name in names:
        if not pattern.fullmatch(name.value):
            hint = ""
            if has_special_characters(name.value):
                hint = "An expression must be the only item of the list."
            problems.add(
                FILTER_IGNORED,
                name.place,
                f"{quote(name.value)} is not a name of a {what}, and has no effect in the list.",
                hint,
            )


def _check_single_name(
    name: Written[str], what: str, pattern: re.Pattern[str], problems: Problems
) -> None:
    special = has_special_characters(name.value)
    read = read_expression(name.value)
    if not pattern.fullmatch(name.value) and (read is ExpressionProblem.NOT_ONE or not special):
        problems.add(
            FILTER_NAMES,
            name.place,
            f"{quote(name.value)} is neither a name of a {what} nor a regular expression.",
            "Leave the list out for all users, or write .* instead." if name.value == "*" else "",
            original=f"invalid rule filter {what} list is not a proper list or regexp: "
            f"[{name.value}]",
        )
    elif special and read is ExpressionProblem.LARGE:
        problems.add(
            LARGE_EXPRESSION,
            name.place,
            f"The expression {quote(name.value)} needs too much memory.",
            "Repeat less in it, such as .* instead of .{1,1000}, or list the names.",
        )
    elif special and pattern.fullmatch(name.value):
        problems.add(
            DOLLAR_NAME,
            name.place,
            f"{quote(name.value)} is a regular expression: it matches every name that ends with "
            f"{shorten(name.value[:-1])}.",
            f"Write ^{name.value} for this name alone.",
            (replace(name.place, f"^{name.value}"),),
        )


@dataclass(frozen=True, slots=True)
class _FixedPath:
    """The path that the text of a rule fixes; None for one that is refused, which is reported."""

    here: str | None
    original: str | None
    #: Whether other rules find a queue below it.
    is_followed: bool


def _fixed_path(rule: RuleDoc, problems: Problems) -> _FixedPath | None:
    """Return the path that the text fixes; None if there is none."""
    here: str | None = ROOT
    original: str | None = ROOT
    fixed = _fixed(rule)
    for index, each in enumerate(fixed):
        value = each.value.value if each.value else ""
        is_full, begins = _is_full(value, problems), value.startswith(ROOT)
        if index and (is_full or begins):
            _note_qualified(each, value, problems)
        here = _extended(here, value, index, is_full=is_full)
        original = _extended(original, value, index, is_full=begins)
    return _FixedPath(here, original, len(fixed) < len(rule.chain())) if fixed else None


def _extended(path: str | None, value: str, index: int, *, is_full: bool) -> str | None:
    """Return a path with the fixed value behind it; None if that value has to be the first one."""
    if is_full:
        return None if index else value
    return None if path is None else f"{path}.{value}"


def _is_full(value: str, problems: Problems) -> bool:
    """Return whether a fixed value is a full path; for YuniKorn, each one is that begins so."""
    if problems.compatibility.textual_rule_paths:
        return value.startswith(ROOT)
    lower = value.lower()
    return lower == ROOT or lower.startswith(f"{ROOT}.")


def _note_qualified(
    rule: RuleDoc, value: str, problems: Problems, stage: Stage = Stage.CHECK
) -> None:
    place = rule.value.place if rule.value else rule.name_place
    original = ""
    if stage is Stage.CHECK and value.startswith(ROOT):
        original = f"illegal fully qualified 'fixed' rule with value {value}"
    if _is_full(value, problems):
        problems.add(
            QUALIFIED_BELOW_PARENT,
            place,
            f"{quote(value)} is a full path, which cannot follow a parent rule.",
            "Write the name relative to the parent rule, or remove the parent rule.",
            original=original,
            stage=stage,
        )
    else:
        problems.add(
            RULE_PATH_TEXT,
            place,
            f"YuniKorn refuses {quote(value)} below a parent rule, because it takes every value "
            "that begins with root for a full path.",
            "Rename the queue.",
            original=original,
            stage=stage,
        )


class _Verdict(Enum):
    """What a fixed path leads to."""

    FINE = "fine"
    #: It does not exist, and the outermost rule of the text does not create queues.
    MISSING = "missing"
    #: It would have to be created below a leaf.
    BELOW_LEAF = "below leaf"
    #: It leads to a parent, or to a leaf with rules that follow.
    WRONG_KIND = "wrong kind"


class _Tree:
    """The queues of a partition, in which many paths are followed."""

    def __init__(self, root: QueueDoc) -> None:
        self.root = root
        #: Queue, and whether names are as written -> the queues below it by name.
        self._below: dict[tuple[QueueDoc, bool], dict[str, QueueDoc]] = {}

    def follow(
        self, names: list[str], rule: RuleDoc, *, is_followed: bool, textual: bool
    ) -> tuple[_Verdict, QueueDoc]:
        """
        Return what a path leads to, and the last queue of the config on it.

        If *textual*, names are compared as they are written, and only ``parent: true`` in the text
        makes a parent; YuniKorn does both.
        """
        last = self.root
        missing = _Verdict.FINE if rule.creates else _Verdict.MISSING
        if names[0] != (last.name if textual else last.name.lower()):
            return missing, last
        for name in names[1:]:
            if not last.queues and not self._is_parent(last, textual=textual):
                return _Verdict.BELOW_LEAF, last
            found = self._named(last, textual=textual).get(name)
            if found is None:
                return missing, last
            last = found
        is_right = self._is_parent(last, textual=textual) is is_followed
        return _Verdict.FINE if is_right else _Verdict.WRONG_KIND, last

    def _named(self, queue: QueueDoc, *, textual: bool) -> dict[str, QueueDoc]:
        key = queue, textual
        if key not in self._below:
            # Of queues with one name, which is an error, the first one counts.
            below = reversed(queue.queues)
            self._below[key] = {each.name if textual else each.name.lower(): each for each in below}
        return self._below[key]

    def _is_parent(self, queue: QueueDoc, *, textual: bool) -> bool:
        is_stated = queue is self.root or queue.states_parent
        return is_stated or (not textual and bool(queue.queues))


def _check_path(
    number: int, rule: RuleDoc, fixed: _FixedPath, tree: _Tree, problems: Problems
) -> None:
    """Report a path that does not exist and is not created, or is of the wrong kind."""
    if any(not (each.value and each.value.value.strip()) for each in _fixed(rule)):
        # The missing value is reported by itself.
        problems = problems.muted()
    verdict, last, original = _Verdict.FINE, tree.root, ""
    is_followed = fixed.is_followed
    if fixed.original is not None:
        names = fixed.original.lower().split(".")
        verdict, last = tree.follow(names, rule, is_followed=is_followed, textual=True)
    if fixed.original is not None and verdict is not _Verdict.FINE:
        chain = "->".join(each.name for each in rule.chain())
        original = f"placement rule no. #{number} ({chain})" + _ORIGINAL[verdict].format(
            path=fixed.original, last=last.name
        )
    path = fixed.here
    if path is None:
        if original:
            problems.cite(original, Stage.CHECK)
        return
    if problems.compatibility.textual_rule_paths:
        if verdict is not _Verdict.FINE:
            _note_path(rule, path, verdict, last, is_followed, problems, original)
        return
    names = path.lower().split(".")
    here, nearest = tree.follow(names, rule, is_followed=is_followed, textual=False)
    if here is _Verdict.WRONG_KIND and verdict is _Verdict.FINE:
        problems.add(
            RULE_NEVER_MATCHES,
            _path_place(rule),
            f'The rule never finds a queue: "{shorten(path)}" has queues below it.',
            "Name one of them.",
        )
    elif here is not _Verdict.FINE:
        _note_path(rule, path, here, nearest, is_followed, problems, original)
    elif verdict is not _Verdict.FINE:
        _note_textual_path(rule, path, verdict, last, nearest, problems, original)


#: The rest of YuniKorn's message.
_ORIGINAL: Final = {
    _Verdict.MISSING: " references non-existing queues ({path}) and create is 'false'",
    _Verdict.BELOW_LEAF: " references non-existing queues ({path}) which cannot be created "
    "because the last queue ({last}) in the hierarchy is a leaf",
    _Verdict.WRONG_KIND: " references a queue ({path}) which is not a leaf",
}


def _note_path(
    rule: RuleDoc,
    path: str,
    verdict: _Verdict,
    last: QueueDoc,
    is_followed: bool,
    problems: Problems,
    original: str,
) -> None:
    code, shown, name = RULE_PATH, shorten(path), shorten(last.name)
    if verdict is _Verdict.MISSING:
        message = f'The queue "{shown}" does not exist, and the rule does not create queues.'
        hint = "Add the queue, or write create: true in the rule itself, not in a parent rule."
    elif verdict is _Verdict.BELOW_LEAF:
        message = f'The queue "{shown}" cannot be created, because "{name}" is a leaf.'
        hint = f'Write parent: true for "{name}".'
    else:
        code = RULE_NOT_LEAF
        message = f'The rule has to lead to a leaf, and "{shown}" is a parent.'
        hint = "Name a queue below it."
        if is_followed:
            message = f'The rule looks for a queue below "{shown}", which is not a parent.'
            hint = f'Write parent: true for "{name}".'
    repairs: tuple[Repair, ...] = ()
    if verdict is _Verdict.MISSING:
        repairs = _create_fix(rule, problems)
    elif verdict is _Verdict.BELOW_LEAF or is_followed:
        repairs = parent_fix(last, problems.findings)
    problems.add(code, _path_place(rule), message, hint, repairs, original=original)


def _create_fix(rule: RuleDoc, problems: Problems) -> tuple[Repair, ...]:
    """Return the repair that lets a rule create queues."""
    stated = rule.values.get("create")
    if stated is not None:
        return (replace(stated.place, "true", number=True),)
    if "create" in rule.values.keys:
        return ()
    return add_field(problems.findings, rule.values.place, rule.name_place, "create", "true")


def _note_textual_path(
    rule: RuleDoc,
    path: str,
    verdict: _Verdict,
    last: QueueDoc,
    nearest: QueueDoc,
    problems: Problems,
    original: str,
) -> None:
    """Report a path that is fine here, and that YuniKorn refuses for its spelling."""
    repairs: tuple[Repair, ...] = ()
    why, hint = (
        "its comparison of names is case-sensitive",
        "Write the names of queues in lower case.",
    )
    first = _fixed(rule)[0].value
    if first is not None and first.value.startswith(ROOT) and not _is_full(first.value, problems):
        full = f"{ROOT}.{first.value}"
        why = "it takes every value that begins with root for a full path"
        hint, repairs = f"Write {shorten(full)}.", (replace(first.place, full),)
    elif verdict is _Verdict.WRONG_KIND or (not nearest.states_parent and nearest is last):
        why = f'"{shorten(nearest.name)}" does not say parent: true'
        hint = f'Write parent: true for "{shorten(nearest.name)}".'
        repairs = parent_fix(nearest, problems.findings)
    problems.add(
        RULE_PATH_TEXT,
        _path_place(rule),
        f'YuniKorn refuses the path "{shorten(path)}" of the rule, because {why}.',
        hint,
        repairs,
        original=original,
    )


def _path_place(rule: RuleDoc) -> Place:
    """Return the place of the last fixed value of a path."""
    last = _fixed(rule)[-1]
    return last.value.place if last.value else last.name_place


def _fixed(rule: RuleDoc) -> list[RuleDoc]:
    """Return the fixed rules at the beginning of a chain."""
    return [*takewhile(lambda each: each.name == RuleKind.FIXED, rule.chain())]


def _check_build(rule: RuleDoc, problems: Problems) -> None:
    kind = rule.name.lower()
    if not _IDENTIFIER.fullmatch(rule.name):
        return
    if kind not in NAMES:
        hint, repairs = did_you_mean(problems.findings, rule.name_place, kind, NAMES)
        original = f"unknown rule name specified {rule.name}, {_FAILING}"
        if kind == RuleKind.RECOVERY:
            original = f"recovery rule cannot be part of the config, {_FAILING}"
        problems.add(
            RULE_NAME,
            rule.name_place,
            f"{quote(rule.name)} is not a placement rule.",
            hint or f"It is {listed(NAMES)}.",
            repairs,
            original="" if kind == "test" else original,
            stage=Stage.UPDATE,
        )
    elif kind in (RuleKind.FIXED, RuleKind.TAG):
        _check_value(rule, kind, problems)


def _check_value(rule: RuleDoc, kind: str, problems: Problems) -> None:
    value = rule.value.value if rule.value else ""
    place = rule.value.place if rule.value else rule.name_place
    if not value.strip():
        name = "queue" if kind == RuleKind.FIXED else "tag"
        problems.add(
            RULE_VALUE,
            place,
            f"A {kind} rule needs a value, the name of a {name}.",
            f"Add value with the name of a {name}.",
            original=f"a {kind} queue rule must have a {name} name set",
            stage=Stage.UPDATE,
        )
    elif kind == RuleKind.FIXED:
        begins = value.startswith(ROOT) or _is_full(value, problems)
        if rule.parent is not None and begins and not _is_fixed(rule.parent):
            _note_qualified(rule, value, problems, stage=Stage.UPDATE)
        for name in value.split("."):
            if not QUEUE_PATTERN.fullmatch(name):
                problems.add(
                    QUEUE_NAME,
                    place,
                    f"{quote(name)} is not a name of a queue."
                    if name
                    else "The path has an empty name.",
                    QUEUE_NAME_HINT,
                    original=QUEUE_NAME_ORIGINAL,
                    stage=Stage.UPDATE,
                )


def _is_fixed(rule: RuleDoc) -> bool:
    """Return whether the text fixes the path up to a rule, so that the check has looked at it."""
    return all(each.name == RuleKind.FIXED for each in rule.chain())
