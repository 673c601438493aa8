"""Replay of an arrival trace in real time, against a complete product started for it."""
