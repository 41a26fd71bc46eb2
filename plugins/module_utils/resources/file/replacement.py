# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What happens just before a new file replaces another: a command checks the new one, the old one is kept."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time

from ...host import files
from ...host.errors import HostError
from ...host.results import decode
from ...host.targets import Target, digest_of
from ...lang.shellwords import ShellWordsError, split
from ...model.errors import InvalidResource, ResourceFailed
from ...redaction.texts import without_text_secrets
from .type import PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from .type import FileProperties, FileState

#: The place of the path of the new file in a command.
PLACEHOLDER = "%s"
_LAST_LINES = 5
#: Words that mean something to a shell when they are not quoted, and would be arguments without one.
_OPERATORS = ("&&", "||", "|", ";", "&", "<", ">", ">>", "2>", "2>&1")
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)


class Replacement:
    """The replacement of a file in `state` on `machine` by the one that `properties` declare."""

    def __init__(self, machine: Machine, properties: FileProperties, state: FileState) -> None:
        self._machine = machine
        self._properties = properties
        self._state = state

    def prepare(self, new: str) -> None:
        """Check the complete new file, whose path is `new`, and keep a copy of the old one.

        Raises ResourceFailed when the command refuses it, HostError when the command or the copy is not possible.
        """
        if self._properties.validation:
            self._validate(new)
        if self._properties.backup and self._state.ensure == PRESENT:
            self._keep()

    def _validate(self, new: str) -> None:
        argv = [word.replace(PLACEHOLDER, new) for word in words_of(self._properties.validation)]
        before = _content_and_attributes(new)
        try:
            done = self._machine.run(argv)
        except HostError as error:
            raise ResourceFailed(f"validate could not run: {error}", property="validate") from None
        if not done.exit_code and _content_and_attributes(new) != before:
            # What the command put in its place would stay: only the file that was written is removed.
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise ResourceFailed("validate changed or removed the new file", property="validate")
        if done.exit_code:
            lines = decode(done.stderr or done.stdout).strip().splitlines()[-_LAST_LINES:]
            said = without_text_secrets(": " + "; ".join(lines) if lines else "")
            raise ResourceFailed(
                f"validate refused the new content with exit code {done.exit_code}{said}",
                property="validate",
                value=without_text_secrets(self._properties.validation),
            )

    def _keep(self) -> None:
        """Copy the old file with its mode and owner to a name that ends with the process id, the time and a tilde."""
        name, moment = self._properties.name, time.strftime("%Y-%m-%d@%H:%M:%S~")
        kept = f"{name}.{os.getpid()}.{moment}"
        try:
            with Target(name) as old:
                found = os.fstat(old.fd)
                mode = stat.S_IMODE(found.st_mode) & 0o777
                files.write_file(kept, old.chunks(), mode=mode, uid=found.st_uid, gid=found.st_gid)
        except HostError as error:
            raise ResourceFailed(f"backup could not be made: {error}", property="backup") from None
        self._state.backup_file = kept


def _content_and_attributes(path: str) -> tuple[object, ...]:
    """Return what a command that only checks a file leaves as it is; nothing for a missing file."""
    try:
        found = os.lstat(path)
        same = (found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_gid)
        return (*same, digest_of(path)) if stat.S_ISREG(found.st_mode) else same
    except (OSError, HostError):
        return ()


def words_of(command: str) -> list[str]:
    """Return the words of a command that checks a file. Raises InvalidResource when it has no place for the path."""
    try:
        words = split(command)
    except ShellWordsError as error:
        raise InvalidResource(f"validate cannot be split into words: {error}", property="validate") from None
    unquoted = _QUOTED.sub("x", command).replace(";", " ; ").split()
    operator = next((word for word in unquoted if word in _OPERATORS), "")
    if operator:
        raise InvalidResource(
            f"validate is run without a shell, and {operator} is for shells",
            property="validate",
            value=without_text_secrets(command),
            advice="write sh -c '…'",
        )
    if not any(PLACEHOLDER in word for word in words):
        raise InvalidResource(
            f"validate must contain {PLACEHOLDER}, the place of the path of the new file",
            property="validate",
            value=without_text_secrets(command),
        )
    return words
