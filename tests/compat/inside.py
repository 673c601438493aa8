"""
Calls functions of the anyscale client and prints the results; runs in the client's environment.

Standard input is a list of ``{"of", "name", "arguments"}``. A call is *of* ``sdk``, a function of
``anyscale.scheduler``, of ``client``, a method of the generated client, or of ``external``, a
method of the generated client of the external API.
"""

import json
import sys

import anyscale
from anyscale.authenticate import AuthenticationBlock

_QUIET = sys.stdout
sys.stdout = sys.stderr


def main() -> None:
    """Answer each call with its return value or exception."""
    block = AuthenticationBlock(log_output=False, raise_structured_exception=True)
    owners = {
        "sdk": anyscale.scheduler,
        "client": block.api_client,
        "external": block.anyscale_api_client,
    }
    answers = []
    for call in json.load(sys.stdin):
        function = getattr(owners[call["of"]], call["name"])
        try:
            answers.append(plain(function(**call["arguments"])))
        except Exception as error:
            answers.append({"raised": type(error).__name__, "text": str(error)})
    print(json.dumps(answers, default=str), file=_QUIET)


def plain(value: object) -> object:
    """Return a model of the SDK or of the generated client as dicts and lists."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


main()
