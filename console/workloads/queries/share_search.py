"""The number of a queue that a request for shares changes, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from console.dialects.quantity import amount_of
from console.engine.disciplines.share_report import NumberChange, ShareNumber
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, Unlimited, parse_amount
from console.errors import BadRequest, FieldError
from console.reading import QueryReader

#: The largest priority and weight that may be tried, as thousandths.
_MOST = 10**12 * SCALE


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSearch:
    """A question about shares: the queue in detail, and the number to change."""

    #: The queue for which the answer has what it may reclaim; "": for none.
    of: str = ""
    change: NumberChange | None = None

    @classmethod
    def from_query(cls, query: QueryDict) -> ShareSearch:
        """Return the search in *query*; raises BadRequest with every wrong value."""
        reader = QueryReader(query)
        of = reader.text("of") or ""
        queue, resource = reader.text("queue") or "", reader.text("resource") or ""
        number = reader.choice("number", [each.value for each in ShareNumber])
        text = reader.text("value") or ""
        reader.finish()
        if not (queue or number or text):
            return cls(of=of)
        given = {"queue": queue, "number": number, "value": text}
        if number is not None and number != ShareNumber.PRIORITY:
            given["resource"] = resource
        missing = [name for name, value in given.items() if not value]
        if missing:
            raise BadRequest(
                [
                    FieldError(name, "required", f"{name} is required to change a number.")
                    for name in missing
                ]
            )
        kind = ShareNumber(number or "")
        try:
            value = _value(kind, text, resource)
        except ValueError as error:
            raise BadRequest([FieldError("value", "invalid_number", f"{error}.")]) from None
        return cls(
            of=of,
            change=NumberChange(
                queue=queue,
                number=kind,
                resource="" if kind is ShareNumber.PRIORITY else resource,
                value=value,
            ),
        )


def _value(kind: ShareNumber, text: str, resource: str) -> Amount:
    """Return the thousandths of a number in words of the form; raises ValueError."""
    is_bound = kind in (ShareNumber.QUOTA, ShareNumber.LIMIT)
    if is_bound and text in ("unlimited", "-1"):
        return UNLIMITED
    value = amount_of(text, resource) if is_bound and resource == "memory" else parse_amount(text)
    if isinstance(value, Unlimited):
        return value
    if kind is ShareNumber.PRIORITY and value % SCALE:
        raise ValueError("a priority is a whole number")
    if kind is not ShareNumber.PRIORITY and value < 0:
        raise ValueError(f"a {kind.value} is not negative")
    if not is_bound and abs(value) > _MOST:
        raise ValueError(f"a {kind.value} is at most 1e12")
    return value
