"""
Property: losing a worker's warm state at any time changes no row.

Two organizations get the same random requests in the same order. The worker of
one keeps its state warm; that of the other loses it between batches, as after a
crash or with another worker. Every row they write has to be the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from console.configs.services.apply_config import apply_config
from console.errors import NotFound
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.workloads.lease import read_engine_row
from console.workloads.models import (
    Decision,
    Engine,
    Event,
    Intake,
    PendingClass,
    QueueCount,
    State,
    Usage,
    Workload,
)
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.services.hold_queue import hold_queue, resume_queue
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

FLAVORS = """
resource_flavors:
  - {name: fast, selector: [{key: kind, operator: in, values: [x]}]}
  - {name: slow}
"""
QUEUES = {
    "train": """
  - name: train
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - {name: fast, resources: [{name: gpu, nominal_quota: 3}, {name: cpu, nominal_quota: 9}]}
          - {name: slow, resources: [{name: gpu, nominal_quota: 4}]}
""",
    "train:v2": """
  - name: train:v2
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: slow, resources: [{name: gpu, nominal_quota: 3}]}
""",
    "batch": """
  - name: batch
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: slow, resources: [{name: gpu, nominal_quota: 2}]}
""",
    "lab": """
  - name: lab
    cohort_name: ml
    preemption: {within_resource_queue: lower_priority, reclaim_within_cohort: any}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: fast, resources: [{name: gpu, nominal_quota: 2}]}
          - {name: slow, resources: [{name: gpu, nominal_quota: 3}]}
""",
    "guest": """
  - name: guest
    cohort_name: ml
    preemption:
      within_resource_queue: lower_priority
      reclaim_within_cohort: lower_priority
      borrow_within_cohort: lower_priority
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: fast, resources: [{name: gpu, nominal_quota: 0}]}
          - {name: slow, resources: [{name: gpu, nominal_quota: 1}]}
""",
    "open": "  - {name: open}\n",
}
BATCH_RULE = "  - {selector: [{key: team, operator: in, values: [b]}], resource_queue: batch}\n"
GUEST_RULE = "  - {selector: [{key: team, operator: in, values: [b]}], resource_queue: guest}\n"
OPEN_RULE = "  - {selector: [{key: team, operator: in, values: [b]}], resource_queue: open}\n"
CLAMPED = "{min: 1, max: 3, default: 2, on_violation: force_update}"


def _config(queues: list[str], rules: str) -> str:
    listed = "".join(QUEUES[name] for name in queues)
    return f"{FLAVORS}resource_queues:\n{listed}scheduling_rules:\n{rules}"


CONFIGS = (
    _config(["train", "batch"], BATCH_RULE + "  - {resource_queue: train}\n"),
    _config(["train:v2", "batch"], BATCH_RULE + "  - {resource_queue: 'train:v2'}\n"),
    _config(["train", "open"], OPEN_RULE + "  - {resource_queue: train}\n"),
    _config(["train", "batch"], BATCH_RULE),
    _config(["lab", "guest"], GUEST_RULE + "  - {resource_queue: lab}\n"),
    _config(["lab", "guest", "train"], GUEST_RULE + "  - {resource_queue: lab}\n"),
    _config(
        ["train", "batch"],
        f"  - {{resource_queue: train, priority_policy: {CLAMPED}}}\n",
    ),
    "{}",
)


VERBS: dict[str, tuple[Callable[[Actor, list[str]], None], tuple[State, ...]]] = {
    "finish": (finish_workloads, (State.ADMITTED, State.PREEMPTING)),
    "withdraw": (withdraw_workloads, (State.PENDING, State.ADMITTED)),
    "release": (release_workloads, (State.PREEMPTING,)),
}


class World:
    """An organization and its requests, which name workloads by their names."""

    def __init__(self, slug: str) -> None:
        self.org = create_org(slug, slug, owner=None)
        self.actor = Actor(org=self.org, role=Role.OWNER, name="owner", key="user:0")
        self.version = 0

    def submit(self, submissions: list[Submission]) -> None:
        submit_workloads(self.actor, submissions)

    def end(self, verb: Callable[[Actor, list[str]], None], names: list[str]) -> None:
        rows = Workload.objects.filter(org=self.org, name__in=names)
        verb(self.actor, list(rows.order_by("pk").values_list("uid", flat=True)))

    def apply(self, text: str) -> None:
        # Applying the active text creates no version.
        self.version = apply_config(self.actor, "native", text, "", self.version).number

    def hold(self, queue: str) -> None:
        with suppress(NotFound):
            hold_queue(self.actor, queue, "because")

    def resume(self, queue: str) -> None:
        with suppress(NotFound):
            resume_queue(self.actor, queue)

    def names(self, states: tuple[State, ...]) -> list[str]:
        rows = Workload.objects.filter(org=self.org, state__in=states).order_by("pk")
        return list(rows.values_list("name", flat=True))


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


@pytest.fixture
def one_batch(monkeypatch: pytest.MonkeyPatch) -> Callable[[World], None]:
    """Return a function that runs the engine for one batch, as if its time were up then."""
    answers: list[bool] = []
    monkeypatch.setattr(run_engine_module, "PAUSE", 0)
    monkeypatch.setattr(run_engine_module, "_has_time", lambda _: bool(answers and answers.pop()))

    def run(world: World) -> None:
        answers[:] = [True]
        run_engine(world.org.pk)

    return run


@pytest.mark.parametrize(("seed", "batch"), [(1, 1), (2, 2), (3, 5), (4, 1), (5, 2), (6, 1000)])
def test_forgetting_changes_no_row(
    db: None,
    seed: int,
    batch: int,
    one_batch: Callable[[World], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_engine_module, "BATCH", batch)
    chance = random.Random(seed)
    worlds = warm, forgetful = World("here"), World("elsewhere")

    def settle() -> None:
        for world in worlds:
            while read_engine_row(world.org.pk).has_work:
                if world is forgetful and chance.random() < 0.6:
                    run_engine_module._warm.drop(world.org.pk)
                one_batch(world)
                assert usage_written(world.org) == usage_held(world.org)
        same(warm.org, forgetful.org)

    for number in range(40):
        ask = request(chance, number, warm)
        for world in worlds:
            ask(world)
        if chance.random() < 0.7:
            settle()
    settle()
    for world in worlds:
        assert not Intake.objects.filter(org=world.org).exists()
        check_counts(world.org)


def request(chance: random.Random, number: int, world: World) -> Callable[[World], None]:
    """Draw a request for the organizations in the state of *world*."""
    kind = chance.choices(
        ["submit", "finish", "withdraw", "release", "hold", "resume", "apply"],
        [8, 4, 2, 6, 1, 2, 2],
    )[0]
    if kind == "submit":
        submissions = [submission(chance, f"w{number}.{i}") for i in range(chance.randint(1, 4))]
        return lambda world: world.submit(submissions)
    if kind == "hold":
        queue = chance.choice(list(QUEUES))
        return lambda world: world.hold(queue)
    if kind == "resume":
        queue = chance.choice(list(QUEUES))
        return lambda world: world.resume(queue)
    if kind == "apply":
        text = chance.choice(CONFIGS)
        return lambda world: world.apply(text)
    verb, states = VERBS[kind]
    possible = world.names(states)
    chosen = chance.sample(possible, min(len(possible), chance.randint(1, 3)))
    return lambda world: world.end(verb, chosen)


def submission(chance: random.Random, name: str) -> Submission:
    return Submission(
        name=name,
        tags={"team": chance.choice("aab")} | ({"kind": "x"} if chance.random() < 0.5 else {}),
        priority=chance.choice([None, 0, 1, 2, 3, 9]),
        requests={"gpu": chance.choice([1000, 1000, 2000, 3000, 5000])},
    )


def same(one: Organization, other: Organization) -> None:
    """Compare row by row, so that a failure shows the first different row."""
    expected, found = rows_of(one), rows_of(other)
    for kind, rows in expected.items():
        if isinstance(rows, list):
            for row, twin in zip(rows, found[kind], strict=False):
                assert row == twin, kind
        assert rows == found[kind], kind


def rows_of(org: Organization) -> dict[str, Any]:
    """Return all rows that the engine wrote for *org*, with names instead of ids."""
    names = dict(Workload.objects.filter(org=org).values_list("uid", "name"))
    keys = dict(Workload.objects.filter(org=org).values_list("pk", "name"))

    def told(key: str | None) -> str | None:
        for uid, name in names.items():
            if key and key.endswith(uid):
                return key.replace(uid, name)
        return key

    columns = (
        "name", "state", "reason", "queue", "priority", "rule_index", "config_version",
        "assignment", "preemptions",
    )  # fmt: skip
    return {
        "workloads": [
            (*row, {names[uid] for uid in victims}, names.get(preemptor), told(key))
            for *row, victims, preemptor, key in Workload.objects.filter(org=org)
            .order_by("pk")
            .values_list(*columns, "victims", "preemptor", "pending_class")
        ],
        # Only their order matters; a rebuilt state need not know numbers that became free.
        "reservations": list(
            Workload.objects.filter(org=org, state__in=(State.ADMITTED, State.PREEMPTING))
            .order_by("reservation")
            .values_list("name", flat=True)
        ),
        # Ordered per workload: the order between queues is undefined.
        "decisions": [
            (keys[pk], *row)
            for pk, *row in Decision.objects.filter(org=org)
            .order_by("workload", "pk")
            .values_list(
                "workload", "outcome", "reason", "queue", "priority", "rule_index", "assignment"
            )
        ],
        "events": [
            (keys.get(pk), *kind)
            for pk, *kind in Event.objects.filter(org=org)
            .order_by("workload", "pk")
            .values_list("workload", "type", "queue")
        ],
        "classes": sorted(
            (told(key), *map(str, row))
            for key, *row in PendingClass.objects.filter(org=org).values_list(
                "key", "queue", "priority", "requests", "reason", "missing", "count"
            )
        ),
        "usage": sorted(
            Usage.objects.filter(org=org).values_list("queue", "flavor", "resource", "used")
        ),
        "queues": sorted(
            QueueCount.objects.filter(org=org).values_list("queue", "running", "pending")
        ),
        "engine": Engine.objects.values("config_version", "is_settled", "counts").get(org=org),
    }


def usage_held(org: Organization) -> dict[tuple[str, str, str], int]:
    """Return the usage of the running workloads, summed from their rows."""
    held: Counter[tuple[str, str, str]] = Counter()
    running = Workload.objects.filter(org=org, state__in=(State.ADMITTED, State.PREEMPTING))
    for queue, assignment, requests in running.values_list("queue", "assignment", "requests"):
        # Each has one pod set of one pod.
        for pod_set in assignment:
            for resource, flavor in pod_set["flavors"].items():
                held[queue, flavor, resource] += requests[resource]
    return dict(held)


def usage_written(org: Organization) -> dict[tuple[str, str, str], int]:
    """Return the usage that pages read."""
    rows = Usage.objects.filter(org=org).exclude(used=0)
    return {(row.queue, row.flavor, row.resource): row.used for row in rows}


def check_counts(org: Organization) -> None:
    """Check that the stored counts match the rows, once all intake is processed."""
    rows = Workload.objects.filter(org=org)
    counts = Counter(rows.values_list("state", flat=True))
    engine = Engine.objects.get(org=org)
    assert engine.is_settled
    assert {state: n for state, n in engine.counts.items() if n} == dict(counts)
    waiting = Counter(
        rows.filter(state=State.PENDING, queue__isnull=False).values_list("queue", flat=True)
    )
    queues = QueueCount.objects.filter(org=org, pending__gt=0)
    assert dict(queues.values_list("queue", "pending")) == dict(waiting)
    of_classes: Counter[str] = Counter()
    for queue, n in PendingClass.objects.filter(org=org).values_list("queue", "count"):
        of_classes[queue] += n
    assert dict(of_classes) == dict(waiting)
    known = set(PendingClass.objects.filter(org=org).values_list("key", flat=True))
    assert set(rows.filter(state=State.PENDING).values_list("pending_class", flat=True)) <= known
