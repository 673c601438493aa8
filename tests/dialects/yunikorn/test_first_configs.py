"""The examples of YuniKorn's introduction, version 0.12: their findings, and the repaired texts."""

from __future__ import annotations

import pytest

from console.dialects.positions import apply_fix
from console.engine.disciplines.hierarchy.placement import Application, place
from console.engine.disciplines.hierarchy.spec import (
    AccessList,
    HierarchyQueue,
    Limit,
    NodeOrder,
    Template,
)
from console.engine.disciplines.hierarchy.tree import RuntimeTree
from tests.dialects.yunikorn.texts import read, repaired, spec_of

#: With the node sort policy as the page states it, and without queues.
PARTITION = """\
partitions:
  - name: gpu
    nodesortpolicy: fair
    preemption:
      enabled: false
    statedumpfilepath: /tmp/dump.txt
"""
#: A parent queue with a guarantee and a maximum in the units of that version.
NAMESPACES = """\
partitions:
  - name: default
    queues:
      - name: namespaces
        parent: true
        resources:
          guaranteed:
            {memory: 1000, vcore: 10}
          max:
            {memory: 10000, vcore: 100}
"""
#: With a number of applications, and a queue below it that has to repeat one.
LEVELS = """\
partitions:
  - name: default
    queues:
      - name: namespaces
        parent: true
        maxapplications: 12
        resources:
          guaranteed:
            {memory: 1G, vcore: 10}
          max:
            {memory: 10G, vcore: 100}
        queues:
          - name: level1
            resources:
              guaranteed:
                {memory: 500m, vcore: 5}
              max:
                {memory: 50G, vcore: 50}
"""
#: Each user has the limit alone; the page says that duplicates are ignored.
LIMITS = """\
partitions:
  - name: default
    limits:
      - limit: "example entry"
        maxapplications: 10
        users:
          - sue
          - bob
          - sue
    queues:
      - name: root
        submitacl: '*'
"""
TEMPLATES = """\
partitions:
  - name: default
    placementrules:
      - name: provided
        create: true
    queues:
      - name: root
        submitacl: '*'
        childtemplate:
          maxapplications: 10
          properties:
            application.sort.policy: stateaware
          resources:
            guaranteed:
              vcore: 1000
              memory: 1000
            max:
              vcore: 20000
              memory: 600000
        queues:
          - name: parent
            parent: true
            childtemplate:
              resources:
                max:
                  vcore: 21000
                  memory: 610000
          - name: notemplate
            parent: true
"""
UNITS = "YUN058"
MISSING = (
    "maxApplications is either undefined or zero, which is not allowed when parent queue's "
    "maxApplications is defined"
)
LARGER = (
    "max resource of parent map[memory:10000000000 vcore:100000] is smaller than maximum resource "
    "map[memory:50000000000 vcore:50000] for queue level1"
)
FINDINGS = {
    PARTITION: [
        ("YUN002", "partitions[0]", "queue config is not set"),
        (
            "YUN050",
            "partitions[0].nodesortpolicy",
            "line 3: cannot unmarshal !!str `fair` into configs.NodeSortingPolicy",
        ),
        (
            "YUN051",
            "partitions[0].statedumpfilepath",
            "line 6: field statedumpfilepath not found in type configs.PartitionConfig",
        ),
    ],
    NAMESPACES: [
        (UNITS, f"partitions[0].queues[0].resources.{field}", "")
        for field in ("guaranteed.memory", "guaranteed.vcore", "max.memory", "max.vcore")
    ],
    LEVELS: [
        ("YUN036", "partitions[0].queues[0].queues[0].name", MISSING),
        (
            "YUN008",
            "partitions[0].queues[0].queues[0].resources.guaranteed.memory",
            "invalid suffix",
        ),
        ("YUN011", "partitions[0].queues[0].queues[0].resources.max", LARGER),
    ],
    LIMITS: [
        (
            "YUN017",
            "partitions[0].limits[0].users[2]",
            "duplicated user name 'sue', already exists",
        ),
    ],
    TEMPLATES: [
        (UNITS, f"partitions[0].queues[0].{path}", "")
        for path in (
            "childtemplate.resources.guaranteed.vcore",
            "childtemplate.resources.guaranteed.memory",
            "childtemplate.resources.max.vcore",
            "childtemplate.resources.max.memory",
            "queues[0].childtemplate.resources.max.vcore",
            "queues[0].childtemplate.resources.max.memory",
        )
    ],
}
TITLES = {
    PARTITION: [
        "Add queues: []",
        "Write it as a mapping",
        "Remove statedumpfilepath",
    ],
    NAMESPACES: ["Convert all numbers of YuniKorn 0.12"],
    LEVELS: ["Add maxapplications: 12", 'Replace with "500M"', "Lower the maximum"],
    LIMITS: ["Remove the name"],
    TEMPLATES: ["Convert all numbers of YuniKorn 0.12"],
}
NAMES = {
    PARTITION: "partition",
    NAMESPACES: "namespaces",
    LEVELS: "levels",
    LIMITS: "limits",
    TEMPLATES: "templates",
}
EVERY = pytest.mark.parametrize("text", FINDINGS, ids=NAMES.values())


@EVERY
def test_each_text_has_the_findings_that_it_deserves(text: str) -> None:
    found = [(each.code, each.path, each.original) for each in read(text).diagnostics]
    assert found == FINDINGS[text]


@EVERY
def test_the_repaired_text_has_no_findings(text: str) -> None:
    fixed, titles = repaired(text)
    assert titles == TITLES[text]
    assert read(fixed).diagnostics == ()


@EVERY
def test_the_first_fix_removes_its_finding_and_adds_none(text: str) -> None:
    before = read(text).diagnostics
    for diagnostic in before:
        fixed = apply_fix(text, diagnostic.fixes[0])
        after = {(each.code, each.path) for each in read(fixed).diagnostics}
        assert after < {(each.code, each.path) for each in before}
        assert (diagnostic.code, diagnostic.path) not in after


def queue_of(text: str, name: str) -> HierarchyQueue:
    return spec_of(repaired(text)[0]).queues[name]


def test_the_repaired_partition_has_a_root_alone() -> None:
    spec = spec_of(repaired(PARTITION)[0])
    partition = spec.partitions["gpu"]
    assert (partition.node_order, partition.preempts) == (NodeOrder.FAIR, False)
    assert list(spec.queues) == ["gpu:root"]


def test_the_repaired_queues_have_the_amounts_that_were_meant() -> None:
    namespaces = queue_of(NAMESPACES, "root.namespaces")
    assert not namespaces.is_leaf
    assert namespaces.guaranteed == {"memory": 10**9, "vcore": 10}
    assert namespaces.maximum == {"memory": 10**10, "vcore": 100}
    level = queue_of(LEVELS, "root.namespaces.level1")
    assert (level.is_leaf, level.applications) == (True, 12)
    assert level.guaranteed == {"memory": 5 * 10**8, "vcore": 5000}
    assert level.maximum == {"memory": 10**10, "vcore": 50_000}


def test_the_limits_of_the_partition_are_those_of_its_root() -> None:
    root = queue_of(LIMITS, "root")
    assert root.submit == AccessList(is_all_users=True)
    (limit,) = root.limits
    assert limit == Limit(
        users=("sue", "bob"), applications=10, description="example entry", origin=limit.origin
    )


def test_created_queues_have_the_nearest_template() -> None:
    spec = spec_of(repaired(TEMPLATES)[0])
    own = Template(maximum={"vcore": 21_000, "memory": 610_000 * 10**6})
    assert spec.queues["root.parent"].template == own
    rules = spec.partitions["default"].rules
    tree = RuntimeTree.build(spec)
    for queue in ("root.parent.sales", "root.notemplate.sales", "root.sales"):
        found = place(tree, rules, Application(id="a", user="sue", queue=queue))
        assert found.queue == queue
    created = {
        name: spec.created_queue(name)
        for name in ("root.parent.sales", "root.notemplate.sales", "root.sales")
    }
    below_parent, *others = created.values()
    assert below_parent is not None
    assert (below_parent.guaranteed, below_parent.maximum) == (None, own.maximum)
    assert (below_parent.applications, below_parent.properties) == (0, {})
    for each in others:
        assert each is not None
        assert each.guaranteed == {"vcore": 1000, "memory": 10**9}
        assert each.maximum == {"vcore": 20_000, "memory": 600_000 * 10**6}
        assert (each.applications, each.properties) == (
            10,
            {"application.sort.policy": "stateaware"},
        )


def test_many_numbers_have_one_fix_that_converts_all() -> None:
    queues = "".join(
        f"      - {{ name: q{n}, resources: {{ max: {{ memory: 1000 }} }} }}\n" for n in range(50)
    )
    text = f"partitions:\n  - queues:\n{queues}"
    found = read(text).diagnostics
    assert [len(each.fixes) for each in found] == [2, *[1] * 49]
    fixed = apply_fix(text, found[0].fixes[0])
    assert fixed == text.replace("1000", "1000M")
