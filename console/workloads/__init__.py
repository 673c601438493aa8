"""Workloads: submission, decisions, explanations, and the stored state of the engine."""
