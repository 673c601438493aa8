"""Why a start cannot go on, in one sentence for the person at the terminal."""


class StartFailed(Exception):
    """The start cannot go on; the message says why and what to do."""
