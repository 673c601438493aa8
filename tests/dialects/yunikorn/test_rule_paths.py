"""The tables of placement rules: paths that the text fixes, names, and filters."""

from __future__ import annotations

import json

import pytest

from console.dialects.yunikorn.validator import validator_message
from console.engine.disciplines.hierarchy.spec import Filter
from tests.dialects.yunikorn.texts import read, repaired, spec_of

QUEUES = (
    "[{name: dev, parent: true, queues: [{name: users, parent: true}, {name: team}, "
    "{name: rooted}]}, "
    "{name: prod, queues: [{name: x}]}, {name: Ops}, {name: rootless}]"
)


def config(*rules: str, switches: str = "") -> str:
    """Return a config with rules in flow style."""
    first = f"x-compatibility: {switches}\n" if switches else ""
    return f"{first}partitions: [{{placementrules: [{', '.join(rules)}], queues: {QUEUES}}}]\n"


def fixed(value: str, parent: str = "", *, create: bool = False) -> str:
    """Return a fixed rule."""
    more = ", create: true" if create else ""
    more += f", parent: {parent}" if parent else ""
    return f"{{name: fixed, value: {value}{more}}}"


def user(parent: str) -> str:
    return f"{{name: user, parent: {parent}}}"


def not_a_leaf(chain: str, path: str) -> str:
    return f"placement rule no. #0 ({chain}) references a queue ({path}) which is not a leaf"


def missing(chain: str, path: str) -> str:
    return (
        f"placement rule no. #0 ({chain}) references non-existing queues ({path}) and create is "
        "'false'"
    )


BELOW_LEAF = (
    "placement rule no. #0 (fixed) references non-existing queues (root.dev.team.a) which cannot "
    "be created because the last queue (team) in the hierarchy is a leaf"
)
DEEP = "{name: tag, value: ns, parent: {name: user, parent: {name: fixed, value: root.nope}}}"

#: Rule, YuniKorn's message, the codes here, and those with the switch for YuniKorn's check.
TABLE: dict[str, tuple[str, str | None, list[str], list[str]]] = {
    "a leaf": (fixed("root.dev.team"), None, [], []),
    "a parent": (
        fixed("root.dev"),
        not_a_leaf("fixed", "root.dev"),
        ["YUN032"],
        ["YUN032"],
    ),
    "a parent that does not say so": (fixed("root.prod"), None, ["YUN062"], []),
    "users of a parent": (user(fixed("root.dev.users")), None, [], []),
    "users of a parent that does not say so": (
        user(fixed("root.prod")),
        not_a_leaf("fixed->user", "root.prod"),
        ["YUN063"],
        ["YUN032"],
    ),
    "users of the root": (user(fixed("root")), None, [], []),
    "a name in other letters": (
        fixed("ops"),
        missing("fixed", "root.ops"),
        ["YUN063"],
        ["YUN031"],
    ),
    "a queue below a leaf": (
        fixed("root.dev.team.a", create=True),
        BELOW_LEAF,
        ["YUN031"],
        ["YUN031"],
    ),
    "a queue that is created": (fixed("root.new.q", create=True), None, [], []),
    "a parent that only its own rule creates": (
        user(fixed("root.users", create=True)),
        missing("fixed->user", "root.users"),
        ["YUN031"],
        ["YUN031"],
    ),
    "two full paths": (
        fixed("root.a", fixed("root.b")),
        "illegal fully qualified 'fixed' rule with value root.a",
        ["YUN030"],
        ["YUN030"],
    ),
    "a name that begins with root": (
        fixed("rootless"),
        missing("fixed", "rootless"),
        ["YUN063"],
        ["YUN031"],
    ),
    "a missing name that begins with root": (
        fixed("roots"),
        missing("fixed", "roots"),
        ["YUN031"],
        ["YUN031"],
    ),
    "a name that begins with root below a full path": (
        fixed("rooted", fixed("root.dev")),
        "illegal fully qualified 'fixed' rule with value rooted",
        ["YUN063"],
        ["YUN030"],
    ),
    "a name that begins with root below users": (
        fixed("rooted", "{name: user, create: true}", create=True),
        None,
        ["YUN063"],
        ["YUN030"],
    ),
    "a full path in upper case": (
        fixed("ROOT.dev.team"),
        missing("fixed", "root.ROOT.dev.team"),
        ["YUN063"],
        ["YUN031"],
    ),
    "a chain of three": (DEEP, missing("fixed->user->tag", "root.nope"), ["YUN031"], ["YUN031"]),
    "a name below a full path": (fixed("team", fixed("root.dev")), None, [], []),
    "a chain that begins with another rule": (
        fixed("nope", "{name: user}"),
        None,
        [],
        [],
    ),
}


@pytest.mark.parametrize(("rule", "message", "codes", "as_there"), TABLE.values(), ids=TABLE)
def test_the_table(rule: str, message: str | None, codes: list[str], as_there: list[str]) -> None:
    assert validator_message(config(rule)) == (message, None)
    found = read(config(rule)).diagnostics
    assert [each.code for each in found] == codes
    assert message in {None, *(each.original for each in found)}
    found = read(config(rule, switches="textual_rule_paths")).diagnostics
    assert [each.code for each in found] == as_there


def test_rules_have_their_numbers() -> None:
    text = config("{name: provided}", fixed("root.dev.team"), fixed("root.dev"))
    message, _ = validator_message(text)
    assert message == not_a_leaf("fixed", "root.dev").replace("#0", "#2")


#: Rule, the message in the check, and that of an update; a start accepts all of the latter.
NAMES: dict[str, tuple[str | None, str | None]] = {
    "{name: 1rule}": ("invalid rule name 1rule, a name must be a valid identifier", None),
    "{create: true}": ("invalid rule name , a name must be a valid identifier", None),
    "{name: group}": (
        None,
        "unknown rule name specified group, failing placement rule config",
    ),
    "{name: recovery}": (
        None,
        "recovery rule cannot be part of the config, failing placement rule config",
    ),
    "{name: tag}": (None, "a tag queue rule must have a tag name set"),
    "{name: USER}": (None, None),
}


@pytest.mark.parametrize(("rule", "messages"), NAMES.items())
def test_names_of_rules(rule: str, messages: tuple[str | None, str | None]) -> None:
    in_check, of_update = messages
    found = validator_message(config(rule))
    assert found == (in_check, None)
    originals = [each.original for each in read(config(rule)).diagnostics]
    assert originals == [each for each in (in_check or of_update,) if each]


def test_the_parent_of_a_rule_is_checked_before_its_filter() -> None:
    bad = "filter: {type: refuse}"
    rule = f"{{name: user, {bad}, parent: {{name: 1rule, {bad}}}}}"
    message, _ = validator_message(config(rule))
    assert message == "invalid rule name 1rule, a name must be a valid identifier"


NO_LIST = "invalid rule filter user list is not a proper list or regexp: [{}]"

#: Users of a filter, YuniKorn's message, and the codes here.
FILTERS: dict[str, tuple[list[str], str | None, list[str]]] = {
    "nobody": ([], None, []),
    "a name": (["bob"], None, []),
    "a name of an expression": (["bob$"], None, ["YUN064"]),
    "an expression": (["^team-.*"], None, []),
    "one that is none": (["*"], NO_LIST.format("*"), ["YUN027"]),
    "a name that no one has": (["a b"], NO_LIST.format("a b"), ["YUN027"]),
    "two names": (["ann", "bob"], None, []),
    "an expression in a list": (["ann", ".*"], None, ["YUN061"]),
    "repetitions in repetitions": (["(a+)+$"], None, []),
    "many repetitions": (["a*b*c*d*"], None, []),
    "the end of a name": ([r"^bob\z"], None, []),
    "a repetition of an anchor": (["^*a"], None, []),
    "a quoted text": ([r"\Q\C(\E+"], None, []),
    "a class with what a name of a group begins with": (["[(?<é]+"], None, []),
    "an expression that is too large": ([r"\pL{1000}"], None, ["YUN028"]),
    "an expression that is too long": (["a+" * 5001], None, ["YUN028"]),
    "an expression of Python alone": (["(?=a)b"], NO_LIST.format("(?=a)b"), ["YUN027"]),
    "another end of a name": ([r"^bob\Z"], NO_LIST.format(r"^bob\Z"), ["YUN027"]),
    "a possessive repetition": (["a++"], NO_LIST.format("a++"), ["YUN027"]),
    "references": ([r"(a)\1"], NO_LIST.format(r"(a)\1"), ["YUN027"]),
    "more repetitions than Go has": (["a{1001}"], NO_LIST.format("a{1001}"), ["YUN027"]),
    "a byte": ([r"\C+"], NO_LIST.format(r"\C+"), ["YUN027"]),
    "a name of a group that Go refuses": (["(?P<é>a)"], NO_LIST.format("(?P<é>a)"), ["YUN027"]),
}


@pytest.mark.parametrize(("users", "message", "codes"), FILTERS.values(), ids=FILTERS)
def test_filters(users: list[str], message: str | None, codes: list[str]) -> None:
    text = config(f"{{name: user, filter: {{users: {json.dumps(users)}}}}}")
    assert validator_message(text) == (message, None)
    assert [each.code for each in read(text).diagnostics] == codes


#: Filter, and whether it accepts ann, bob, and cid of the group dev.
ACCEPTED: dict[str, tuple[bool, bool, bool]] = {
    "{}": (True, True, True),
    "{type: deny}": (False, False, False),
    "{users: [ann]}": (True, False, False),
    "{users: [ann], groups: [dev]}": (True, False, True),
    "{type: deny, users: [ann], groups: [dev]}": (False, True, False),
    '{users: ["n"]}': (False, False, False),
    '{users: ["n+"]}': (True, False, False),
    '{users: ["^.o"]}': (False, True, False),
    r'{users: ["^(([a-z])+.)+[A-Z]([a-z])+$"]}': (False, False, False),
    r"{users: ['^[[:alpha:]]*d\z']}": (False, False, True),
    "{type: Deny, users: [ann]}": (False, True, True),
}


def filter_of(text: str) -> Filter:
    return spec_of(text).partitions["default"].rules[0].filter


@pytest.mark.parametrize(("stated", "expected"), ACCEPTED.items())
def test_filters_accept(stated: str, expected: tuple[bool, bool, bool]) -> None:
    found = filter_of(config(f"{{name: provided, filter: {stated}}}"))
    people = (("ann", ()), ("bob", ("ops",)), ("cid", ("ops", "dev")))
    assert tuple(found.accepts(*each) for each in people) == expected


def test_filters_with_one_expression_are_equal() -> None:
    stated = "{name: provided, filter: {users: [^a+$], groups: ['(?i)b|C$']}}"
    found = [filter_of(config(stated)) for _ in range(2)]
    assert found[0] == found[1]
    assert len({*found}) == 1
    assert found[0] != filter_of(config(stated.replace("a+", "a*")))


def test_only_lower_case_denies_by_a_switch() -> None:
    rule = "{name: provided, filter: {type: Deny, users: [ann]}}"
    found = filter_of(config(rule, switches="deny_in_lower_case_only"))
    assert (found.accepts("ann", ()), found.accepts("bob", ())) == (True, False)


def test_the_full_path_is_written_for_a_name_that_begins_with_root() -> None:
    text = config(fixed("rootless"))
    assert repaired(text) == (
        text.replace("value: rootless", "value: root.rootless"),
        ['Replace with "root.rootless"'],
    )


def test_a_full_path_in_upper_case_below_a_full_path() -> None:
    text = config(fixed("ROOT.a", fixed("root.dev")))
    assert [each.code for each in read(text).errors] == ["YUN030"]
    message, _ = validator_message(text)
    assert message == missing("fixed->fixed", "root.dev.ROOT.a")
