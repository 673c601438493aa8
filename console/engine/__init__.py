"""Admission engine: computes decisions about workloads; standard library only."""
