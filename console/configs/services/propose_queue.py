"""Propose a queue: the active config with a new queue, and what routes workloads to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from console.configs.errors import ConfigRejected
from console.configs.models import ConfigVersion
from console.configs.services.activate_version import require_active
from console.configs.services.check_config import check_config, find_dialect
from console.configs.services.propose_numbers import NumberChange
from console.dialects.adding_queues import with_queue
from console.dialects.base import Dialect, Reading
from console.dialects.editable_numbers import NumberKey
from console.dialects.new_queues import FormField, NumberField
from console.dialects.objects import objects_of
from console.dialects.source import Source
from console.engine.model.policy import Policy
from console.engine.model.selectors import Selector
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.permissions import Actor, Permission
from console.policies.queries import get_version, policy_of


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueInput:
    """The typed values of a new queue."""

    name: str
    #: The values of each field of the language by its name; a field may take several.
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    numbers: Sequence[NumberChange] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueProposal:
    """A config text with a new queue; it has no errors."""

    dialect: str
    text: str
    reading: Reading
    #: The name of the queue in the config, such as root.research.vision.
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueForm:
    """The parts of the form that adds a queue to a version."""

    fields: tuple[FormField, ...]
    numbers: tuple[NumberField, ...]
    #: One sentence that says how workloads reach the queue.
    about_route: str
    #: A number that the text states for each resource, as examples of its syntax.
    examples: Mapping[str, str]
    #: The selectors of capacity by the name that the numbers use, such as a flavor's.
    selectors: Mapping[str, Selector]


def may_have_queues(policy: Policy) -> bool:
    """Return whether the language of *policy* has a form for new queues."""
    return find_dialect(policy.dialect).new_queues is not None


def queue_form(actor: Actor, version: ConfigVersion) -> QueueForm | None:
    """Return the parts of the form for *version*; None if its language has no such form."""
    actor.require(Permission.READ)
    dialect, source = find_dialect(version.dialect), _source(actor, version)
    form = dialect.new_queues
    if form is None or source is None:
        return None
    numbers = form.numbers(source)
    return QueueForm(
        fields=form.fields(source),
        numbers=numbers,
        about_route=form.about_route,
        examples=_examples(dialect, source, numbers),
        selectors=policy_of(version).spec.selectors(),
    )


def _examples(dialect: Dialect, source: Source, numbers: Sequence[NumberField]) -> dict[str, str]:
    """Return a number of the text for each resource, with the field of the first of *numbers*."""
    if dialect.number_fields is None or not numbers:
        return {}
    field = numbers[0].key.field
    found: dict[str, str] = {}
    for stated in dialect.number_fields.find(source).values():
        for each in stated:
            if each.key.field == field and each.written not in ("", "0"):
                found.setdefault(each.key.resource, each.written)
    return found


def propose_queue(actor: Actor, queue: QueueInput, expected_version: int) -> QueueProposal:
    """
    Return the text of version *expected_version* with *queue*.

    All other lines stay as they are. Raises NotAllowed, StaleVersion if another version is active,
    NotFound if the language has no such form, BadRequest for invalid values (the paths are
    ``name``, ``settings.cohort`` and ``numbers[0].value``) or a text whose layout allows no such
    edit, and ConfigRejected if the values contradict other parts of the config.
    """
    actor.require(Permission.READ)
    require_active(actor.org, expected_version)
    version = get_version(actor.org, expected_version) if expected_version else None
    source = _source(actor, version) if version else None
    dialect = find_dialect(version.dialect) if version else None
    if version is None or source is None or dialect is None or dialect.new_queues is None:
        raise NotFound("The active config has no queues that a form can add.")
    policy = policy_of(version)
    fields = {
        name: tuple(typed for each in values if (typed := each.strip()))
        for name, values in queue.fields.items()
    }
    places: dict[NumberKey, int] = {}
    errors = []
    for place, each in enumerate(queue.numbers):
        if each.key in places:
            message = "The same number is stated twice."
            errors.append(FieldError(f"numbers[{place}]", "repeated_number", message))
        places.setdefault(each.key, place)
    made = with_queue(
        dialect,
        version.text,
        source,
        objects_of(policy),
        queue.name.strip(),
        {name: values for name, values in fields.items() if values},
        {each.key: each.value.strip() for each in queue.numbers},
    )
    errors += [
        FieldError(_path(name), "invalid_field", message) for name, message in made.problems.items()
    ]
    errors += [
        FieldError(f"numbers[{places[key]}].value", "invalid_number", message)
        for key, message in made.number_problems.items()
    ]
    if errors:
        raise BadRequest(errors)
    reading = check_config(actor, version.dialect, made.text)
    if reading.policy is None:
        raise ConfigRejected(reading)
    added = (each for each in reading.policy.queues if each not in policy.queues)
    return QueueProposal(
        dialect=version.dialect,
        text=made.text,
        reading=reading,
        name=next(added, queue.name.strip()),
    )


def _source(actor: Actor, version: ConfigVersion) -> Source | None:
    return check_config(actor, version.dialect, version.text).source


def _path(name: str) -> str:
    return name if name in ("", "name") else f"settings.{name}"
