"""
Mutated documents of every dialect are read and linted within a time limit.

``MUTATIONS=10000`` checks that many mutations of every dialect.
"""

from __future__ import annotations

import os
import time

import pytest

from console.dialects import dialects
from console.dialects.base import Dialect
from tests.dialects.mutations import Mutant, mutant
from tests.dialects.test_contract import check_diagnostic, check_reading

COUNT = int(os.environ.get("MUTATIONS", "300"))
#: Limit in seconds of processor time for reading and linting.
MOST = 1.0
EVERY = pytest.mark.parametrize("dialect", dialects().values(), ids=dialects())


@EVERY
def test_every_mutation_is_read_and_linted_in_time(dialect: Dialect):
    sound = 0
    for number in range(COUNT):
        each = mutant(dialect, number)
        start = time.process_time()
        checked = each.check(dialect)
        took = time.process_time() - start
        # On a busy machine a single measurement may be slow, but not three.
        assert took < MOST or min(_again(each, dialect) for _ in range(2)) < MOST, number
        assert checked.reading.ok == (checked.reading.policy is not None), number
        check_reading(checked.reading, each.text)
        for lint in checked.lints:
            check_diagnostic(lint)
        sound += checked.reading.ok
    # Some mutations are valid, so that lints are tested too.
    assert sound > COUNT // 20


def test_mutations_are_reproducible_by_number():
    for dialect in dialects().values():
        texts = [mutant(dialect, number).text for number in range(20)]
        assert texts == [mutant(dialect, number).text for number in range(20)]
        assert len(set(texts)) > 15


def _again(each: Mutant, dialect: Dialect) -> float:
    start = time.process_time()
    each.check(dialect)
    return time.process_time() - start
