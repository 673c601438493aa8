"""Tests of the trial: the manifests of a trace, and the client that runs it in real time."""
