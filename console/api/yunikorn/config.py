"""The active config as the service of YuniKorn returns it, and the check of another one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import yaml
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.config_text import LONGEST_TEXT
from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.raw_body import AnyContentType, RawParser, body_of
from console.api.yunikorn.shapes import present
from console.dialects.yunikorn.loaded_config import LoadedConfig, load_config
from console.dialects.yunikorn.validator import validator_message
from console.errors import BadRequest, FieldError, NotFound
from console.expensive import Kind, expensive

_JSON: Final = "application/json"
_YAML: Final = "application/x-yaml; charset=UTF-8"

#: Maximum number of configs whose answers are kept per process, as clients ask again and again.
_KEPT: Final = 8

#: The message of YuniKorn's YAML library about a text that is not UTF-8.
_NOT_UTF_8: Final = "yaml: invalid leading UTF-8 octet"


class Config(SchedulerView):
    """The active config."""

    def get(self, request: Request) -> Any:
        """Return the config in YAML, or in JSON if the client accepts only that."""
        text = self.version.text
        in_json = request.headers.get("Accept") == _JSON
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            answer = _in_json(text) if in_json else _in_yaml(text)
        if answer is None:
            raise NotFound("The active config was applied by an earlier release, and has errors.")
        return Response(answer) if in_json else HttpResponse(answer, content_type=_YAML)


class ValidateConfig(SchedulerView):
    """The check of a config."""

    needs_config = False
    parser_classes = [RawParser]
    content_negotiation_class = AnyContentType

    def post(self, request: Request) -> Response:
        """Return whether YuniKorn accepts the text of a ``queues.yaml``, or its first message."""
        try:
            text = body_of(request).decode()
        except UnicodeDecodeError:
            return _verdict(_NOT_UTF_8)
        if len(text) > LONGEST_TEXT:
            sentence = f"A config has at most {LONGEST_TEXT:,} characters."
            raise BadRequest([FieldError("", "wrong_length", sentence)])
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            message, _ = validator_message(text)
        return _verdict(message)


@lru_cache(maxsize=_KEPT)
def _in_yaml(text: str) -> str | None:
    loaded = load_config(text)
    if loaded is None:
        return None
    return yaml.safe_dump(_with_keys(loaded), sort_keys=False, allow_unicode=True)


@lru_cache(maxsize=_KEPT)
def _in_json(text: str) -> dict[str, Any] | None:
    loaded = load_config(text)
    return None if loaded is None else _with_names_of_types(loaded)


def _verdict(message: str | None) -> Response:
    return Response({"allowed": message is None, **present(reason=message)})


def _with_keys(config: LoadedConfig) -> dict[str, Any]:
    return {
        "partitions": list(config.partitions),
        "checksum": config.checksum,
        **present(extra=dict(config.settings)),
        "deadlockdetectionenabled": False,
        "deadlocktimeoutseconds": 0,
    }


def _with_names_of_types(config: LoadedConfig) -> dict[str, Any]:
    return {
        "Partitions": config.named_as_types(),
        "Checksum": config.checksum,
        **present(Extra=dict(config.settings)),
        "DeadlockDetectionEnabled": False,
        "DeadlockTimeoutSeconds": 0,
    }
