"""Bodies of any content type: the text of a config."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from rest_framework.request import Request

from console.api.base import AlwaysJSON
from console.api.body import BodyParser


class RawParser(BodyParser):
    """Returns the bytes of a body."""

    media_type = "*/*"
    media_types = (media_type,)

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the body; raises PayloadTooLarge or UnsupportedMediaType."""
        return self.read(stream, parser_context)


class AnyContentType(AlwaysJSON):
    """Selects the first parser for every body."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        """Return the parser."""
        return next(iter(parsers))


def body_of(request: Request) -> bytes:
    """Return the body of a request that `RawParser` has read."""
    # The framework returns an empty mapping for an empty body.
    body: Any = request.data
    return body if isinstance(body, bytes) else b""
