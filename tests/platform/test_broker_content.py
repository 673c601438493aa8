"""Broker content is read as JSON only, so a writer to the broker cannot execute code."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from redis import Redis

from console.celery import app
from tests.brokers import serving_broker

CONSOLE = Path(__file__).resolve().parent.parent.parent / "console"

#: Modules that deserialize objects from bytes.
_BUILDERS = frozenset({"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve"})

RAN: list[str] = []


class Bomb:
    """An object that executes code when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        """Return the call that unpickling makes."""
        return (RAN.append, ("it ran",))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_broker(tmp_path_factory.mktemp("b")) as found:
        yield found


@pytest.fixture
def cache(settings, url: str):
    """The cache as the product configures it, on a broker."""
    settings.CACHES = {
        "default": {
            "BACKEND": "console.broker_cache.BrokerCache",
            "LOCATION": url,
            "KEY_PREFIX": "sluice",
            "VERSION": 2,
        }
    }
    found = caches["default"]
    found.clear()
    found.own.clear()
    return found


@pytest.mark.parametrize("value", [0, 7, -1, 1.5, "text", True, None, [1, "a"], {"a": {"b": 1.25}}])
def test_cached_values_round_trip(cache, value: object) -> None:
    cache.set("a", value, 60)
    assert cache.get("a", "nothing") == value
    assert cache.add("b", value, 60)
    assert cache.get("b", "nothing") == value


def test_numbers_are_counted_and_kept_as_json(cache, url: str) -> None:
    assert cache.add("count", 1, 60)
    assert (cache.incr("count"), cache.get("count")) == (2, 2)
    assert Redis.from_url(url).get(cache.make_key("count")) == b"2"


def test_values_without_json_form_are_refused(cache) -> None:
    with pytest.raises(TypeError):
        cache.set("a", Bomb(), 60)


def test_pickle_in_the_broker_is_not_loaded(cache, url: str) -> None:
    RAN.clear()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        Redis.from_url(url).set(cache.make_key("a"), pickle.dumps(Bomb(), protocol))
        assert cache.get("a", "nothing") == "nothing"
    assert RAN == []


def test_messages_are_json_alone() -> None:
    conf = app.conf
    assert set(conf.accept_content) == {"json"}
    assert set(conf.result_accept_content or conf.accept_content) == {"json"}
    assert [conf.task_serializer, conf.result_serializer, conf.event_serializer] == ["json"] * 3


def test_no_module_of_the_product_deserializes_objects() -> None:
    found = set()
    for path in CONSOLE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            found |= {(path.name, each) for each in names if each.split(".")[0] in _BUILDERS}
    assert found == set()
