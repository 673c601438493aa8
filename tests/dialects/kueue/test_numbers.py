"""Numbers in fields mean what the API server makes of them; all other texts are rejected."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.kueue import DIALECT
from console.dialects.kueue.values import read_quantity, read_whole32
from console.dialects.numbers import NumberProblem
from console.dialects.quantity import INT64_MAX, Quantity, parse_quantity

_TENS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_TWOS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
SUFFIXES = {
    **{suffix: Fraction(10) ** power for suffix, power in _TENS.items()},
    **{suffix: Fraction(2) ** power for suffix, power in _TWOS.items()},
}
DIGITS = st.text("0123456789", min_size=1, max_size=12)
NUMBERS = st.one_of(
    DIGITS.map(lambda whole: (whole, Fraction(int(whole)))),
    DIGITS.map(lambda whole: (f"{whole}.", Fraction(int(whole)))),
    DIGITS.map(lambda rest: (f".{rest}", Fraction(int(rest), 10 ** len(rest)))),
    st.tuples(DIGITS, DIGITS).map(
        lambda both: (".".join(both), Fraction(int("".join(both)), 10 ** len(both[1])))
    ),
)
EXPONENTS = st.tuples(
    st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 30)
).map(lambda parts: ("{}{}{}".format(*parts), Fraction(10) ** int(f"{parts[1]}{parts[2]}")))
ENDINGS = st.one_of(st.sampled_from(sorted(SUFFIXES.items())), EXPONENTS)


def nanos(value: Fraction) -> int:
    """Return a number in billionths as the API server stores it: rounded up, and bounded."""
    return min(-(-value * 10**9 // 1), INT64_MAX * 10**9)


@given(number=NUMBERS, ending=ENDINGS, sign=st.sampled_from(["", "+"]))
def test_texts_of_the_quantity_grammar_are_read_exactly(
    number: tuple[str, Fraction], ending: tuple[str, Fraction], sign: str
):
    text = f"{sign}{number[0]}{ending[0]}"
    read = read_quantity(text, plain=False)
    assert isinstance(read, Quantity)
    assert read.nanos == nanos(number[1] * ending[1])


def follows_the_grammar(text: str) -> bool:
    """Return whether *text* follows Kubernetes' quantity grammar, by an independent parser."""
    rest = text[1:] if text[:1] in ("+", "-") else text
    whole = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    rest = rest[len(whole) :]
    decimals = ""
    if rest.startswith("."):
        rest = rest[1:]
        decimals = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        rest = rest[len(decimals) :]
    if not whole and not decimals:
        return False
    if rest in SUFFIXES:
        return True
    exponent = rest[1:].removeprefix("+") if rest[1:2] == "+" else rest[1:].removeprefix("-")
    return rest[:1] in ("e", "E") and exponent.isascii() and exponent.isdigit()


@given(text=st.text("0159.+-eEkKmMiGuPn _", max_size=7))
def test_texts_outside_the_quantity_grammar_are_rejected(text: str):
    try:
        parse_quantity(text)
    except ValueError:
        assert not follows_the_grammar(text)
    else:
        assert follows_the_grammar(text)


@given(number=NUMBERS, ending=st.one_of(st.just(("", Fraction(1))), EXPONENTS))
def test_unquoted_number_is_its_json_integer(
    number: tuple[str, Fraction], ending: tuple[str, Fraction]
):
    text = f"{number[0]}{ending[0]}"
    read = read_quantity(text, plain=True)
    if text.isdigit() and text.startswith("0") and int(text) > 7:
        # YAML readers disagree on these: some read them as octal.
        return
    sent = json.loads(json.dumps(int(text) if text.isdigit() else float(text)))
    if sent == int(sent) and sent <= INT64_MAX:
        assert isinstance(read, Quantity)
        assert read.nanos == nanos(Fraction(int(sent)))
    else:
        assert isinstance(read, NumberProblem)
        assert read.code.code == "KUE029"


@pytest.mark.parametrize(
    ("text", "plain", "number"),
    [
        ("3", True, 3),
        ("3.0", True, 3),
        ("1e3", True, 1000),
        ("-2147483648.0", True, -(2**31)),
        ("2147483648.0", True, "DOC014"),
        ("1.5", True, "DOC016"),
        ("3", False, "DOC010"),
        ("3.0", False, "DOC010"),
        ("1e400", True, "DOC009"),
        ("010", True, "DOC015"),
        ("9" * 200, True, "DOC014"),
    ],
)
def test_a_whole_number_may_have_a_point_or_an_exponent(text: str, plain: bool, number: int | str):
    read = read_whole32(text, plain=plain)
    assert (read.code.code if isinstance(read, NumberProblem) else read) == number


HEAD = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: f
      resources:
      - name: cpu
        nominalQuota: """


def test_a_fraction_without_quotes_is_an_error_with_two_fixes():
    (error,) = DIALECT.read(f"{HEAD}1.5\n", {}).errors
    assert (error.code, error.hint) == ("KUE029", "Quote it, or write it with a suffix.")
    assert error.message == (
        "nominalQuota: 1.5 without quotes is not an integer of 64 bits, and the API server takes "
        "an integer or a text."
    )
    assert [fix.title for fix in error.fixes] == ['Write "1.5"', "Write 1500m"]
    for written in ('"1.5"', "1500m", "1.5k"):
        policy = DIALECT.read(f"{HEAD}{written}\n", {}).policy
        assert policy is not None
