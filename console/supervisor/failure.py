"""The exception for a failed start of the product: lock, port, database, broker or processes."""


class StartFailed(Exception):
    """The start failed; the message states the cause and the repair."""
