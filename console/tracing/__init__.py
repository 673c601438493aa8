"""
OpenTelemetry traces: spans of requests, tasks, batches and statements.

Off unless the environment variables of OpenTelemetry name a collector. When off, its packages are
not imported, no signal receiver is connected and no middleware is installed.
"""
