"""Tests of the traces, of the workload tracker that checks a replay, and of the replay."""
