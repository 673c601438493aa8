"""Checks of the tree of queues: its root, names, access lists and numbers of applications."""

from __future__ import annotations

import re
from typing import Final

from console.dialects.findings import Repair
from console.dialects.repairs import remove_field, replace
from console.dialects.wording import quote, shorten
from console.dialects.yunikorn.access import check_access
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.codes import (
    APPLICATIONS_MISSING,
    APPLICATIONS_OVER_PARENT,
    DUPLICATE_QUEUE,
    LIMITS_DIFFER,
    NO_QUEUES,
    QUEUE_NAME,
    ROOT_RESOURCES,
)
from console.dialects.yunikorn.decode import Values
from console.dialects.yunikorn.limit_checks import LimitChecks
from console.dialects.yunikorn.problems import Problems
from console.dialects.yunikorn.repairs import add_field
from console.dialects.yunikorn.schema import PartitionDoc, QueueDoc
from console.engine.disciplines.hierarchy.spec import ROOT

QUEUE_PATTERN: Final = re.compile(r"[a-zA-Z0-9_:#/@-]{1,64}")
QUEUE_NAME_HINT: Final = "Names have 1 to 64 letters, digits and - _ # @ / :."
#: YuniKorn's message about a name.
QUEUE_NAME_ORIGINAL: Final = (
    "invalid queue name, max 64 characters consisting of alphanumeric characters and "
    "'-', '_', '#', '@', '/', ':' allowed"
)


def find_root(partition: PartitionDoc, problems: Problems) -> QueueDoc | None:
    """
    Return the root of a partition, which YuniKorn adds above other queues than a single root.

    None, with a finding, if the partition states no queues.
    """
    queues = partition.queues
    if queues is None:
        _note_no_queues(partition, problems)
        return None
    if len(queues) == 1 and queues[0].name.lower() == ROOT:
        root = queues[0]
    else:
        found = partition.values.get("queues")
        place = found.place if found is not None else partition.place
        root = QueueDoc(values=Values(place), name=ROOT, queues=queues, is_added=True)
    for written in (root.guaranteed, root.maximum):
        if written is not None:
            _note_root_resources(root, problems)
            break
    return root


def _note_no_queues(partition: PartitionDoc, problems: Problems) -> None:
    place = partition.values.key("queues")
    problems.add(
        NO_QUEUES,
        place.first if place is partition.place else place,
        "The partition has no queues.",
        "Add queues; an empty list gives the root only.",
        _queues_fix(partition, problems),
        original="queue config is not set",
    )


def _queues_fix(partition: PartitionDoc, problems: Problems) -> tuple[Repair, ...]:
    """Return the fix that adds an empty list of queues, unless the field is there and invalid."""
    if "queues" in partition.values.keys:
        return ()
    name = partition.values.get("name")
    beside = name.place if name else None
    return add_field(problems.findings, partition.place, beside, "queues", "[]")


def _note_root_resources(root: QueueDoc, problems: Problems) -> None:
    place = root.values.key("resources")
    repairs: tuple[Repair, ...] = ()
    stated = root.values.get("resources")
    if stated is not None:
        repairs = (remove_field(problems.findings, stated.place, "resources"),)
    problems.add(
        ROOT_RESOURCES,
        place,
        "The root cannot have resources: it may use all that the nodes offer.",
        "Remove resources, or state them for the queues below.",
        repairs,
        original="root queue must not have resource limits set",
    )


def check_root_limits(partition: PartitionDoc, root: QueueDoc, problems: Problems) -> None:
    """Take the limits of a partition over to its root; if both have some, they must be equal."""
    if not partition.limits:
        return
    if not root.limits:
        root.limits = partition.limits
        return
    own = [each.meaning for each in partition.limits]
    if own != [each.meaning for each in root.limits]:
        problems.add(
            LIMITS_DIFFER,
            partition.values.key("limits"),
            "The partition and its root have different limits, but both apply to the root.",
            "Remove one of the two lists.",
            original="partition limits and root queue limits are not equivalent",
        )


def check_queues(queue: QueueDoc, level: int, amounts: Amounts, problems: Problems) -> None:
    """Check access lists and limits of a queue, and the names of the queues below it."""
    check_access(queue.admin, problems)
    check_access(queue.submit, problems)
    LimitChecks(queue, amounts, problems).check()
    names: dict[str, QueueDoc] = {}
    for child in queue.queues:
        _check_name(child, problems)
        first = names.setdefault(child.name.lower(), child)
        if first is not child:
            line = problems.findings.positions.line_words(first.name_place.start)
            problems.add(
                DUPLICATE_QUEUE,
                child.name_place,
                f'The queue "{shorten(child.name)}" is already on {line}.',
                "Rename or remove one of the two.",
                original=f"duplicate child name found with name '{child.name}', level {level}",
            )
    for child in queue.queues:
        check_queues(child, level + 1, amounts, problems)


def _check_name(queue: QueueDoc, problems: Problems) -> None:
    name = queue.name
    if QUEUE_PATTERN.fullmatch(name):
        return
    repairs: tuple[Repair, ...] = ()
    written = queue.values.get("name")
    better = re.sub(r"[^a-zA-Z0-9_:#/@-]+", "_", name.strip())
    if written is not None and QUEUE_PATTERN.fullmatch(better):
        repairs = (replace(written.place, better),)
    message = f"{quote(name)} is not a name of a queue." if name else "The queue has no name."
    place = queue.name_place if written is not None else queue.name_place.first
    problems.add(
        QUEUE_NAME,
        place,
        message,
        QUEUE_NAME_HINT,
        repairs,
        original=QUEUE_NAME_ORIGINAL,
    )


def check_applications(queue: QueueDoc, problems: Problems) -> None:
    """Check the numbers of applications of all queues below one against the one above each."""
    most = queue.most_applications
    for child in queue.queues:
        own = child.most_applications
        if most and own > most and child.applications is not None:
            problems.add(
                APPLICATIONS_OVER_PARENT,
                child.applications.place,
                f'maxapplications is {own}, more than the {most} of "{shorten(queue.name)}" above.',
                f"Write {most} or less.",
                (replace(child.applications.place, str(most), number=True),),
                original="parent maxApplications must be larger than child maxApplications",
            )
        elif most and not own:
            _note_missing(queue, child, problems)
        check_applications(child, problems)


def _note_missing(queue: QueueDoc, child: QueueDoc, problems: Problems) -> None:
    most = queue.most_applications
    place = child.applications.place if child.applications else child.name_place
    repairs: tuple[Repair, ...] = ()
    if child.applications is not None:
        repairs = (replace(place, str(most), number=True),)
    elif "maxapplications" not in child.values.keys:
        name = child.values.get("name")
        beside = name.place if name else None
        repairs = add_field(problems.findings, child.place, beside, "maxapplications", str(most))
    problems.add(
        APPLICATIONS_MISSING,
        place,
        f'"{shorten(child.name)}" needs maxapplications, because "{shorten(queue.name)}" above '
        "has it.",
        f"Repeat {most}, or state a smaller number.",
        repairs,
        original="maxApplications is either undefined or zero, which is not allowed when parent "
        "queue's maxApplications is defined",
    )
