"""
Read a file with the nodes of one cluster: a listing of kubectl or scontrol, or a report.

Config languages whose tools print clusters recognize their own listings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import yaml

from console.capacity.listings import kubernetes, slurm
from console.dialects import dialects
from console.dialects.base import ClusterListing
from console.reading import printable
from console.reading.exact_json import loads_exactly

#: What a file may be, for messages.
ACCEPTED: Final = (
    "the output of kubectl get nodes -o json (or yaml), of scontrol show nodes --json, clusters "
    "with their status as the tools of a config language print them, or a report with nodes as the "
    "API accepts it"
)


class ListingError(Exception):
    """A file that is no listing of nodes; the message is a sentence with the place."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A report in the form of the API."""

    report: Any
    #: Whether the file is a report, with labels and state of the cluster itself.
    is_whole: bool
    #: Returns the place in the file of a path in the report.
    place: Callable[[str], str]


def read_listing(text: str, cluster: str) -> Listing:
    """
    Return the listing in *text*, JSON or YAML, of *cluster*; raises ListingError.

    The name matters only if the file has several clusters.
    """
    documents = _documents(text)
    printed = _printed_clusters(documents)
    if printed:
        found = printed.get(cluster)
        if found is None and len(printed) > 1:
            names = ", ".join(map(printable, sorted(printed)))
            raise ListingError(f"None of its clusters is called {printable(cluster)}: {names}.")
        found = found or next(iter(printed.values()))
        return Listing(found.report, is_whole=True, place=found.place)
    if kubernetes.recognizes(documents):
        report = kubernetes.report_of(documents)
        return Listing(report, is_whole=False, place=kubernetes.place_of)
    if len(documents) != 1:
        raise ListingError(f"There are {len(documents)} YAML documents; one is expected.")
    (document,) = documents
    if slurm.recognizes(document):
        return Listing(slurm.report_of(document), is_whole=False, place=slurm.place_of)
    if not isinstance(document, dict) or "nodes" not in document:
        raise ListingError(f"This has no nodes; it has to be {ACCEPTED}.")
    return Listing(document, is_whole=True, place=str)


def _printed_clusters(documents: Sequence[Any]) -> Mapping[str, ClusterListing]:
    """Return the clusters that a config language recognizes in *documents*, by name."""
    for language in dialects().values():
        if language.listed_clusters is not None:
            found = language.listed_clusters(documents)
            if found:
                return found
    return {}


def _documents(text: str) -> list[Any]:
    """Return the JSON value or the YAML documents of *text*."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return [loads_exactly(text)]
        except json.JSONDecodeError as error:
            place = f"line {error.lineno} column {error.colno}"
            failure = f"This is not JSON: {error.msg} at {place}."
        except (RecursionError, ValueError) as error:
            failure = f"This is not JSON: {error}."
        raise ListingError(failure)
    try:
        return [each for each in yaml.load_all(text, _ExactLoader) if each is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
        raise ListingError(f"This is not YAML: {error.problem}{where}.") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ListingError(f"This is not YAML: {error}.") from error


class _ExactLoader(yaml.CSafeLoader):
    """A loader with exact fractions, which refuses repeated keys and keys that are no texts."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping; raises ConstructorError for its keys."""
        keys = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                problem = "a key has to be a text; write it in quotes"
            elif key.value in keys:
                problem = f"the key {printable(key.value)} is there twice"
            else:
                keys.add(key.value)
                continue
            raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
        return super().construct_mapping(node, deep)


def _fraction(loader: yaml.CSafeLoader, node: yaml.ScalarNode) -> Any:
    text = loader.construct_scalar(node)
    try:
        number = Decimal(text.replace("_", ""))
    except InvalidOperation:
        return text
    return number if number.is_finite() else text


def _text(loader: yaml.CSafeLoader, node: yaml.ScalarNode) -> str:
    """Return a time as the text that it is in JSON."""
    return str(loader.construct_scalar(node))


_ExactLoader.add_constructor("tag:yaml.org,2002:float", _fraction)
_ExactLoader.add_constructor("tag:yaml.org,2002:timestamp", _text)
