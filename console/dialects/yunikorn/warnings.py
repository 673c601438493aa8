"""Warnings about configs that YuniKorn accepts: settings without the expected effect."""

from __future__ import annotations

from typing import Final

from console.dialects.findings import Edit, Place, Repair
from console.dialects.repairs import did_you_mean, remove_field, replace, suggest
from console.dialects.scalars import write_text
from console.dialects.wording import quote, shorten
from console.dialects.written import Unread, Written
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.codes import (
    LIKELY_NAME,
    NESTED_ROOT,
    OLD_UNITS,
    PARENT_IGNORED,
    PROPERTY_VALUE,
    SETTING_UNKNOWN,
    SETTING_VALUE,
    TEMPLATE_ON_LEAF,
    UNKNOWN_PROPERTY,
    ZERO_MAX,
)
from console.dialects.yunikorn.problems import Problems
from console.dialects.yunikorn.schema import Document, QueueDoc, Texts
from console.dialects.yunikorn.settings import OTHER_SETTINGS, PROPERTIES, SERVICE_SETTINGS
from console.engine.disciplines.hierarchy.resources import MEMORY, VCORE, is_zero
from console.engine.disciplines.hierarchy.spec import ROOT

#: More cores, or fewer bytes, are unlikely for a queue.
_MANY_CORES: Final = 1000
_FEW_BYTES: Final = 10_000_000
#: Names that are probably meant as another one.
_LIKELY: Final = {"vcores": VCORE, "cpu": VCORE, "cpus": VCORE, "cores": VCORE, "mem": MEMORY}


def warn(document: Document, amounts: Amounts, problems: Problems) -> None:
    """Report what a config says without the expected effect."""
    for partition in document.partitions:
        if partition.root is None:
            continue
        for queue in partition.root.below():
            _Queue(queue, queue is partition.root, amounts, problems).warn()
    _warn_of_settings(document.settings, problems)


class _Queue:
    """The warnings about one queue."""

    def __init__(
        self, queue: QueueDoc, is_root: bool, amounts: Amounts, problems: Problems
    ) -> None:
        self._queue = queue
        self._is_root = is_root
        self._amounts = amounts
        self._problems = problems

    def warn(self) -> None:
        """Report all of them."""
        queue, template = self._queue, self._queue.template
        self._warn_of_kind()
        self._warn_of_root()
        self._warn_of_maximum()
        self._warn_of_properties(queue.properties)
        self._warn_of_amounts(queue.guaranteed)
        self._warn_of_amounts(queue.maximum)
        for limit in queue.limits:
            self._warn_of_amounts(limit.resources)
        if template is not None:
            self._warn_of_properties(template.properties)
            self._warn_of_amounts(template.guaranteed)
            self._warn_of_amounts(template.maximum)

    def _warn_of_kind(self) -> None:
        queue, problems = self._queue, self._problems
        stated = queue.parent
        if stated is not None and not stated.value and (queue.queues or self._is_root):
            problems.add(
                PARENT_IGNORED,
                stated.place,
                f'parent: false has no effect: "{shorten(queue.name)}" is a parent.',
                "Remove it.",
                (remove_field(problems.findings, stated.place, "parent"),),
            )
        if queue.template is not None and queue.is_leaf and not self._is_root:
            problems.add(
                TEMPLATE_ON_LEAF,
                queue.values.key("childtemplate"),
                f'The template has no effect: "{shorten(queue.name)}" is a leaf.',
                "Write parent: true if rules create queues below it.",
            )

    def _warn_of_root(self) -> None:
        queue = self._queue
        stated = queue.values.get("resources")
        if self._is_root or queue.name.lower() != ROOT or stated is None:
            return
        ignored = self._problems.compatibility.first_root_applications
        self._problems.add(
            NESTED_ROOT,
            queue.values.key("resources"),
            "YuniKorn ignores the resources of a queue that is called root"
            + ("." if ignored else "; here they have effect."),
            "Rename the queue.",
        )

    def _warn_of_maximum(self) -> None:
        maximum = self._queue.maximum
        stated = self._amounts.read(maximum)
        if maximum is None or not stated or isinstance(stated, Unread) or not is_zero(stated):
            return
        is_unlimited = self._problems.compatibility.zero_is_unlimited
        self._problems.add(
            ZERO_MAX,
            maximum.place,
            "A maximum with zeros only is no limit in YuniKorn"
            + (", and none here." if is_unlimited else "; here it blocks these resources."),
            "Remove it for no limit, or state another resource above 0 beside them.",
        )

    def _warn_of_properties(self, stated: Written[Texts] | None) -> None:
        problems = self._problems
        for key, text in stated.value if stated else ():
            known = PROPERTIES.get(key.value)
            if known is None:
                hint, repairs = _did_you_mean_key(key, problems)
                problems.add(
                    UNKNOWN_PROPERTY,
                    key.place,
                    f"The property {quote(key.value)} has no effect.",
                    hint,
                    repairs,
                )
            elif text.value and not known.is_valid(text.value):
                hint, repairs = "", ()
                if known.words:
                    word = text.value.lower()
                    hint, repairs = did_you_mean(problems.findings, text.place, word, known.words)
                    if word in known.words:
                        hint, repairs = f"Write {word}.", (replace(text.place, word),)
                problems.add(
                    PROPERTY_VALUE,
                    text.place,
                    f"{key.value} takes {known.takes}, not {quote(text.value)}; YuniKorn uses "
                    f"{known.default}.",
                    hint,
                    repairs,
                )

    def _warn_of_amounts(self, stated: Written[Texts] | None) -> None:
        texts = stated.value if stated else ()
        names = {key.value for key, _ in texts}
        for key, text in texts:
            likely = _LIKELY.get(key.value.lower())
            if key.value.lower() == VCORE != key.value:
                likely = VCORE
            if likely is not None and likely not in names:
                edit = Edit(key.place.start, key.place.end, likely)
                self._problems.add(
                    LIKELY_NAME,
                    key.place,
                    f"{shorten(key.value)} is a resource of its own; {likely} is probably meant.",
                    f"Write {likely}.",
                    (Repair(f'Replace with "{likely}"', (edit,)),),
                )
            self._warn_of_units(key.value, text)

    def _warn_of_units(self, resource: str, text: Written[str]) -> None:
        """Report plain numbers that have another unit in YuniKorn 0.12."""
        digits = text.value.strip()
        if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(_FEW_BYTES)):
            return
        number = int(digits)
        if resource == VCORE and number >= _MANY_CORES:
            meaning, old = f"{number} cores", f"{number}m"
        elif resource == MEMORY and 0 < number < _FEW_BYTES:
            meaning, old = f"{number} bytes", f"{number}M"
        else:
            return
        self._problems.add(
            OLD_UNITS,
            text.place,
            f"{resource}: {number} is {meaning}; until YuniKorn 0.12 it was {old}.",
            f"Write {old} if that is meant.",
            (replace(text.place, old),),
        )


def _did_you_mean_key(key: Written[str], problems: Problems) -> tuple[str, tuple[Repair, ...]]:
    best = suggest(problems.findings, key.value, tuple(PROPERTIES))
    if best is None:
        return "", ()
    edit = Edit(key.place.start, key.place.end, write_text(best))
    return f'Did you mean "{best}"?', (Repair(f'Replace with "{best}"', (edit,)),)


def _warn_of_settings(settings: dict[str, Written[str]], problems: Problems) -> None:
    for name, text in settings.items():
        known = SERVICE_SETTINGS.get(name)
        if known is not None and not known.is_valid(text.value):
            problems.add(
                SETTING_VALUE,
                text.place,
                f"{name} takes {known.takes}, not {quote(text.value)}.",
                f"The default is {known.default}.",
            )
        elif known is None and not name.startswith(OTHER_SETTINGS):
            best = suggest(problems.findings, name, tuple(SERVICE_SETTINGS))
            place: Place = text.place
            problems.add(
                SETTING_UNKNOWN,
                place,
                f"{quote(name)} is not read.",
                f'Did you mean "{best}"?' if best else "",
            )
