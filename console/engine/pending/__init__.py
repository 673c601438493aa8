"""Pending workloads: classes of equal workloads, their order in a queue, their eligibility."""
