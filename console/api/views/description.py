"""The OpenAPI document. It is the same for all clients, so each process builds it once."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request


class Description(SpectacularAPIView):
    """The document as YAML or JSON, independent of query parameters."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the document."""
        renderer, media_type = self.perform_content_negotiation(request, force=True)
        if renderer.format not in _written:
            _written[renderer.format] = renderer.render(_document(), renderer_context={})
        return HttpResponse(
            _written[renderer.format],
            content_type=f"{media_type}; charset=utf-8",
            headers={"Content-Disposition": f'inline; filename="sluice.{renderer.format}"'},
        )


#: Rendered documents by format.
_written: dict[str | None, str | bytes] = {}


def _document() -> Any:
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    return generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
