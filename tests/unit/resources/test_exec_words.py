# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands and guards that cannot be run as they are written."""

from __future__ import annotations

import pytest
from ccm.model.errors import ResourceFailed
from ccm.model.log import Log
from ccm.resources.exec.posix import PosixExecProvider
from ccm.resources.exec.shell import ShellExecProvider


@pytest.mark.parametrize(
    ("provider", "command", "guard", "said"),
    [
        (PosixExecProvider, "'", "unless", "invalid guard command: "),
        (PosixExecProvider, " ", "unless", "empty guard command"),
        (PosixExecProvider, " ", "", "no command specified"),
        (ShellExecProvider, " ", "unless", "empty guard command"),
        (ShellExecProvider, " ", "", "no command to execute"),
    ],
)
def test_what_is_said(provider, command, guard, said):
    with pytest.raises(ResourceFailed) as caught:
        provider("/", Log()).words(command, guard)
    assert str(caught.value).startswith(said)
    assert caught.value.property == (guard or "command")
