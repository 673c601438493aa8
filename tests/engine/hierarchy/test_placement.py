"""Placement rules: where they put applications, and the verdict of each."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from console.engine.disciplines.hierarchy.placement import (
    Application,
    Attempt,
    Placement,
    Verdict,
    place,
)
from console.engine.disciplines.hierarchy.spec import (
    AccessList,
    Compatibility,
    Filter,
    Names,
    PlacementRule,
)
from console.engine.disciplines.hierarchy.tree import BAD_NAME, RuntimeTree
from tests.engine.hierarchy.builders import ALL_USERS, application, rule, spec, tree, users

REJECTED = None
RECOVERY = "root.@recovery@"

TABLE_QUEUES = {
    "root": {"submit": users("any-user")},
    "root.provided": {"submit": ALL_USERS},
    "root.acldeny": {},
    "root.parent": {"submit": ALL_USERS, "is_leaf": False},
}
DEFAULT_QUEUE = {"root.default": {"submit": ALL_USERS}}
CUSTOM_QUEUE = {"root.custom": {"submit": ALL_USERS}}
TABLE_RULES = (rule("provided"), rule("tag", "namespace", creates=True))
CUSTOM_RULE = rule("fixed", "root.custom")

NAMESPACE = {"namespace": "namespace"}
ANY, DENY = "any-user", "deny-user"


@pytest.mark.parametrize(
    ("queue", "tags", "is_forced", "user", "result", "with_default"),
    [
        ("", {}, False, ANY, REJECTED, "root.default"),
        ("provided", {}, False, ANY, "root.provided", "root.provided"),
        ("root.provided", {}, False, ANY, "root.provided", "root.provided"),
        ("unknown", {}, False, ANY, REJECTED, "root.default"),
        ("root.parent", {}, False, ANY, REJECTED, "root.default"),
        ("root.acldeny", {}, False, DENY, REJECTED, "root.default"),
        ("root.acldeny", {}, False, ANY, "root.acldeny", "root.acldeny"),
        ("unknown", NAMESPACE, False, ANY, "root.namespace", "root.namespace"),
        ("unknown", NAMESPACE, False, DENY, REJECTED, "root.default"),
        ("root.provided", {}, True, ANY, "root.provided", "root.provided"),
        ("unknown", NAMESPACE, True, ANY, "root.namespace", "root.namespace"),
        ("unknown", NAMESPACE, True, DENY, RECOVERY, RECOVERY),
        ("root.parent", {}, True, ANY, RECOVERY, RECOVERY),
        ("root.acldeny", {}, True, DENY, RECOVERY, RECOVERY),
        ("unknown", {}, True, ANY, RECOVERY, RECOVERY),
        ("unknown", {}, True, DENY, RECOVERY, RECOVERY),
    ],
)
def test_a_chain_of_two_rules(
    queue: str,
    tags: dict[str, str],
    is_forced: bool,
    user: str,
    result: str | None,
    with_default: str | None,
) -> None:
    app = application(queue, user, tags=tags, is_forced=is_forced)
    assert place(tree(TABLE_QUEUES), TABLE_RULES, app).queue == result
    assert place(tree(TABLE_QUEUES | DEFAULT_QUEUE), TABLE_RULES, app).queue == with_default
    # A third rule takes what the first two leave to the recovery queue and the default queue.
    third = (*TABLE_RULES, CUSTOM_RULE)
    custom = "root.custom" if result in (REJECTED, RECOVERY) else result
    assert place(tree(TABLE_QUEUES | CUSTOM_QUEUE), third, app).queue == custom
    both = tree(TABLE_QUEUES | CUSTOM_QUEUE | DEFAULT_QUEUE)
    assert place(both, third, app).queue == custom


OPEN = {"root": {"submit": ALL_USERS}, "root.a": {}, "root.p": {"is_leaf": False}, "root.p.x": {}}


@pytest.mark.parametrize(
    ("stated", "queue"),
    [
        ("a", "root.a"),
        ("A", "root.a"),
        ("root.a", "root.a"),
        ("root.P.X", "root.p.x"),
        ("root.new.q", "root.new.q"),
        ("p.x", "root.p_dot_x"),
        ("ROOT.a", "root.root_dot_a"),
        ("root", "root.root"),
        ("a/b:c#d@e-f_g", "root.a/b:c#d@e-f_g"),
    ],
)
@pytest.mark.parametrize("kind", ["provided", "tag"])
def test_a_stated_queue_is_a_path_or_a_name(kind: str, stated: str, queue: str) -> None:
    app = application(stated, tags={"namespace": stated})
    assert place(tree(OPEN), [rule(kind, "namespace", creates=True)], app).queue == queue


@pytest.mark.parametrize("stated", ["a b", "root.", "root.a.", "root.x y.z", "ä", "x" * 65])
@pytest.mark.parametrize("kind", ["provided", "tag"])
def test_a_name_that_is_not_valid_ends_the_chain(kind: str, stated: str) -> None:
    app = application(stated, tags={"namespace": stated})
    first = rule(kind, "namespace", creates=True)
    placement = place(tree(OPEN), [first, rule("fixed", "root.a")], app)
    assert placement == Placement(
        attempts=(Attempt(verdict=Verdict.BAD_NAME, rule=first, index=0, queue=stated),),
        problem=BAD_NAME,
    )
    assert placement.message("app") == f"failed to place application app: {BAD_NAME}"


@pytest.mark.parametrize(
    ("user", "queue"),
    [
        ("ann", "root.ann"),
        ("Ann.Lee", "root.ann_dot_lee"),
        ("root.ann", "root.root_dot_ann"),
        ("ann@example.org", "root.ann@example_dot_org"),
        ("bob$", None),
    ],
)
def test_the_name_of_a_user_is_never_a_path(user: str, queue: str | None) -> None:
    assert place(tree(OPEN), [rule("user", creates=True)], application(user=user)).queue == queue


def test_a_tag_has_its_name_in_any_case() -> None:
    app = application(tags={"NameSpace": "a"})
    assert place(tree(OPEN), [rule("tag", "NAMEspace")], app).queue == "root.a"


@pytest.mark.parametrize(
    ("value", "queue"),
    [("a", "root.a"), ("root.a", "root.a"), ("p.x", "root.p.x"), ("new.q", "root.new.q")],
)
def test_a_fixed_name_keeps_its_dots(value: str, queue: str) -> None:
    assert place(tree(OPEN), [rule("fixed", value, creates=True)], application()).queue == queue


def test_a_fixed_name_that_begins_like_the_root_is_a_path_in_yunikorn() -> None:
    first = rule("fixed", "rootfoo", creates=True)
    assert place(tree(OPEN), [first], application()).queue == "root.rootfoo"
    textual = tree(OPEN, Compatibility(textual_rule_paths=True))
    outside = Attempt(verdict=Verdict.OUTSIDE_ROOT, rule=first, index=0, queue="rootfoo")
    assert place(textual, [first], application()).attempts[0] == outside


USERS_BELOW_FIXED = rule("user", creates=True, parent=rule("fixed", "users", creates=True))


@pytest.mark.parametrize(
    ("first", "queue"),
    [
        (USERS_BELOW_FIXED, "root.users.ann_dot_lee"),
        (rule("user", creates=True, parent=rule("fixed", "users")), None),
        (rule("user", creates=True, parent=rule("fixed", "root.p")), "root.p.ann_dot_lee"),
        (rule("user", parent=rule("fixed", "root.p")), None),
        (rule("tag", "team", creates=True, parent=USERS_BELOW_FIXED), "root.users.ann_dot_lee.t"),
        (rule("user", creates=True, parent=rule("tag", "none", creates=True)), None),
        # A whole path needs no rule for the queue above.
        (rule("provided", parent=rule("fixed", "users")), "root.p.x"),
    ],
)
def test_a_rule_for_the_queue_above(first: PlacementRule, queue: str | None) -> None:
    app = application("root.p.x", "ann.lee", tags={"team": "t"})
    assert place(tree(OPEN), [first], app).queue == queue


def test_a_rule_for_the_queue_above_that_answers_a_leaf_ends_the_chain() -> None:
    parent = rule("fixed", "root.a")
    first = rule("user", creates=True, parent=parent)
    placement = place(tree(OPEN), [first, rule("fixed", "root.p.x")], application())
    inner = Attempt(verdict=Verdict.PARENT_IS_LEAF, rule=parent, queue="root.a", at="root.a")
    assert placement == Placement(
        attempts=(
            Attempt(verdict=Verdict.PARENT_IS_LEAF, rule=first, index=0, at="root.a", parent=inner),
        ),
        problem="parent rule returned a leaf queue: root.a",
    )


@dataclass(frozen=True)
class Ending:
    """An expression for the names with one end."""

    text: str

    def finds(self, name: str) -> bool:
        return name.endswith(self.text)


ANN = Names(names=frozenset({"ann"}))
FILTERS = {
    "names": (Filter(users=ANN, stated_users=("ann",)), "ann", ()),
    "groups": (
        Filter(groups=Names(names=frozenset({"ops"})), stated_groups=("ops",)),
        "kim",
        ("dev", "ops"),
    ),
    "expression": (
        Filter(users=Names(expression=Ending("nn")), stated_users=("nn$",)),
        "ann",
        (),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_for_some_users(name: str) -> None:
    allow, user, groups = FILTERS[name]
    deny = Filter(
        is_deny=True,
        users=allow.users,
        groups=allow.groups,
        stated_users=allow.stated_users,
        stated_groups=allow.stated_groups,
    )
    listed = application(user=user, groups=groups)
    other = application(user="bob", groups=("qa",))
    found = {
        kind: [
            place(tree(OPEN), [rule("fixed", "a", filter=each)], app).queue
            for app in (listed, other)
        ]
        for kind, each in (("allow", allow), ("deny", deny))
    }
    assert found == {"allow": ["root.a", None], "deny": [None, "root.a"]}


def test_a_filter_without_names_is_for_everybody_or_for_nobody() -> None:
    rules = [rule("fixed", "a", filter=Filter(is_deny=True))]
    assert place(tree(OPEN), rules, application()).queue is None
    assert place(tree(OPEN), [rule("fixed", "a", filter=Filter())], application()).queue == "root.a"


def test_every_rule_has_a_verdict() -> None:
    queues = {
        "root": {"submit": users("ann")},
        "root.p": {"is_leaf": False},
        "root.old": {},
        "root.default": {},
    }
    rules = [
        rule("provided"),
        rule("tag", "team", creates=True),
        rule("user", filter=Filter(users=ANN, stated_users=("ann",))),
        rule("fixed", "none"),
        rule("fixed", "x", parent=rule("fixed", "none")),
        rule("fixed", "root.p"),
        rule("fixed", "root.p.q", creates=True),
        rule("fixed", "root.default"),
    ]
    placement = place(tree(queues), rules, application(user="bob"))
    found = [(each.index, each.verdict, each.queue, each.at) for each in placement.attempts]
    assert found == [
        (0, Verdict.NO_INPUT, "", ""),
        (1, Verdict.NO_INPUT, "", ""),
        (2, Verdict.FILTERED, "", ""),
        (3, Verdict.MISSING, "root.none", ""),
        (4, Verdict.NO_PARENT, "", ""),
        (5, Verdict.NOT_A_LEAF, "root.p", "root.p"),
        (6, Verdict.NO_ACCESS, "root.p.q", "root.p"),
        (7, Verdict.NO_ACCESS, "root.default", "root.default"),
        (None, Verdict.NOT_FORCED, "", ""),
        (None, Verdict.NO_ACCESS, "root.default", "root.default"),
    ]
    assert placement.message("1") == (
        "failed to place application 1: application rejected: no placement rule matched"
    )
    assert placement.attempts[4].parent == Attempt(
        verdict=Verdict.MISSING, rule=rule("fixed", "none"), queue="root.none"
    )


def test_no_rules_mean_that_the_stated_queue_has_to_exist() -> None:
    assert place(tree(OPEN), (), application("root.a")).queue == "root.a"
    assert place(tree(OPEN), (), application("root.new")).queue is None


def test_a_draining_queue_takes_no_application() -> None:
    found = RuntimeTree.build(spec(OPEN))
    found.update(spec({path: OPEN[path] for path in ("root", "root.p", "root.p.x")}))
    rules = [rule("provided"), rule("fixed", "root.p.x")]
    placement = place(found, rules, application("root.a"))
    assert [(each.verdict, each.queue) for each in placement.attempts] == [
        (Verdict.DRAINING, "root.a"),
        (Verdict.ACCEPTED, "root.p.x"),
    ]


def test_the_recovery_queue_takes_an_ordinary_application_only_before_it_exists() -> None:
    found = tree(OPEN)
    rules = [rule("provided", creates=True)]
    assert place(found, rules, application(RECOVERY)).queue == RECOVERY
    found.create_recovery()
    assert place(found, rules, application(RECOVERY)).queue is None
    assert place(found, rules, application(RECOVERY, is_forced=True)).queue == RECOVERY


def test_access_by_a_group() -> None:
    queues = {"root": {}, "root.a": {"submit": AccessList(groups=frozenset({"dev"}))}}
    apps = [application("a", groups=("qa", "dev")), application("a", groups=("qa",))]
    assert [place(tree(queues), (), app).queue for app in apps] == ["root.a", None]


def test_an_application_states_nothing_but_its_id_and_user() -> None:
    assert place(tree(OPEN), (), Application(id="1", user="ann")).queue is None
