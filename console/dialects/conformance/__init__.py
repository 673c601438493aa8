"""Conformance: run cases with a known result, and report differences from the engine's result."""

from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.result import Result, Verdict
from console.dialects.conformance.run import run_case

__all__ = ["MalformedCase", "Result", "Verdict", "run_case"]
