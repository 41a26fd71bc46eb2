# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command that checks new content before it is put in place: its words."""

from __future__ import annotations

import re

from ..lang.shellwords import ShellWordsError, split
from ..redaction.texts import without_text_secrets
from .errors import InvalidResource

#: The place of the path of the new content in a command.
PLACEHOLDER = "%s"
_PRESENT = "present"
#: Words that mean something to a shell when they are not quoted, and would be arguments without one.
_OPERATORS = ("&&", "||", "|", ";", "&", "<", ">", ">>", "2>", "2>&1")
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)


def check_command(command: str, ensure: str, property: str) -> str:
    """Return the command, given as `property` of a resource. Raises InvalidResource as `words_of`, and for no content.

    Only a resource that is `present` has content to check.
    """
    words_of(command, property)
    if ensure != _PRESENT:
        raise InvalidResource(f"validate needs ensure: {_PRESENT}, not {ensure}", property=property)
    return command


def words_of(command: str, property: str = "validate") -> list[str]:
    """Return the words of the command, which was given as `property`.

    Raises InvalidResource when it has no place for the path, or needs a shell.
    """
    try:
        words = split(command)
    except ShellWordsError as error:
        raise InvalidResource(f"validate cannot be split into words: {error}", property=property) from None
    unquoted = _QUOTED.sub("x", command).replace(";", " ; ").split()
    operator = next((word for word in unquoted if word in _OPERATORS), "")
    if operator:
        raise InvalidResource(
            f"validate is run without a shell, and {operator} is for shells",
            property=property,
            value=without_text_secrets(command),
            advice="write sh -c '…'",
        )
    if not any(PLACEHOLDER in word for word in words):
        raise InvalidResource(
            f"validate must contain {PLACEHOLDER}, the place of the path of the new content",
            property=property,
            value=without_text_secrets(command),
        )
    return words
