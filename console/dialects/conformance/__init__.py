"""Conformance: run cases with a known outcome, and say where the engine's answer differs."""

from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.result import Result, Verdict
from console.dialects.conformance.run import run_case

__all__ = ["MalformedCase", "Result", "Verdict", "run_case"]
