"""Texts of access lists: who may do something, and which texts YuniKorn refuses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from console.dialects.yunikorn.access import read_access
from console.dialects.yunikorn.validator import validator_message
from console.engine.disciplines.hierarchy.spec import AccessList
from tests.dialects.yunikorn.texts import in_partition, read


def access(users: Sequence[str] = (), groups: Sequence[str] = ()) -> AccessList:
    """Return the access of users and groups."""
    return AccessList(users=frozenset(users), groups=frozenset(groups))


ALL_USERS = AccessList(is_all_users=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", access()),
        (" ", access()),
        ("*", ALL_USERS),
        (" *", ALL_USERS),
        ("* ", ALL_USERS),
        ("* g", ALL_USERS),
        ("u *", ALL_USERS),
        ("u1,u2", access(["u1", "u2"])),
        ("u1 g1,g2", access(["u1"], ["g1", "g2"])),
        (" g1", access([], ["g1"])),
        ("u1 ", access(["u1"])),
        # The star is no name among others.
        ("u,*", access(["u"])),
        (" g,*", access([], ["g"])),
        # Names that are not valid have no effect.
        ("a:b,u#,u/,1u,-u,_u,u.v@w-x,u$", access(["_u", "u.v@w-x", "u$"])),
        (" g.h,g:h,1g,_g,g-h,G", access([], ["_g", "g-h", "G"])),
        ("u,,v", access(["u", "v"])),
    ],
)
def test_texts(text: str, expected: AccessList) -> None:
    assert read_access(text) == expected


MESSAGE = "multiple spaces found in ACL: "
LOADING = "registration of RM failed: "


@pytest.mark.parametrize(
    ("text", "error", "load_error"),
    [
        ("u g", None, None),
        ("u", None, None),
        (" ", None, None),
        ("a b c", f"{MESSAGE}'a b c'", None),
        ("  a  b  c ", f"{MESSAGE}'a  b  c'", None),
        ("a  b", None, f"{MESSAGE}'a  b'"),
        (" g ", None, f"{MESSAGE}' g '"),
        ("  ", None, f"{MESSAGE}'  '"),
    ],
)
@pytest.mark.parametrize("key", ["submitacl", "adminacl"])
def test_texts_with_several_spaces(
    key: str, text: str, error: str | None, load_error: str | None
) -> None:
    found = validator_message(f"partitions: [{{queues: [{{name: a, {key}: '{text}'}}]}}]")
    assert found[0] == error
    if load_error is None:
        assert found[1] is None
    else:
        assert (found[1] or "").startswith(LOADING)
        assert (found[1] or "").endswith(load_error)


def test_names_have_a_case() -> None:
    found = read_access("Ann Dev")
    assert [found.allows(user, groups) for user, groups in (("Ann", ()), ("ann", ("dev",)))] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ann,bob dev", []),
        ("ann,,bob ", []),
        ("* g.h", []),
        ("ann,*", [("YUN059", "")]),
        ("u:v g.h", [("YUN059", ""), ("YUN059", "")]),
        ("a b c", [("YUN024", f"{MESSAGE}'a b c'")]),
        ("a  b", [("YUN024", f"{MESSAGE}'a  b'")]),
    ],
)
@pytest.mark.parametrize("key", ["submitacl", "adminacl"])
def test_findings_about_texts(key: str, text: str, expected: list[tuple[str, str]]) -> None:
    found = read(in_partition(f"{{name: a, {key}: '{text}'}}")).diagnostics
    assert {each.path for each in found} <= {f"partitions[0].queues[0].{key}"}
    assert [each.code for each in found] == [code for code, _ in expected]
    for each, (_, original) in zip(found, expected, strict=True):
        assert each.original.endswith(original)
