"""Diagnostic codes of YAML and of the fields and values of all languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.dialects.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding: its stable code, severity, title and advice."""

    code: str
    severity: Severity
    title: str
    #: Why it is a finding and how to repair it, for the catalogue.
    advice: str
    #: Whether its findings depend on more than the text; see `Diagnostic.is_live`.
    is_live: bool = False


def declared(namespace: Mapping[str, object]) -> tuple[Code, ...]:
    """Return the codes in the *namespace* of a module, sorted by code."""
    return tuple(
        sorted((c for c in namespace.values() if isinstance(c, Code)), key=lambda c: c.code)
    )


SYNTAX = Code(
    "YML001",
    Severity.ERROR,
    "Not valid YAML",
    "The text cannot be read beyond this place, so nothing below it was checked. Correct the "
    "marked text; the cause is often one line above it.",
)
ENCODING = Code(
    "YML002",
    Severity.ERROR,
    "Not UTF-8",
    "A config is UTF-8 text. Save the file as UTF-8 and check it again.",
)
CONTROL_CHARACTER = Code(
    "YML003",
    Severity.ERROR,
    "Character that YAML does not allow",
    "Control characters and lone surrogates are not allowed in YAML text. Remove them, or write "
    "them as an escape in double quotes.",
)
TOO_LARGE = Code(
    "YML004",
    Severity.ERROR,
    "Text too large",
    "A config may have up to 1 MiB. Remove what is not needed.",
)
TOO_DEEP = Code(
    "YML005",
    Severity.ERROR,
    "Nested too deeply",
    "A config may nest 64 levels. The fields of a config need nine; flatten the value, or "
    "look for a bracket that is never closed.",
)
TOO_MANY_VALUES = Code(
    "YML006",
    Severity.ERROR,
    "Too many values",
    "A config may hold 200,000 values, counting every use of an alias. Aliases of aliases "
    "multiply; write out the values instead.",
)
TAB = Code(
    "YML007",
    Severity.ERROR,
    "Tab in the indentation",
    "YAML allows only spaces for indentation. Replace the tab with spaces.",
)
SECOND_DOCUMENT = Code(
    "YML008",
    Severity.ERROR,
    "Second document",
    "A config is one YAML document. Remove the line --- and what does not belong to the config.",
)
DUPLICATE_KEY = Code(
    "YML009",
    Severity.ERROR,
    "Duplicate key",
    "A key may appear only once in a mapping. Remove one of the two; the first one is used.",
)
TAG = Code(
    "YML010",
    Severity.ERROR,
    "YAML tag",
    "Tags such as !!str or !custom are not read. Remove the tag; to mark a value as text, "
    "quote it.",
)
UNKNOWN_ALIAS = Code(
    "YML011",
    Severity.ERROR,
    "Alias without an anchor",
    "An alias (*name) repeats a value that was marked with an anchor (&name) above it. Define"
    " the anchor earlier, or quote the text if it was not meant as an alias.",
)
RECURSIVE_ALIAS = Code(
    "YML012",
    Severity.ERROR,
    "Alias inside its own anchor",
    "A value cannot contain itself. Write out the value.",
)
KEY_NOT_TEXT = Code(
    "YML013",
    Severity.ERROR,
    "Key is not text",
    "The key of a mapping is one text, not a list, a mapping or an alias of one.",
)
MERGE = Code(
    "YML014",
    Severity.ERROR,
    "Merge of a value that is not a mapping",
    "The merge key << takes an alias of a mapping, or a list of such aliases.",
)
UNRENDERED_TEMPLATE = Code(
    "YML015",
    Severity.ERROR,
    "Template that was not rendered",
    "The text has tags of a template, such as {{ ... }} or {% ... %}, which are not YAML. Render "
    "the template, for example with helm template, and use its output.",
)

UNKNOWN_KEY = Code(
    "DOC001",
    Severity.ERROR,
    "Unknown key",
    "The field does not exist at this place. Correct its spelling, its indentation, or remove it.",
)
MISSING_KEY = Code(
    "DOC002",
    Severity.ERROR,
    "Required field is missing",
    "Add the field, or give it a value if it is empty.",
)
NOT_A_MAPPING = Code(
    "DOC003",
    Severity.ERROR,
    "Not a mapping",
    "Fields are expected here: lines of the form `field: value`, or `{field: value}`.",
)
NOT_A_LIST = Code(
    "DOC004",
    Severity.ERROR,
    "Not a list",
    "A list is expected here: lines that begin with `- `, or `[a, b]`.",
)
NOT_TEXT = Code(
    "DOC005",
    Severity.ERROR,
    "Not a text",
    "One text is expected here, not a list or a mapping.",
)
BLANK = Code(
    "DOC006",
    Severity.ERROR,
    "Blank text",
    "The text must have at least one character that is not a space.",
)
QUOTE_IT = Code(
    "DOC007",
    Severity.ERROR,
    "Text that YAML reads as something else",
    "Without quotes, YAML parsers read this as a number, a date, true, false or null, and they "
    "disagree on which. Quote it, so that every parser reads the same text.",
)
NOT_A_CHOICE = Code(
    "DOC008",
    Severity.ERROR,
    "Unknown value",
    "The field accepts only certain values; the message lists them.",
)
NOT_A_NUMBER = Code(
    "DOC009",
    Severity.ERROR,
    "Not a number",
    "Write a plain number: digits, and a decimal point when needed. true, false and words are"
    " not numbers.",
)
QUOTED_NUMBER = Code(
    "DOC010",
    Severity.ERROR,
    "Number in quotes",
    "A quoted value is text. Remove the quotes.",
)
NEGATIVE = Code(
    "DOC011",
    Severity.ERROR,
    "Negative number",
    "The number must be 0 or more. 0 blocks; omit the field for no limit.",
)
TOO_PRECISE = Code(
    "DOC012",
    Severity.ERROR,
    "More than three decimals",
    "Amounts are exact thousandths of a unit. Round to three decimals.",
)
NOT_FINITE = Code(
    "DOC013",
    Severity.ERROR,
    "Not a finite number",
    "Infinity and NaN are not amounts. Omit the field for no limit.",
)
TOO_BIG = Code(
    "DOC014",
    Severity.ERROR,
    "Number too large",
    "Amounts go up to 1,000,000,000,000,000 and priorities up to 2,147,483,647. Omit the field "
    "for no limit.",
)
NUMBER_SPELLING = Code(
    "DOC015",
    Severity.ERROR,
    "Number that YAML parsers read differently",
    "010, 0x10, 1_000, 12:30, 1e3 and +5 do not mean the same to all parsers: 1e3 is text to "
    "some, 010 is 8 to others. Write the number with digits and at most one decimal point.",
)
NOT_WHOLE = Code(
    "DOC016",
    Severity.ERROR,
    "Not a whole number",
    "Priorities are whole numbers. Write it without a decimal point.",
)
EMPTY_LIST = Code(
    "DOC017",
    Severity.ERROR,
    "Empty list",
    "The list needs at least one item.",
)
DUPLICATE_ITEM = Code(
    "DOC018",
    Severity.ERROR,
    "Duplicate item",
    "An item may appear only once in the list. Remove one of the two.",
)
DUPLICATE_NAME = Code(
    "DOC019",
    Severity.ERROR,
    "Name used twice",
    "Entries of one list need different names. Rename or remove one of them.",
)
MORE_FINDINGS = Code(
    "DOC020",
    Severity.INFO,
    "More findings",
    "500 findings are shown at a time. Correct some of them and check again.",
)
TOO_LONG = Code(
    "DOC021",
    Severity.ERROR,
    "Text too long",
    "Names, keys and values have 500 characters at most. Shorten it.",
)
CONTROL_IN_TEXT = Code(
    "DOC022",
    Severity.ERROR,
    "Control character in a text",
    "Line breaks, tabs and other control characters cannot be part of a name, a key or a "
    "value. Write the text on one line.",
)

SHARED_CODES = declared(globals())
