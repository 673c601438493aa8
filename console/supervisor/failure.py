"""The error of a failed start."""


class StartFailed(Exception):
    """The start failed; the message states the cause and the repair."""
