# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""New content, checked by a command before it is put in place."""

from __future__ import annotations

from ..host.errors import HostError
from ..host.results import decode
from ..model.errors import ResourceFailed
from ..model.validation_command import PLACEHOLDER, words_of
from ..redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..host.machine import Machine

_LAST_LINES = 5
_LONGEST = 2000


def validate(machine: Machine, command: str, path: str) -> None:
    """Run a command on the new content at a path.

    Raises ResourceFailed when it refuses the content, or cannot run; InvalidResource as `words_of`.
    """
    argv = [word.replace(PLACEHOLDER, path) for word in words_of(command)]
    try:
        done = machine.run(argv)
    except HostError as error:
        raise ResourceFailed(f"validate could not run: {error}", property="validate") from None
    if done.exit_code:
        lines = decode((done.stderr or done.stdout)[-_LONGEST:]).strip().splitlines()[-_LAST_LINES:]
        said = without_text_secrets(": " + "; ".join(lines) if lines else "")
        raise ResourceFailed(
            f"validate refused the new content with exit code {done.exit_code}{said}",
            property="validate",
            value=without_text_secrets(command),
        )
