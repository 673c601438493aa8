"""Reads the body of a request: JSON with exact numbers, and nothing that a database cannot hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from console.errors import ConsoleError
from console.reading.exact_json import loads_exactly

#: Bytes of a body: 1,000 workloads or a config of several megabytes.
LARGEST = 8 * 1024 * 1024


class PayloadTooLarge(ConsoleError):
    """The body is larger than any request needs."""

    status = 413
    title = "The request is too large"

    def __init__(self) -> None:
        super().__init__(
            "payload_too_large",
            f"A request may have {LARGEST // 1024**2} MiB; send the work in several requests.",
        )


class ExactJSONParser(BaseParser):
    """Reads JSON in UTF-8, exactly: see `loads_exactly` for what that refuses."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """
        Return the value.

        Raises ParseError that says where the text stops being JSON, PayloadTooLarge, and
        UnsupportedMediaType for a body that is compressed.
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
            raise ParseError("The body is nested too deep.") from error
        except ValueError as error:
            raise ParseError(f"The body is not JSON that can be read: {error}.") from error
