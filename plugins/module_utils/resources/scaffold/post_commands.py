# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands that work on rendered files before they are compared with those in the target (behaviour.md 9.1)."""

from __future__ import annotations

import os

from ...host.command_errors import CommandError
from ...lang.globs import GlobError, matches
from ...lang.go.quoting import quote
from ...lang.shellwords import ShellWordsError, split
from ...model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine


def run_post(machine: Machine, post: list[dict[str, str]], path: str, place: str) -> None:
    """Run the commands whose pattern matches the base name of the file `path`, which is at `place`.

    They have the environment and the directory of this process. Raises ResourceFailed for the first that fails and for
    an invalid pattern or command.
    """
    name = path.rpartition("/")[2]
    for entry in post:
        for pattern, command in entry.items():
            try:
                if matches(pattern, name):
                    _run(machine, _words(command, place), path)
            except (GlobError, ShellWordsError) as error:
                what = pattern if isinstance(error, GlobError) else command
                raise ResourceFailed(f"post {quote(what)}: {error}", property="post", value=what) from None


def _words(command: str, place: str) -> list[str]:
    """Return the arguments of a command, with the file in place of each `{}`, or at the end without any."""
    words = split(command)
    if not words:
        raise ResourceFailed(f"post {quote(command)}: no command specified", property="post", value=command)
    arguments = [word.replace("{}", place) for word in words[1:]]
    return [words[0], *arguments] if arguments != words[1:] else [*words, place]


def _run(machine: Machine, words: list[str], path: str) -> None:
    environment = [f"{name}={value}" for name, value in os.environ.items() if name]
    try:
        result = machine.run(words, cwd=os.getcwd(), environment=environment)
    except CommandError as error:
        raise _failed(path, str(error), b"") from None
    if result.exit_code:
        raise _failed(path, f"exit status {result.exit_code}", result.stdout + result.stderr)


def _failed(path: str, reason: str, output: bytes) -> ResourceFailed:
    text = output.decode("utf-8", "replace")
    return ResourceFailed(f"failed to post process {path}\nerror: {reason}\noutput: {quote(text)}", property="post")
