"""The tables of limits: of one queue, and against those of the queues above."""

from __future__ import annotations

import pytest

from console.dialects.yunikorn.validator import validator_message
from console.engine.disciplines.hierarchy.spec import Limit
from tests.dialects.yunikorn.texts import in_partition, read, spec_of


def limited(name: str, limits: str, *below: str, more: str = "") -> str:
    """Return a queue in flow style with limits, and more fields if any."""
    queues = f", queues: [{', '.join(below)}]" if below else ""
    return f"{{name: {name}, limits: [{limits}]{more}{queues}}}"


NOBODY = "empty user and group lists defined in limit '{x [] [] map[] 1}'"
LATE_USER = "should not set no wildcard user bob after wildcard user limit"
LATE_GROUP = "should not set no wildcard group dev after wildcard group limit"
ALONE = (
    "should not specify only one group limit that is using the wildcard. There must be at least "
    "one limit with a group name defined "
)
ZERO = "MaxResources should be greater than zero in 'x' limit"
NOTHING = "invalid resource combination for limit x all resource limits are null"
APPLICATIONS = (
    "invalid MaxApplications settings for limit x exceed current the queue MaxApplications"
)
RESOURCES = "invalid MaxResources settings for limit x exeecd current the queue MaxResources"
NO_NUMBER = (
    "user bob max applications 0 of queue c is greater than immediate or ancestor parent max "
    "applications 3"
)
OVER_OTHERS = (
    "user bob max applications 4 of queue c is greater than wildcard max applications 3 of "
    "immediate or ancestor parent queue"
)
OVER_OWN = (
    "user bob max resource map[memory:11] of queue c is greater than immediate or ancestor parent "
    "maximum resource map[memory:10]"
)
OVER_BOTH = (
    "user bob max resource map[memory:20] of queue c is greater than immediate or ancestor parent "
    "maximum resource map[memory:10 vcore:5000]"
)
OVER_WILDCARD = (
    "group dev max resource map[memory:11] of queue c is greater than wildcard maximum resource "
    "map[memory:10] of immediate or ancestor parent queue"
)
BOB, OTHERS = "users: [bob]", 'users: ["*"]'

#: Queues, YuniKorn's message, and the codes here besides those of units.
TABLE: dict[str, tuple[str, str | None, list[str]]] = {
    "nobody": (limited("a", "{limit: x, maxapplications: 1}"), NOBODY, ["YUN015"]),
    "a user after the wildcard": (
        limited("a", f"{{{OTHERS}, maxapplications: 1}}, {{{BOB}, maxapplications: 1}}"),
        LATE_USER,
        ["YUN018"],
    ),
    "the wildcard after a user": (
        limited("a", '{users: [bob, "*"], maxapplications: 1}'),
        None,
        [],
    ),
    "a wildcard group alone": (
        limited("a", '{groups: ["*"], maxapplications: 1}'),
        ALONE,
        ["YUN019"],
    ),
    "a wildcard group after another": (
        limited("a", '{groups: [dev], maxapplications: 1}, {groups: ["*"], maxapplications: 1}'),
        None,
        [],
    ),
    "a group after the wildcard in one list": (
        limited("a", '{groups: ["*", dev], maxapplications: 1}'),
        LATE_GROUP,
        ["YUN018"],
    ),
    "all quantities 0": (
        limited("a", f"{{limit: x, {BOB}, maxresources: {{memory: 0}}}}"),
        ZERO,
        ["YUN020"],
    ),
    "one quantity above 0": (
        limited("a", f"{{{BOB}, maxresources: {{memory: 0, vcore: 1}}}}"),
        None,
        [],
    ),
    "no limit": (limited("a", f"{{limit: x, {BOB}}}"), NOTHING, ["YUN021"]),
    "all quantities 0 with a number of applications": (
        limited("a", f"{{limit: x, {BOB}, maxresources: {{memory: 0}}, maxapplications: 3}}"),
        ZERO,
        ["YUN020"],
    ),
    "more applications than the queue": (
        limited("a", f"{{limit: x, {BOB}, maxapplications: 3}}", more=", maxapplications: 2"),
        APPLICATIONS,
        ["YUN022"],
    ),
    "more resources than the queue": (
        limited(
            "a",
            f"{{limit: x, {BOB}, maxresources: {{vcore: 6}}}}",
            more=", resources: {max: {vcore: 5}}",
        ),
        RESOURCES,
        ["YUN022"],
    ),
    "more resources than the queue above": (
        "{name: p, resources: {max: {vcore: 5}}, queues: ["
        + limited("a", f"{{limit: x, {BOB}, maxresources: {{vcore: 6}}}}")
        + "]}",
        None,
        [],
    ),
    "no number of applications below one": (
        limited(
            "root",
            f"{{{BOB}, maxapplications: 3}}",
            limited("c", f"{{{BOB}, maxresources: {{vcore: 1}}}}"),
        ),
        NO_NUMBER,
        ["YUN023"],
    ),
    "more applications than all others above": (
        limited(
            "root",
            f"{{{OTHERS}, maxapplications: 3}}",
            limited("c", f"{{{BOB}, maxapplications: 4}}"),
        ),
        OVER_OTHERS,
        ["YUN023"],
    ),
    "more resources than far above": (
        limited(
            "root",
            f"{{{BOB}, maxresources: {{memory: 10}}}}",
            f"{{name: m, queues: [{limited('c', f'{{{BOB}, maxresources: {{memory: 11}}}}')}]}}",
        ),
        OVER_OWN,
        ["YUN023"],
    ),
    "another resource than all others above": (
        limited(
            "root",
            f"{{{OTHERS}, maxresources: {{memory: 10}}}}",
            limited("c", f"{{{BOB}, maxresources: {{vcore: 11}}}}"),
        ),
        None,
        [],
    ),
    "a group above all others": (
        limited(
            "root",
            '{groups: [ops], maxapplications: 9}, {groups: ["*"], maxresources: {memory: 10}}',
            limited("c", "{groups: [dev], maxresources: {memory: 11}}"),
        ),
        OVER_WILDCARD,
        ["YUN023"],
    ),
    "a name twice": (
        limited("a", f"{{{BOB}, maxapplications: 1}}, {{{BOB}, maxapplications: 2}}"),
        "duplicated user name 'bob', already exists",
        ["YUN017"],
    ),
    "all others below a name": (
        limited(
            "root",
            f"{{{BOB}, maxapplications: 3}}",
            limited("c", f"{{{OTHERS}, maxapplications: 9}}"),
        ),
        None,
        [],
    ),
    "resources of two queues above": (
        limited(
            "root",
            f"{{{BOB}, maxresources: {{memory: 10}}}}",
            limited(
                "m",
                f"{{{BOB}, maxresources: {{vcore: 5}}}}",
                limited("c", f"{{{BOB}, maxresources: {{memory: 20}}}}"),
            ),
        ),
        OVER_BOTH,
        ["YUN023"],
    ),
}


@pytest.mark.parametrize(("queues", "message", "codes"), TABLE.values(), ids=TABLE)
def test_the_table(queues: str, message: str | None, codes: list[str]) -> None:
    text = in_partition(queues)
    assert validator_message(text) == (message, None)
    found = [each for each in read(text).diagnostics if each.code != "YUN058"]
    assert [each.code for each in found] == codes
    assert message in {None, *(each.original for each in found)}


NAMES = {
    "users": {
        **dict.fromkeys(("bob", "_b", "b.o@b-1", "a:b#c/d", "bob$", "*"), True),
        **dict.fromkeys(("1bob", "bob ", "b$b", "", "ö", "-b"), False),
    },
    "groups": {
        **dict.fromkeys(("dev", "_d", "d.e:v-1"), True),
        **dict.fromkeys(("1dev", "d#v", "d/v", "d@v", "dev$", ""), False),
    },
}


@pytest.mark.parametrize(
    ("kind", "name", "is_valid"),
    [(kind, name, valid) for kind, names in NAMES.items() for name, valid in names.items()],
)
def test_names(kind: str, name: str, is_valid: bool) -> None:
    text = in_partition(limited("a", f'{{{kind}: ["{name}"], maxapplications: 1}}'))
    message, _ = validator_message(text)
    what = kind.removesuffix("s")
    expected = None if is_valid else f"invalid limit {what} name '{name}' in limit definition"
    assert message == expected
    assert [each.code for each in read(text).diagnostics] == ([] if is_valid else ["YUN016"])


LIMITS = "[{users: [bob], maxapplications: 1}]"


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ("", None),
        (f", limits: {LIMITS}", None),
        (", limits: []", None),
        (
            ", limits: [{users: [bob], maxapplications: 2}]",
            "partition limits and root queue limits are not equivalent",
        ),
    ],
)
def test_limits_of_a_partition_are_those_of_its_root(own: str, message: str | None) -> None:
    text = f"partitions: [{{limits: {LIMITS}, queues: [{{name: root{own}}}]}}]\n"
    assert validator_message(text) == (message, None)
    if message is None:
        (limit,) = spec_of(text).queues["root"].limits
        assert limit == Limit(users=("bob",), applications=1, origin=limit.origin)
    else:
        assert [each.code for each in read(text).diagnostics] == ["YUN014"]


def test_a_maximum_that_cannot_be_read_is_reported_once() -> None:
    queue = limited(
        "a",
        f"{{limit: x, {BOB}, maxresources: {{vcore: 1}}}}",
        more=", resources: {max: {vcore: 2K}}",
    )
    text = in_partition(queue)
    assert validator_message(text) == ("parse queue a max resource failed: invalid suffix", None)
    assert [each.code for each in read(text).diagnostics] == ["YUN008"]
