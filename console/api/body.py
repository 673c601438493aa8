"""The parser of request bodies: JSON in UTF-8 with exact numbers, up to a maximum size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

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


class ExactJSONParser(BaseParser):
    """Parses JSON in UTF-8 with exact numbers; `loads_exactly` documents the rejected values."""

    media_type = "application/json"

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
        request = (parser_context or {})["request"]
        if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST:
            raise PayloadTooLarge
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise UnsupportedMediaType(
                self.media_type, "The body is compressed; send it without Content-Encoding."
            )
        try:
            text = stream.read().decode("utf-8")
            return loads_exactly(text)
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
