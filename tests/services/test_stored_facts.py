"""Storage of optional facts and assignment places: a round trip keeps them unchanged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.model.decision import Assignment, Place, PodSetAssignment
from console.engine.model.workload import PodSet, Workload
from console.orgs.permissions import Actor
from console.workloads import models
from console.workloads.services.load_state import engine_workloads
from console.workloads.services.snapshot_state import snapshot_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.stored_assignments import decode_assignment, encode_assignment
from console.workloads.stored_facts import OptionalFacts, decode_facts, encode_facts
from console.workloads.submissions import Submission

#: A placement like in a job manifest.
PLACEMENT = {
    "filters": [{"name": "region", "match_labels": {"region": "eu"}}],
    "preferences": [{"name": "cheap", "weight": 100, "match_labels": {}}],
    "strict": True,
    "spread": None,
}

words = st.sampled_from(["", "zone", "ü/x"])
leaves = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | words
placements = st.dictionaries(
    words, st.recursive(leaves, lambda each: st.lists(each) | st.dictionaries(words, each))
)
facts = st.builds(OptionalFacts, st.none() | st.booleans(), st.none() | placements)
places = st.builds(
    Place,
    count=st.integers(1, 3),
    cluster=st.none() | st.just("west"),
    node=st.none() | st.just("n1"),
    flavor=st.none() | st.just("spot"),
)


@st.composite
def assignments(draw: st.DrawFn) -> PodSetAssignment:
    where = tuple(draw(st.lists(places, max_size=3)))
    count = sum(each.count for each in where) if where else draw(st.integers(0, 3))
    return PodSetAssignment(name="main", count=count, flavors={"gpu": "spot"}, places=where)


@given(facts)
def test_stored_facts_are_read_as_they_were(given_facts: OptionalFacts) -> None:
    assert decode_facts(json.loads(json.dumps(encode_facts(given_facts)))) == given_facts


@given(st.lists(assignments(), max_size=3).map(tuple))
def test_stored_places_are_read_as_they_were(assignment: Assignment) -> None:
    assert decode_assignment(json.loads(json.dumps(encode_assignment(assignment)))) == assignment


def test_only_known_values_are_stored() -> None:
    where = (Place(count=2, cluster="west"), Place(count=1, cluster="east", node="n1"))
    split = PodSetAssignment(name="main", count=3, flavors={}, places=where)
    assert encode_assignment((split,)) == [
        {
            "name": "main",
            "count": 3,
            "flavors": {},
            "places": [
                {"count": 2, "cluster": "west"},
                {"count": 1, "cluster": "east", "node": "n1"},
            ],
        }
    ]
    assert encode_facts(OptionalFacts(placement={})) == {"placement": {}}


def test_places_cover_every_pod() -> None:
    where = (Place(count=2, cluster="west"),)
    with pytest.raises(ValueError, match="the places of pod set main do not hold its 3 pods"):
        PodSetAssignment(name="main", count=3, flavors={}, places=where)


def test_the_engine_gets_the_submitted_facts(owner: Actor) -> None:
    plain, full = submit_workloads(
        owner,
        [
            Submission(name="plain", user="ada"),
            Submission(
                name="full",
                user="ada",
                groups=("research", "gpu-users"),
                preemptible=False,
                placement=PLACEMENT,
            ),
        ],
    )
    workloads = [
        Workload(
            id=plain.uid,
            sequence=plain.pk,
            labels={"workload-type": "job"},
            pod_sets=(PodSet(),),
            user="ada",
            pending_since=plain.pending_since,
        ),
        Workload(
            id=full.uid,
            sequence=full.pk,
            labels={"workload-type": "job"},
            pod_sets=(PodSet(),),
            user="ada",
            groups=("research", "gpu-users"),
            is_preemptible=False,
            placement=PLACEMENT,
            pending_since=full.pending_since,
        ),
    ]
    assert list(engine_workloads(models.Workload.objects.filter(org=owner.org))) == workloads
    state, _ = snapshot_state(owner.org)
    assert [each.workload for each in state.pending.values()] == workloads
    stored = models.Workload.objects.order_by("pk").values_list("facts", flat=True)
    assert list(stored) == [None, {"preemptible": False, "placement": PLACEMENT}]
    assert models.Workload.objects.filter(facts__isnull=True).get() == plain
