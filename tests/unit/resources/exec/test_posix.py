# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands and guards that cannot run as they are written."""

from __future__ import annotations

import types

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.model.errors import ResourceFailed
from ccm.model.provider import ProviderContext
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.exec import shell
from ccm.resources.exec.posix import PosixExecProvider
from ccm.resources.exec.shell import ShellExecProvider
from ccm.resources.exec.type import TYPE as EXEC


@pytest.mark.parametrize(
    ("provider", "command", "guard", "message"),
    [
        (PosixExecProvider, "'", "unless", "invalid guard command: "),
        (PosixExecProvider, " ", "unless", "empty guard command"),
        (PosixExecProvider, " ", "", "no command specified"),
        (ShellExecProvider, " ", "unless", "empty guard command"),
        (ShellExecProvider, " ", "", "no command to execute"),
    ],
)
def test_messages(provider, command, guard, message):
    with pytest.raises(ResourceFailed) as caught:
        provider(ProviderContext()).words(command, guard)
    assert str(caught.value).startswith(message)
    assert caught.value.property == (guard or "command")


def test_without_a_shell_the_shell_provider_is_not_used(monkeypatch):
    monkeypatch.setattr(shell, "os", types.SimpleNamespace(path=types.SimpleNamespace(exists=lambda path: False)))
    resource = Resource(EXEC, Properties(complete(EXEC, {"name": "true", "provider": "shell"})))
    event = run_transaction(resource, Context())
    assert event.errors == ["provider is not manageable: /bin/sh does not exist"]
