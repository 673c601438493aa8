"""
Traces for OpenTelemetry: requests, tasks, batches and statements, and how they belong together.

Off unless the variables of OpenTelemetry name a collector; then none of its packages is loaded,
nothing listens to signals, and no middleware is there.
"""
