"""View of the OpenAPI document. It is the same for all clients, so each process renders it once."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from console.openapi import document


class Description(SpectacularAPIView):
    """The document as YAML or JSON, independent of query parameters."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the document."""
        renderer, media_type = self.perform_content_negotiation(request, force=True)
        if renderer.format not in _written:
            _written[renderer.format] = renderer.render(document(), renderer_context={})
        return HttpResponse(
            _written[renderer.format],
            content_type=f"{media_type}; charset=utf-8",
            headers={"Content-Disposition": f'inline; filename="sluice.{renderer.format}"'},
        )


#: Rendered documents by format.
_written: dict[str | None, str | bytes] = {}
