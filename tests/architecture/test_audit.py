"""Audit log coverage: every service that writes for an actor records an entry."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from console.orgs.audit import ACTIONS, KINDS
from tests.architecture.sources import nodes, syntax

ROOT = Path(__file__).resolve().parent.parent.parent
CONSOLE = ROOT / "console"

#: Methods that change rows; the last two belong to `console.bulk`.
WRITES = frozenset(
    {"create", "bulk_create", "get_or_create", "update_or_create", "save", "update", "delete"}
    | {"run", "run_and_read"}
)
RECORDS = frozenset({"record", "record_many", "record_person"})

#: Services that write for an actor and record nothing, each with its reason.
EXCEPTIONS = {
    "console.capacity.services.record_heartbeat.record_heartbeat": (
        "a sign of life every few seconds; the end of a silence is an event"
    ),
    "console.configs.services.visit_draft.visit_draft": "presence, seen while it lasts",
    "console.configs.services.visit_draft.leave_draft": "presence, seen while it lasts",
    "console.configs.services.save_draft.save_draft": (
        "saves itself every few seconds; what begins, moves and ends a draft is recorded"
    ),
    "console.configs.services.fix_draft.fix_draft": "a save of a draft, as any other",
    "console.workloads.services.answer_once.answer_once": "the request that it repeats records",
    "console.workloads.services.search_fully.search_fully": "a question, kept for an hour",
    "console.workloads.services.search_fully.cancel_search": "the end of a question",
    "console.workloads.services.hold_queue.request_hold_change": "part of hold and resume",
    "console.workloads.services.hold_queue.write_hold_event": "part of hold and resume",
    "console.workloads.services.move_holds.resume_moved": "the second half of move_holds",
}


def service_modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the dotted name and the syntax tree of every service module."""
    for path in sorted(CONSOLE.glob("*/services/*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield name, syntax(path)


def functions() -> dict[str, ast.FunctionDef]:
    """Return every function and method of services by dotted name."""
    return {
        f"{module}.{node.name}": node
        for module, tree in service_modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def names_known_in(module: str, tree: ast.Module) -> dict[str, str]:
    """Return the dotted name of each imported or defined name of *module*."""
    known = {
        node.name: f"{module}.{node.name}"
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            known |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return known


class Calls:
    """The call graph of services, and the calls that they make to other modules."""

    def __init__(self) -> None:
        self.functions = functions()
        self.direct: dict[str, set[str]] = {}
        self.methods: dict[str, set[str]] = {}
        for module, tree in service_modules():
            known = names_known_in(module, tree)
            for name, node in self.functions.items():
                if name.rpartition(".")[0] != module:
                    continue
                inside = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
                # A function that is passed as an argument counts as called.
                used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                self.direct[name] = {known[each] for each in used if each in known}
                self.methods[name] = {
                    call.func.attr
                    for call in inside
                    if isinstance(call.func, ast.Attribute) and is_of_rows(call.func.value)
                }

    def reached(self, name: str) -> set[str]:
        """Return the services that *name* calls, with itself, and their calls to other modules."""
        seen: set[str] = set()
        todo = [name]
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += self.direct.get(one, ())
        return seen

    def writes(self, name: str) -> bool:
        """Return whether *name* changes rows, directly or through another service."""
        return any(WRITES & self.methods.get(each, set()) for each in self.reached(name))

    def records(self, name: str) -> bool:
        """Return whether *name* records an entry, directly or through another service."""
        return any(each.rpartition(".")[2] in RECORDS for each in self.reached(name))


def is_of_rows(value: ast.expr) -> bool:
    """Return whether a method call belongs to rows, judged by its text, not to a plain set."""
    text = ast.unparse(value)
    return not text.startswith(("set(", "dict(", "hashlib."))


def takes_an_actor(function: ast.FunctionDef) -> bool:
    """Return whether *function* has an actor as a parameter."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return any(each.annotation and ast.unparse(each.annotation) == "Actor" for each in given)


def test_every_service_that_writes_for_an_actor_records_it() -> None:
    calls = Calls()
    acting = {
        name
        for name, function in calls.functions.items()
        if takes_an_actor(function) and not function.name.startswith("_") and calls.writes(name)
    }
    assert {"console.workloads.services.hold_queue.hold_queue"} <= acting
    silent = {name for name in acting if not calls.records(name)}
    assert silent == set(EXCEPTIONS)


def test_check_finds_a_service_that_does_not_record() -> None:
    calls = Calls()
    name = "console.workloads.services.end_workloads._write"
    calls.direct[name] = {each for each in calls.direct[name] if "record" not in each}
    finish = "console.workloads.services.end_workloads.finish_workloads"
    assert (calls.writes(finish), calls.records(finish)) == (True, False)


def test_every_action_is_recorded_somewhere() -> None:
    sources = [
        path.read_text("utf-8")
        for path in CONSOLE.rglob("*.py")
        if path != CONSOLE / "orgs" / "audit.py" and "pages/presenters" not in path.as_posix()
    ]
    forgotten = [each for each in ACTIONS if not any(f'"{each}"' in text for text in sources)]
    assert forgotten == []
    assert len(set(ACTIONS)) == len(ACTIONS)
    assert max(map(len, ACTIONS)) <= 40
    assert max(map(len, KINDS)) <= 20


def test_entries_are_only_ever_added_but_for_seals_and_retention() -> None:
    services = {"orgs/services/seal_audit.py", "orgs/services/forget_audit.py"}
    allowed = {"orgs/audit.py", "orgs/chain.py", *services}
    found = set()
    for path in CONSOLE.rglob("*.py"):
        here = path.relative_to(CONSOLE).as_posix()
        if "migrations" in here:
            continue
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr not in (WRITES | {"_raw_delete", "bulk_update"}):
                    continue
                text = ast.unparse(node.func.value)
                if "AuditEntry" in text or "org.audit" in text:
                    found.add(here)
    assert found <= allowed


def test_only_events_of_known_types_have_a_level_above_info() -> None:
    """`console.workloads.queries.event_search` looks for these levels among these types alone."""
    found = {
        path.relative_to(CONSOLE).as_posix()
        for path in CONSOLE.rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr in ("WARNING", "ERROR")
        and ast.unparse(node.value) == "Level"
    }
    of_events = {each for each in found if each.startswith(("workloads/", "configs/", "series/"))}
    assert of_events == {
        "workloads/queries/event_search.py",
        # REQUEST_PREEMPTED warns, REQUEST_REJECTED is an error.
        "workloads/services/batch.py",
        # CONFIG_UPDATED is an error when a revert failed.
        "configs/services/revert_unconfirmed.py",
        # ... or a scheduled change failed, and warns when one was superseded.
        "configs/services/carry_out_changes.py",
        # CLUSTER_SILENT warns.
        "workloads/receivers.py",
    }
