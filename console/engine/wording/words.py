"""Phrases that sentences share: amounts, lists, counts, expressions and ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from console.engine.model.amounts import SCALE, Amount, Unlimited, format_amount
from console.engine.model.trace import FailedExpression, PriorityStep
from console.engine.model.workload import PODS

#: Resources that Kubernetes counts in bytes, besides those whose name begins with "hugepages-".
_BYTES = frozenset({"memory", "ephemeral-storage"})
_BINARY = ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki")
_DECIMAL = ("E", "P", "T", "G", "M", "k")

#: Resources whose names are acronyms.
_ACRONYMS = frozenset({"cpu", "gpu", "tpu"})

#: Maximum number of names or values in a list; further ones are counted.
_SHOWN = 5


def quantity(value: Amount, resource: str) -> str:
    """
    Return the exact number of an amount; bytes have units as in Kubernetes.

    >>> quantity(1500, "gpu"), quantity(64 * 2**30 * 1000, "memory"), quantity(10**12, "memory")
    ('1.5', '64Gi', '1G')
    """
    plain = format_amount(value)
    if isinstance(value, Unlimited) or not counts_bytes(resource) or value % SCALE:
        return plain
    whole = value // SCALE
    # Smaller amounts are not bytes: the config counts memory in another unit.
    if abs(whole) < 2**20:
        return plain
    return min(_in_unit(whole, 1024, _BINARY), _in_unit(whole, 1000, _DECIMAL), key=len)


def amount(value: Amount, resource: str) -> str:
    """
    Return an amount with its resource, in the plural where the resource has one.

    >>> amount(8000, "gpu"), amount(1000, "cpu"), amount(500, "cpu"), amount(1000, "pods")
    ('8 GPUs', '1 CPU', '0.5 CPU', '1 pod')
    >>> amount(2000, "nvidia.com/gpu"), amount(64 * 2**30 * 1000, "memory")
    ('2 nvidia.com/gpu', '64Gi memory')
    """
    noun = resource_name(resource)
    if resource == PODS:
        noun = "pod" if value == SCALE else PODS
    elif resource in _ACRONYMS and not (isinstance(value, int) and 0 < value <= SCALE):
        noun += "s"
    return f"{quantity(value, resource)} {noun}"


def resource_name(resource: str) -> str:
    """
    Return the name of a resource in a sentence: acronyms have capital letters.

    >>> resource_name("gpu"), resource_name("memory"), resource_name("nvidia.com/gpu")
    ('GPU', 'memory', 'nvidia.com/gpu')
    """
    return resource.upper() if resource in _ACRONYMS else resource


def short_name(resource: str) -> str:
    """
    Return the name of a resource in a list, without its domain.

    >>> short_name("nvidia.com/gpu"), short_name("memory")
    ('gpu', 'memory')
    """
    return resource.rpartition("/")[2]


def is_gpu(resource: str) -> bool:
    """
    Return whether the name of a resource says that it is a GPU.

    >>> is_gpu("nvidia.com/gpu"), is_gpu("memory")
    (True, False)
    """
    return "gpu" in resource.lower()


def amounts(requests: Mapping[str, int]) -> str:
    """Return all amounts of a request, sorted by resource."""
    return ", ".join(amount(value, resource) for resource, value in sorted(requests.items()))


def places(held: Mapping[str, int]) -> str:
    """
    Return amounts by "flavor/resource" in words.

    >>> places({"spot/gpu": 8000, "spot/cpu": 500, "fixed/gpu": 1000})
    '8 GPUs and 0.5 CPU on spot and 1 GPU on fixed'
    """
    return listed(
        f"{listed(amount(value, resource) for resource, value in of.items())} on {flavor}"
        for flavor, of in by_flavor(held).items()
    )


def by_flavor(held: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return amounts by "flavor/resource" as a mapping by flavor, then resource."""
    flavors: dict[str, dict[str, int]] = {}
    for place, value in held.items():
        flavor, _, resource = place.partition("/")
        flavors.setdefault(flavor, {})[resource] = value
    return flavors


def listed(words: Iterable[str]) -> str:
    """Return *words* as "a", "a and b" or "a, b and c"."""
    items = list(words)
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def cut(words: Iterable[str]) -> str:
    """Return the first few of *words* as a list, with the number of the others."""
    items = list(words)
    more = len(items) - _SHOWN
    return listed([*items[:_SHOWN], f"{more} more"] if more > 0 else items)


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, which gets an s unless the count is 1."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sentence_case(text: str) -> str:
    """Return *text* with a capital first letter."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """Return *text* with a lower-case first letter."""
    return text[:1].lower() + text[1:]


def share(thousandths: int | None) -> str:
    """Return a dominant share as a percentage; None: unbounded."""
    return "unbounded" if thousandths is None else f"{format_amount(thousandths * 100)}%"


def out_of_range(step: PriorityStep) -> str:
    """Return why a rule does not accept a requested priority."""
    accepted = priority_range(step)
    return f"rule {step.rule + 1} accepts {accepted}, not {step.requested}"


def priority_range(step: PriorityStep) -> str:
    """Return the priorities that a rule accepts."""
    if step.minimum is None:
        return f"priorities up to {step.maximum}"
    if step.maximum is None:
        return f"priorities from {step.minimum}"
    return f"priorities from {step.minimum} to {step.maximum}"


#: Words for operators of node affinity; the codes of label selectors are words already.
_OPERATORS = {
    "In": "in",
    "NotIn": "not in",
    "Exists": "exists",
    "DoesNotExist": "does not exist",
    "Gt": "greater than",
    "Lt": "less than",
}


def failed_expression(failed: FailedExpression) -> str:
    """Return the requirement of a false expression, and the actual value of the label."""
    required = expression(failed.key, failed.operator, failed.values)
    actual = "the label is absent" if failed.actual is None else f"it is {failed.actual!r}"
    return f"{required}, but {actual}"


def expression(key: str, operator: str, values: Sequence[str]) -> str:
    """
    Return the requirement of an expression in words.

    >>> expression("zone", "not_in", ("a", "b")), expression("team", "exists", ())
    ('zone not in [a, b]', 'team exists')
    """
    shown = ", ".join(values[:_SHOWN])
    more = len(values) - _SHOWN
    listing = f"[{shown}{f', and {more} more' if more > 0 else ''}]" if shown else ""
    return f"{key} {_OPERATORS.get(operator, operator.replace('_', ' '))} {listing}".strip()


def counts_bytes(resource: str) -> bool:
    """Return whether amounts of *resource* are bytes."""
    return resource in _BYTES or resource.startswith("hugepages-")


def _in_unit(whole: int, base: int, units: tuple[str, ...]) -> str:
    """Return *whole* in the largest unit that divides it."""
    for power, unit in zip(range(len(units), 0, -1), units, strict=True):
        if not whole % base**power:
            return f"{whole // base**power}{unit}"
    return str(whole)
