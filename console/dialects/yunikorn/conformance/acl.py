"""Cases of access: who may submit to a queue, and administer it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import MalformedCase, part
from console.dialects.conformance.result import Result, judged
from console.dialects.yunikorn.conformance.runner import PREFIX, Runner, read_spec
from console.dialects.yunikorn.conformance.steps import content, steps_of
from console.engine.disciplines.hierarchy.tree import RuntimeTree

#: The answer about a queue that does not exist. YuniKorn has no message for it.
_NO_QUEUE: Final = {"error": True}


def _run(name: str, case: Mapping[str, Any], engine: object) -> Result:
    tree = RuntimeTree.build(read_spec(part(case, "config", str)))
    found = []
    for kind, step in steps_of(case):
        if kind != "access":
            raise MalformedCase(f"a step of access is not {kind}")
        found.append(_access(tree, content(step, kind, ("queue", "user", "groups"))))
    expect = part(case, "expect", dict)
    answers = part(expect, "access", list)
    if len(answers) != len(found):
        raise MalformedCase(f"{len(found)} questions of access have {len(answers)} answers")
    differences = list(unknown_parts(expect, ("access",)))
    for number, (answer, access) in enumerate(zip(answers, found, strict=True), 1):
        wanted = _NO_QUEUE if "error" in answer else answer
        differences += single(f"the answer {number}", wanted, access)
    return judged(name, tuple(differences))


def _access(tree: RuntimeTree, words: Mapping[str, Any]) -> Mapping[str, object]:
    user, groups = part(words, "user", str), part(words, "groups", list)
    queue = tree.find(part(words, "queue", str))
    if queue is None:
        return _NO_QUEUE
    return {
        "submit": queue.may_submit(user, groups),
        "admin": queue.may_administer(user, groups),
    }


RUNNERS: Final[dict[str, Runner]] = {f"{PREFIX}acl": _run}
