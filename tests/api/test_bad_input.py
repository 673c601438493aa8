"""
Bad input of any kind is a 4xx that names the place, and nothing is half done.

What is not refused is carried out.
"""

from __future__ import annotations

import gzip
import json
from difflib import get_close_matches

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.reading import exact_json, fields
from console.workloads.models import Intake, Workload
from tests.intake_results import apply_all_intake


def errors_of(answer) -> list[tuple[str, str]]:
    assert answer.problem == (400, "invalid_request")
    return [(error["path"], error["code"]) for error in answer.body["errors"]]


@pytest.fixture
def client(api, owner):
    return api(owner)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("", None),
        ("{", "The body is not JSON: Expecting property name enclosed in double quotes"),
        ("nonsense", "The body is not JSON: Expecting value"),
        ('{"workloads": NaN}', "The body is not valid JSON: NaN is not a JSON number."),
        ('{"workloads": -Infinity}', "The body is not valid JSON: -Infinity is not"),
        ('{"a": 1, "a": 2}', "The body is not valid JSON: the key a is there twice."),
        (b'{"workloads": "\xff"}', "The body is not UTF-8 (byte 15)."),
        ("[" * 100_000, "The body is nested too deeply."),
        ('{"a": ' * 50_000 + "1" + "}" * 50_000, "The body is nested too deeply."),
        ("9" * 5000, "The body is not valid JSON: Exceeds the limit"),
        ('{"a": 1e99999999999999999999}', "The body is not valid JSON: the exponent of"),
        ('{"a": -0e-99999999999999999999}', "The body is not valid JSON: the exponent"),
        ("\ufeff{}", "The body is not JSON: Unexpected UTF-8 BOM"),
    ],
)
def test_what_is_not_json(client, body, detail):
    answer = client.post("workloads", body)
    if detail is None:
        assert errors_of(answer) == [("workloads", "required")]
    else:
        assert answer.problem == (400, "invalid_json")
        assert answer.body["detail"].startswith(detail)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "a/b/c"])
def test_another_content_type(client, kind):
    answer = client.call("post", "workloads", '{"workloads": []}', content_type=kind)
    assert answer.problem == (415, "unsupported_media_type")


def test_a_body_that_is_compressed(client):
    body = gzip.compress(b'{"workloads": [{"name": "a"}]}')
    answer = client.post("workloads", body, content_encoding="gzip")
    assert answer.problem == (415, "unsupported_media_type")
    assert answer.body["detail"] == "The body is compressed; send it without Content-Encoding."
    assert client.post("workloads", "{}", content_encoding="Identity").status == 400


@pytest.mark.parametrize("path", ["workloads", "queues/a", "config"])
def test_an_address_with_too_many_parameters(client, path):
    answer = client.get(f"{path}?{'a&' * 1001}")
    assert answer.problem == (400, "invalid_request")
    assert answer.body["errors"] == [
        {"path": "", "code": "wrong_length", "message": "A URL has at most 1000 parameters."}
    ]


def test_a_body_that_is_too_large(client):
    answer = client.post("workloads", " " * (8 * 1024 * 1024 + 1))
    assert answer.problem == (413, "payload_too_large")


@pytest.mark.parametrize(
    ("field", "value", "path", "code"),
    [
        ("name", None, "name", "wrong_type"),
        ("name", "", "name", "blank"),
        ("name", " \t", "name", "blank"),
        ("name", 5, "name", "wrong_type"),
        ("name", "x" * 201, "name", "too_long"),
        ("name", "a\0b", "name", "invalid_characters"),
        ("name", "\ud800", "name", "invalid_characters"),
        ("type", "cron", "type", "invalid_choice"),
        ("type", ["job"], "type", "wrong_type"),
        ("market_type", "spot", "market_type", "invalid_choice"),
        ("instance_type", "", "instance_type", "blank"),
        ("priority", -1, "priority", "out_of_range"),
        ("priority", 2**53, "priority", "out_of_range"),
        ("priority", 1.5, "priority", "wrong_type"),
        ("priority", True, "priority", "wrong_type"),
        ("priority", "1", "priority", "wrong_type"),
        ("requests", [], "requests", "wrong_type"),
        ("requests", {"gpu": 0.0001}, "requests.gpu", "invalid_amount"),
        ("requests", {"gpu": -1}, "requests.gpu", "out_of_range"),
        ("requests", {"gpu": True}, "requests.gpu", "wrong_type"),
        ("requests", {"gpu": "1"}, "requests.gpu", "wrong_type"),
        ("requests", {"gpu": None}, "requests.gpu", "wrong_type"),
        ("requests", {"gpu": 2**53}, "requests.gpu", "out_of_range"),
        ("requests", {"pods": 1}, "requests.pods", "reserved_resource"),
        ("requests", {"gpu": 10**30}, "requests.gpu", "invalid_amount"),
        ("requests", {"": 1}, "requests.", "blank"),
        ("requests", {"g\0": 1}, "requests.g\0", "invalid_characters"),
        ("requests", {f"r{i}": 1 for i in range(21)}, "requests", "wrong_length"),
        ("tags", {"team": 1}, "tags.team", "wrong_type"),
        ("tags", {"team": None}, "tags.team", "wrong_type"),
        ("tags", {"team": "x" * 501}, "tags.team", "too_long"),
        ("tags", {"k" * 318: "x"}, "tags." + "k" * 79 + "…", "too_long"),
        ("tags", {"instance-type": "m5"}, "tags.instance-type", "reserved_key"),
        ("tags", {"workload-type": "job"}, "tags.workload-type", "reserved_key"),
        ("tags", "team=a", "tags", "wrong_type"),
        ("groups", "admins", "groups", "wrong_type"),
        ("groups", ["a", 1], "groups[1]", "wrong_type"),
        ("user", "\0", "user", "invalid_characters"),
        ("namespace", "n" * 254, "namespace", "too_long"),
        ("preemptible", "yes", "preemptible", "wrong_type"),
        ("preemptible", 1, "preemptible", "wrong_type"),
        ("placement", [], "placement", "wrong_type"),
        ("placement", {"a": 1.5}, "placement.a", "wrong_type"),
        ("placement", {"a": 2**53}, "placement.a", "out_of_range"),
        ("placement", {"a": [-(2**53)]}, "placement.a[0]", "out_of_range"),
        ("placement", {"a": ["x" * 1001]}, "placement.a[0]", "too_long"),
        ("placement", {"a": "\0"}, "placement.a", "invalid_characters"),
        ("placement", {"": 1}, "placement.", "blank"),
        ("placement", {f"k{i}": 1 for i in range(201)}, "placement", "wrong_length"),
        ("placement", {"a": [1] * 201}, "placement.a", "wrong_length"),
        ("placement", {"a": ["x" * 1000] * 10}, "placement", "too_long"),
        ("placement", {"a": [[[[[[[[1]]]]]]]]}, "placement.a[0][0][0][0][0][0][0]", "too_deep"),
        ("nmae", "x", "nmae", "unknown_field"),
        ("\udc80", "x", "\\udc80", "unknown_field"),
    ],
)
def test_a_field_that_cannot_be_read(client, field, value, path, code):
    good = {"name": "good"}
    answer = client.post("workloads", {"workloads": [good, {**good, field: value}, good]})
    assert errors_of(answer) == [(f"workloads[1].{path}", code)]
    assert not Workload.objects.exists()
    assert not Intake.objects.exists()


NO_AMOUNTS = [
    "1e400",
    "1e-400",
    "1E999999999",
    "1e-99999999999",
    "1.0005",
    "0.1000000000000000000000000000000000000000000001",
    "-0.001",
    "-5",
]


@pytest.mark.parametrize("number", NO_AMOUNTS)
def test_a_number_that_is_no_amount(client, number):
    body = f'{{"workloads": [{{"name": "a", "requests": {{"gpu": {number}}}}}]}}'
    ((path, _),) = errors_of(client.post("workloads", body))
    assert path == "workloads[0].requests.gpu"


def test_a_number_is_not_repeated_whatever_its_length(client):
    number = "0." + "1" * 100_000
    body = f'{{"workloads": [{{"name": "a", "requests": {{"gpu": {number}}}}}]}}'
    (error,) = client.post("workloads", body).body["errors"]
    assert error == {
        "path": "workloads[0].requests.gpu",
        "code": "invalid_amount",
        "message": "A number has at most 100 characters; this has 100,002.",
    }


def test_numbers_stay_exact(client):
    requests = (
        '{"a": 0.1, "b": 1e2, "c": 2.500, "d": 9007199254740991, "e": 0.001, "f": 0, "g": 0.3e1}'
    )
    answer = client.post("workloads", f'{{"workloads": [{{"name": "n", "requests": {requests}}}]}}')
    stored = Workload.objects.get().requests
    assert stored == {"a": 100, "b": 100_000, "c": 2500, "d": (2**53 - 1) * 1000, "e": 1, "g": 3000}
    shown = client.get(f"workloads/{answer.body['ids'][0]}").body["requests"]
    assert shown == {"a": 0.1, "b": 100, "c": 2.5, "d": 2**53 - 1, "e": 0.001, "g": 3}


def test_the_answer_says_what_to_do(client):
    answer = client.post("workloads", {"workloads": [{"name": "a", "instance_typ": "m5"}]})
    assert answer.body == {
        "type": "urn:sluice:problem:invalid_request",
        "title": "The request has errors",
        "status": 400,
        "detail": "One field is wrong.",
        "code": "invalid_request",
        "errors": [
            {
                "path": "workloads[0].instance_typ",
                "code": "unknown_field",
                "message": "instance_typ is not known here; did you mean instance_type?",
            }
        ],
    }


@pytest.mark.parametrize("count", [0, 1001])
def test_too_few_and_too_many(client, count):
    answer = client.post("workloads", {"workloads": [{"name": "a"}] * count})
    assert errors_of(answer) == [("workloads", "wrong_length")]


def test_many_errors_are_cut(client):
    answer = client.post("workloads", {"workloads": [{}] * 1000})
    assert answer.body["detail"] == "1000 fields are wrong; these are the first 100."
    assert len(errors_of(answer)) == 100


def test_what_is_meant_is_looked_for_a_hundred_times_at_most(client, monkeypatch):
    asked = []

    def near(word, known, n) -> list[str]:
        asked.append(len(word))
        return get_close_matches(word, known, n)

    monkeypatch.setattr(fields, "get_close_matches", near)
    answer = client.post("workloads", {"x" * 100_000: 1, **{f"k{n}": 1 for n in range(1000)}})
    assert answer.body["detail"] == "1002 fields are wrong; these are the first 100."
    assert {error["code"] for error in answer.body["errors"]} == {"unknown_field"}
    assert len(asked) == 100
    assert max(asked) == 80


def test_a_key_that_is_there_twice_is_found_in_one_look():
    class Key(str):
        __slots__ = ()
        compared = 0

        def __eq__(self, other) -> bool:
            Key.compared += 1
            return super().__eq__(other)

        __hash__ = str.__hash__

    keys = [Key(f"k{n}") for n in range(1000)] + [Key("k999")]
    with pytest.raises(ValueError, match="the key k999 is there twice"):
        exact_json._pairs([(key, 1) for key in keys])
    assert Key.compared < 100


def test_a_thousand_are_not_too_many(client):
    answer = client.post("workloads", {"workloads": [{"name": f"w{i}"} for i in range(1000)]})
    assert answer.status == 202
    assert list(Workload.objects.order_by("pk").values_list("uid", flat=True)) == answer.body["ids"]
    assert Intake.objects.get().size == 1000


@pytest.mark.parametrize(
    "path",
    [
        "workloads?limit=0",
        "workloads?limit=1001",
        "workloads?limit=x",
        "workloads?limit=-1",
        "workloads?limit=٣",
        "workloads?cursor=x",
        "workloads?cursor=1.2",
        "workloads?cursor=99999999999999999999",
        "workloads?state=unknown",
        "workloads?stat=pending",
        "workloads?state=pending&state=admitted",
        "workloads?since=yesterday",
        "workloads?since=0001-01-01T00:00:00Z",
        "workloads?until=9999-12-31T23:59:59%2B23:59",
        "workloads?q=%00",
        "workloads?label.=x",
        "workloads?label.%22=x",
        "workloads?queue=" + "x" * 501,
        "decisions?after=-1",
        "decisions?after=99999999999999999999",
        "decisions?cursor=1",
        "decisions?outcome=started",
        "decisions?after=1&after=2",
        "events?type=unknown",
        "events?level=info",
        "config/versions/1/diff?to=0",
        "config/versions?cursor=1.1",
        "config/schema?dialect=cobol",
        "queues?cursor=-1",
    ],
)
def test_parameters_that_cannot_be_read(client, path):
    assert client.get(path).problem == (400, "invalid_request")


@pytest.mark.parametrize(
    "path",
    [
        "workloads/unknown",
        "workloads/a%00b",
        "workloads/unknown/explanation",
        "queues/unknown",
        "queues/a%00b",
        "queues/%F0%9F%9A%80/pending",
        "queues/a/b/c",
        "config",
        "config/versions/1",
        "config/versions/99999999999999999999999",
        "config/versions/x",
        "config/versions/1/diff",
    ],
)
def test_what_is_not_there(client, path):
    status, code = client.get(path).problem
    assert (status, code) in {(404, "not_found"), (400, "invalid_request")}


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(st.characters(), max_size=20),
    st.sampled_from(["", "a\0b", "\ud800", "x" * 5000, 10**400, -(10**30), 1e308, 5e-324]),
)
KNOWN = (
    "workloads name type tags requests priority groups gpu ids text dialect message "
    "expected_version version reason instance_type pod_sets count min_count node_selector affinity "
    "matchExpressions key operator values tolerations effect group"
)
known = st.sampled_from(KNOWN.split())
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(known | st.text(st.characters(), max_size=5), inner, max_size=5)
    ),
    max_leaves=12,
)
OPTIONAL = "type tags requests pod_sets priority groups user market_type"
workload = st.fixed_dictionaries(
    {"name": st.just("n") | scalars}, optional=dict.fromkeys(OPTIONAL.split(), values)
)
PATHS = [
    "workloads",
    "workloads/finish",
    "workloads/withdraw",
    "workloads/resubmit",
    "workloads/priority",
    "workloads/deactivate",
    "workloads/activate",
    "workloads/release",
    "workloads/unknown/finish",
    "config/check",
    "config/versions",
    "config/rollback",
    "queues/a/hold",
    "queues/a/resume",
    "queues/a/quota",
    "cohorts/a/quota",
]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(path=st.sampled_from(PATHS), body=values)
def test_no_value_makes_it_fail(client, path, body):
    assert client.post(path, json.dumps(body)).status < 500
    apply_all_intake()


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(workloads=st.lists(workload, max_size=3))
def test_no_workload_makes_it_fail(client, workloads):
    before = Workload.objects.count()
    answer = client.post("workloads", json.dumps({"workloads": workloads}))
    assert answer.status in (202, 400)
    added = len(workloads) if answer.status == 202 else 0
    assert Workload.objects.count() == before + added
    apply_all_intake()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    path=st.sampled_from(["workloads", "events", "decisions", "queues", "config/versions"]),
    name=st.sampled_from(["limit", "cursor", "since", "until", "q", "label.a", "after", "state"]),
    value=st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
def test_no_parameter_makes_it_fail(client, path, name, value):
    assert client.get(path, **{name: value}).status < 500


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=st.binary(max_size=60))
def test_no_bytes_make_it_fail(client, body):
    assert client.post("workloads", body).status in (400, 413)
