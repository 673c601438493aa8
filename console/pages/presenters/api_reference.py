"""The API reference: the OpenAPI document as groups of operations with their fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPMethod, HTTPStatus
from typing import Any, Final

from console.openapi import document

_Schema = Mapping[str, Any]

#: Names of types of JSON, for people; numbers have the text of their format.
_TYPES: Final = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "string": "text",
}
_FORMATS: Final = {"date-time": "time", "date": "date", "uri": "URL", "email": "e-mail address"}

#: The deepest level of fields that is shown. Deeper fields are those of rarely used structures.
_DEEPEST: Final = 6

#: The schema of an error without further fields, which the list of operations describes.
PROBLEM: Final = "#/components/schemas/Problem"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a body. `level` is 0 for fields of the body itself."""

    name: str
    level: int
    type: str
    is_required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `place` is `path`, `query` or `header`."""

    name: str
    place: str
    type: str
    is_required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a body, as text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Body:
    """A body of one media type. Bodies of other types than JSON have no fields."""

    media_type: str
    about: str
    fields: tuple[Field, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Response:
    """A response; `bodies` is empty for an error that consists of the usual fields."""

    status: int
    title: str
    about: str
    bodies: tuple[Body, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address."""

    name: str
    method: str
    path: str
    title: str
    about: str
    group: str
    parameters: tuple[Parameter, ...]
    bodies: tuple[Body, ...]
    responses: tuple[Response, ...]

    @property
    def is_safe(self) -> bool:
        """Whether the operation changes nothing."""
        return self.method == HTTPMethod.GET

    @property
    def first_example(self) -> str:
        """The text of the first example of a body, or an empty object for a body without one."""
        examples = [example.text for body in self.bodies for example in body.examples]
        return examples[0] if examples else "{}" if self.bodies else ""

    @property
    def command(self) -> str:
        """The request as a command for curl, with the first example as its body."""
        method = "" if self.is_safe else f" -X {self.method}"
        lines = [f"curl{method} $URL{self.path}", '-H "Authorization: Bearer $TOKEN"']
        if self.bodies:
            quoted = self.first_example.replace("'", "'\\''")
            lines += [f"-H 'Content-Type: {self.bodies[0].media_type}'", f"-d '{quoted}'"]
        return " \\\n  ".join(lines)


def groups(part: str = "") -> dict[str, list[Operation]]:
    """
    Return the operations whose title, name or address contains *part*, by group.

    Groups are in the order of the alphabet; operations are in the order of the document.
    """
    found: dict[str, list[Operation]] = {}
    words = part.casefold().split()
    for operation in operations().values():
        text = f"{operation.title} {operation.name} {operation.method} {operation.path}".casefold()
        if all(word in text for word in words):
            found.setdefault(operation.group, []).append(operation)
    return dict(sorted(found.items()))


@cache
def operations() -> dict[str, Operation]:
    """Return all operations by name."""
    return {
        raw["operationId"]: _operation(method.upper(), path, raw)
        for path, methods in document()["paths"].items()
        for method, raw in methods.items()
    }


@cache
def problem_fields() -> tuple[Field, ...]:
    """Return the fields of every error."""
    return tuple(_fields({"$ref": PROBLEM}))


def _operation(method: str, path: str, raw: Mapping[str, Any]) -> Operation:
    return Operation(
        name=raw["operationId"],
        method=method,
        path=path,
        title=raw["summary"],
        about=raw.get("description", ""),
        group=raw["tags"][0],
        parameters=tuple(_parameters(raw.get("parameters", ()))),
        bodies=_bodies(raw.get("requestBody", {})),
        responses=tuple(
            _response(int(status), each) for status, each in sorted(raw["responses"].items())
        ),
    )


def _parameters(raw: Sequence[Mapping[str, Any]]) -> Iterator[Parameter]:
    """Yield those of the path first, then the others, in the order of the document."""
    for each in sorted(raw, key=lambda each: each["in"] != "path"):
        schema = each["schema"]
        yield Parameter(
            name=each["name"],
            place=each["in"],
            type=_type(schema),
            is_required=each.get("required", False),
            about=_about({"description": each.get("description", ""), "enum": schema.get("enum")}),
        )


def _response(status: int, raw: Mapping[str, Any]) -> Response:
    bodies = _bodies(raw)
    is_usual = all(
        each.get("schema") == {"$ref": PROBLEM} for each in raw.get("content", {}).values()
    )
    return Response(
        status=status,
        title=HTTPStatus(status).phrase,
        about=raw.get("description", ""),
        bodies=() if is_usual else bodies,
    )


def _bodies(raw: Mapping[str, Any]) -> tuple[Body, ...]:
    return tuple(
        Body(
            media_type=media_type,
            about=_about(_resolved(content["schema"])),
            fields=tuple(_fields(content["schema"])),
            examples=tuple(
                Example(each.get("summary", ""), _text(each["value"]))
                for each in content.get("examples", {}).values()
            ),
        )
        for media_type, content in raw.get("content", {}).items()
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _fields(schema: _Schema, level: int = 0, within: tuple[str, ...] = ()) -> Iterator[Field]:
    """
    Yield the fields of *schema*, each before its own fields.

    *within* are the references that lead to *schema*: fields of a structure that contains itself
    are not repeated.
    """
    (part,) = schema.get("allOf", [schema])
    reference = part.get("$ref", "")
    if reference in within or level > _DEEPEST:
        return
    found = _resolved(schema)
    inside = (*within, reference) if reference else within
    if "oneOf" in found:
        for number, each in enumerate(found["oneOf"]):
            word = "either" if number == 0 else "or"
            yield Field(word, level, _type(each), False, _about(_resolved(each)))
            yield from _fields(each, level + 1, inside)
        return
    if found.get("type") == "array":
        yield from _fields(found["items"], level, inside)
        return
    required = found.get("required", ())
    for name, each in found.get("properties", {}).items():
        yield Field(name, level, _type(each), name in required, _about(_resolved(each)))
        yield from _fields(each, level + 1, inside)
    values = found.get("additionalProperties")
    if isinstance(values, Mapping):
        yield from _fields(values, level, inside)


def _resolved(schema: _Schema) -> _Schema:
    """Return *schema* with the properties of the component that it refers to."""
    if "allOf" in schema:
        (part,) = schema["allOf"]
        return {**_resolved(part), **{key: schema[key] for key in schema if key != "allOf"}}
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        found: _Schema = document()["components"]["schemas"][name]
        return found
    return schema


def _type(schema: _Schema) -> str:
    """Return the type of a value with its limits, such as "list of texts, at most 20"."""
    found = _resolved(schema)
    kind = found.get("type", "")
    if "oneOf" in found:
        text = "one of the following"
    elif kind == "array":
        text = f"list: {_type(found['items'])}"
    elif kind == "object":
        values = found.get("additionalProperties")
        is_map = isinstance(values, Mapping) and "properties" not in found
        text = f"object with values: {_type(values)}" if is_map and values else "object"
    else:
        text = _FORMATS.get(found.get("format", ""), _TYPES.get(kind, "any value"))
    limits = [*_limits(found), *(["or null"] if found.get("nullable") else [])]
    return ", ".join([text, *limits])


def _limits(schema: _Schema) -> Iterator[str]:
    if "maxLength" in schema:
        yield f"at most {schema['maxLength']} characters"
    if "minimum" in schema:
        yield f"at least {schema['minimum']}"
    if "maximum" in schema:
        yield f"at most {schema['maximum']}"
    if "maxItems" in schema:
        yield f"at most {schema['maxItems']} items"


def _about(schema: _Schema) -> str:
    """Return the description of a value, and its possible values."""
    # The generator appends the values as a list, which would repeat each of them.
    about = str(schema.get("description", "")).partition("* `")[0].strip()
    values = [str(value) for value in schema.get("enum") or () if value is not None]
    listed = ", ".join(f"`{value}`" if value else "empty" for value in values)
    return " ".join(filter(None, [about, f"Values: {listed}." if listed else ""]))
