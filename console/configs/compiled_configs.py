"""Compiled configs: the active config, a version, a draft or a text, with its policy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from console.configs.errors import ConfigRejected
from console.configs.queries import get_draft, past_specs
from console.configs.services.check_config import find_dialect
from console.engine.model.policy import Policy
from console.errors import BadRequest, FieldError
from console.orgs.models import Organization
from console.policies.queries import NO_POLICY, active_version, get_version, policy_of

_NAME = re.compile(r"active|(?P<draft>draft-)?v?(?P<number>[0-9]{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledConfig:
    """A config without errors, and its policy."""

    #: The name in the form of `find_compiled_config`; empty for a text that is not stored.
    name: str
    policy: Policy
    #: Number of the version, to whose text origins refer; None for a draft or a text.
    version: int | None = None
    #: Number of the draft; None for a version or a text.
    draft: int | None = None


def find_compiled_config(org: Organization, name: str) -> CompiledConfig:
    """
    Return the config called *name*: ``active``, a version such as ``4``, or ``draft-7``.

    Before the first apply, the active config is empty. Raises BadRequest for an invalid name,
    NotFound, and ConfigRejected for a draft with errors.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        message = "Use active, the number of a version, or draft- followed by a number."
        raise BadRequest([FieldError("config", "invalid_choice", message)])
    if found["number"] is None:
        active = active_version(org)
        if active is None:
            return CompiledConfig(name=name, policy=NO_POLICY)
        return CompiledConfig(name=name, policy=policy_of(active), version=active.number)
    number = int(found["number"])
    if found["draft"] is None:
        version = get_version(org, number)
        return CompiledConfig(name=str(number), policy=policy_of(version), version=number)
    draft = get_draft(org, number)
    policy = _compile(org, draft.dialect, draft.text)
    return CompiledConfig(name=f"draft-{number}", policy=policy, draft=number)


def compile_config_text(org: Organization, dialect: str, text: str) -> CompiledConfig:
    """
    Return *text*, compiled as the next version.

    Raises BadRequest for an unknown dialect, and ConfigRejected for a text with errors.
    """
    return CompiledConfig(name="", policy=_compile(org, dialect, text))


def _compile(org: Organization, dialect: str, text: str) -> Policy:
    reading = find_dialect(dialect).read(text, past_specs(org))
    if reading.policy is None:
        raise ConfigRejected(reading)
    return reading.policy
