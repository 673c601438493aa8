"""Warnings about configs that YuniKorn accepts: settings without the expected effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.dialects.findings import Edit, Repair
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
from console.dialects.yunikorn.repairs import parent_fix
from console.dialects.yunikorn.schema import Document, QueueDoc, Texts
from console.dialects.yunikorn.settings import OTHER_SETTINGS, PROPERTIES, SERVICE_SETTINGS
from console.engine.disciplines.hierarchy.resources import MEMORY, VCORE, is_zero
from console.engine.disciplines.hierarchy.spec import ROOT

#: More cores, or fewer bytes, are unlikely for a queue.
_MANY_CORES: Final = 1000
_FEW_BYTES: Final = 10_000_000
#: With more numbers to convert, only the first finding has the fix that converts all of them.
_MOST_EDITS: Final = 20
#: Names that are probably meant as another one.
_LIKELY: Final = {"vcores": VCORE, "cpu": VCORE, "cpus": VCORE, "cores": VCORE, "mem": MEMORY}


@dataclass(frozen=True, slots=True)
class _OldUnit:
    """A plain number that had another unit in YuniKorn 0.12."""

    resource: str
    text: Written[str]
    #: What the number counts today.
    unit: str
    #: The quantity that it was then.
    meant: str


def warn(document: Document, amounts: Amounts, problems: Problems) -> None:
    """Report what a config says without the expected effect."""
    old: list[_OldUnit] = []
    for partition in document.partitions:
        if partition.root is None:
            continue
        for queue in partition.root.below():
            _Queue(queue, queue is partition.root, amounts, problems, old).warn()
    _warn_of_units(old, problems)
    _warn_of_settings(document.settings, problems)


class _Queue:
    """The warnings about one queue."""

    def __init__(
        self,
        queue: QueueDoc,
        is_root: bool,
        amounts: Amounts,
        problems: Problems,
        old: list[_OldUnit],
    ) -> None:
        self._queue = queue
        self._is_root = is_root
        self._amounts = amounts
        self._problems = problems
        self._old = old

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
                parent_fix(queue, problems.findings),
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
            "Remove it for no limit, or add a resource with an amount above 0.",
        )

    def _warn_of_properties(self, stated: Written[Texts] | None) -> None:
        problems = self._problems
        texts = stated.value if stated else ()
        #: The properties that are there, or that a fix writes: another fix would repeat them.
        taken = {key.value for key, _ in texts}
        for key, text in texts:
            known = PROPERTIES.get(key.value)
            if known is None:
                hint, repairs = _did_you_mean_key(key, taken, problems)
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
        #: The names that fixes write: another fix would repeat them.
        taken: set[str] = set()
        for key, _ in texts:
            likely = _LIKELY.get(key.value.lower())
            if key.value.lower() == VCORE != key.value:
                likely = VCORE
            if likely is not None and likely not in names:
                edit = Edit(key.place.start, key.place.end, likely)
                self._problems.add(
                    LIKELY_NAME,
                    key.place,
                    f"{shorten(key.value)} is another resource than {likely}, which is probably "
                    "meant.",
                    f"Write {likely}.",
                    () if likely in taken else (Repair(f'Replace with "{likely}"', (edit,)),),
                )
                taken.add(likely)
        self._collect_units(texts)

    def _collect_units(self, texts: Texts) -> None:
        """Collect plain numbers that have another unit in YuniKorn 0.12."""
        plain = {key.value: text for key, text in texts if _is_number(text.value)}
        cores, memory = plain.get(VCORE), plain.get(MEMORY)
        is_little = memory is not None and 0 < int(memory.value) < _FEW_BYTES
        # With so little memory, few cores are thousandths too.
        if cores is not None and int(cores.value) >= (1 if is_little else _MANY_CORES):
            self._old.append(_OldUnit(VCORE, cores, "cores", f"{int(cores.value)}m"))
        if memory is not None and is_little:
            self._old.append(_OldUnit(MEMORY, memory, "bytes", f"{int(memory.value)}M"))


def _warn_of_units(found: list[_OldUnit], problems: Problems) -> None:
    """Report numbers of YuniKorn 0.12; converted alone, one may contradict the others."""
    edits = {
        each.text.place.start: Edit(
            each.text.place.start, each.text.place.end, write_text(each.meant)
        )
        for each in found
    }
    for index, each in enumerate(found):
        repairs = [replace(each.text.place, each.meant)]
        if len(edits) > 1 and (index == 0 or len(edits) <= _MOST_EDITS):
            repairs.insert(0, Repair("Convert all numbers of YuniKorn 0.12", (*edits.values(),)))
        number = each.meant[:-1]
        problems.add(
            OLD_UNITS,
            each.text.place,
            f"{each.resource}: {number} is {number} {each.unit}; until YuniKorn 0.12 it was "
            f"{each.meant}.",
            f"Write {each.meant} if that is meant.",
            tuple(repairs),
        )


def _is_number(text: str) -> bool:
    digits = text.strip()
    return digits.isascii() and digits.isdigit() and len(digits) <= len(str(_FEW_BYTES))


def _did_you_mean_key(
    key: Written[str], taken: set[str], problems: Problems
) -> tuple[str, tuple[Repair, ...]]:
    """Return hint and repair that write the most similar property, which is added to *taken*."""
    best = suggest(problems.findings, key.value, [each for each in PROPERTIES if each not in taken])
    if best is None:
        return "", ()
    taken.add(best)
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
            problems.add(
                SETTING_UNKNOWN,
                text.place,
                f"{quote(name)} is not read.",
                f'Did you mean "{best}"?' if best else "",
            )
