"""The signature of a runner: it runs one case with the discipline and compares the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from console.dialects.conformance.result import Result

#: (id, case, engine under test) -> result. All cases run with the engine of the product.
Runner: TypeAlias = Callable[[str, Mapping[str, Any], object], Result]
