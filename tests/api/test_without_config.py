"""Explanations of workloads in an organization without a config."""

from __future__ import annotations


def test_the_explanation_says_that_there_is_no_config_yet(api, owner, settle):
    client = api(owner)
    (uid,) = client.post("workloads", {"workloads": [{"name": "early"}]}).body["ids"]
    settle(owner.org)
    told = client.get(f"workloads/{uid}/explanation").body
    assert told["headline"] == (
        "Admitted without a queue: there is no config yet, and an owner has to apply one."
    )
    text = (
        "There is no config yet, so every workload is admitted. Apply one to use queues and quota."
    )
    assert text in told["sentences"]
    empty = {"text": "resource_queues: []\n", "expected_version": 0}
    assert client.post("config/versions", empty).status == 201
    (later,) = client.post("workloads", {"workloads": [{"name": "later"}]}).body["ids"]
    settle(owner.org)
    assert client.get(f"workloads/{later}/explanation").body["headline"] == (
        "Admitted without a queue: the config has no scheduling rules."
    )
