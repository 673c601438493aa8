"""A local mail server that stores messages, and can refuse them or break the connection."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast


@dataclass(slots=True)
class Mailbox:
    """The messages that the server has accepted, and how it answers the next ones."""

    port: int = 0
    got: list[EmailMessage] = field(default_factory=list)
    #: Recipients of the messages, in the order of *got*.
    recipients: list[str] = field(default_factory=list)
    #: The answer to the text of a message; "" closes the connection without an answer.
    answer: str = "250 accepted"
    #: Called before that answer.
    before_answer: Callable[[], None] = lambda: None

    def text(self, number: int = -1) -> str:
        """Return the text of a message."""
        return str(self.got[number].get_content()).replace("\r\n", "\n")


@contextmanager
def receiving_mail() -> Iterator[Mailbox]:
    """Run a mail server on a free port."""
    mailbox = Mailbox()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 mail.example")
            recipient = ""
            while line := self.rfile.readline():
                verb = line.split(b":")[0].strip().upper()
                if verb == b"RCPT TO":
                    recipient = line.decode().partition("<")[2].partition(">")[0]
                if verb == b"QUIT":
                    self._say("221 bye")
                    return
                if verb != b"DATA":
                    self._say("250 fine")
                    continue
                self._say("354 go on")
                text = b"".join(iter(self.rfile.readline, b".\r\n"))
                mailbox.before_answer()
                if not mailbox.answer:
                    return
                if mailbox.answer.startswith("250"):
                    parsed = message_from_bytes(text, policy=policy.default)
                    mailbox.got.append(cast(EmailMessage, parsed))
                    mailbox.recipients.append(recipient)
                self._say(mailbox.answer)

        def _say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        mailbox.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield mailbox
        finally:
            server.shutdown()
            thread.join()
