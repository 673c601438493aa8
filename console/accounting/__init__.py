"""Accounting: the quota that workloads hold, multiplied by its time, by its consumers."""
