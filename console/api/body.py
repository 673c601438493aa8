"""The parsers of request bodies, up to a maximum size: JSON with exact numbers, and YAML texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, ClassVar

from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from console.errors import ConsoleError
from console.reading.exact_json import loads_exactly

#: Maximum size of a body in bytes; enough for 1,000 workloads or a config of several megabytes.
LARGEST = 8 * 1024 * 1024


class PayloadTooLarge(ConsoleError):
    """The body exceeds the maximum size."""

    status = 413
    title = "The request is too large"

    def __init__(self) -> None:
        super().__init__(
            "payload_too_large",
            f"A request body has at most {LARGEST // 1024**2} MiB; split the data into several "
            "requests.",
        )


class BodyParser(BaseParser):
    """A parser that reads bodies of a limited size, without compression."""

    #: Content types that the parser accepts.
    media_types: ClassVar[tuple[str, ...]]

    def read(self, stream: IO[Any], parser_context: Mapping[str, Any] | None) -> bytes:
        """Return the bytes of the body; raises PayloadTooLarge or UnsupportedMediaType."""
        request = (parser_context or {})["request"]
        if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST:
            raise PayloadTooLarge
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise UnsupportedMediaType(
                self.media_types[0], "The body is compressed; send it without Content-Encoding."
            )
        body: bytes = stream.read()
        return body


class ExactJSONParser(BodyParser):
    """Parses JSON in UTF-8 with exact numbers; `loads_exactly` documents the rejected values."""

    media_type = "application/json"
    media_types = (media_type,)

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """
        Return the parsed value.

        Raises ParseError with the position of the error, PayloadTooLarge, or UnsupportedMediaType
        for a compressed body.
        """
        body = self.read(stream, parser_context)
        try:
            return loads_exactly(body.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ParseError(f"The body is not UTF-8 (byte {error.start}).") from error
        except json.JSONDecodeError as error:
            raise ParseError(
                f"The body is not JSON: {error.msg} at line {error.lineno} column {error.colno}."
            ) from error
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
        except ValueError as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from error


class YAMLParser(BodyParser):
    """Returns the bytes of a body in YAML, which the reader of its language parses."""

    media_type = "application/yaml"
    media_types = (media_type, "text/yaml", "application/x-yaml")

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the body as bytes; raises PayloadTooLarge or UnsupportedMediaType."""
        return self.read(stream, parser_context)


def media_type_of(request: Request) -> str:
    """Return the content type of the body of *request* without its parameters."""
    return (request.content_type or "").partition(";")[0].strip().lower()


def yaml_of(request: Request) -> bytes | None:
    """Return the body of *request* if its content type is YAML; None for other types."""
    if media_type_of(request) not in YAMLParser.media_types:
        return None
    # The framework returns an empty mapping for an empty body.
    body: Any = request.data
    return body or b""
