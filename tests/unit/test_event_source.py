# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source of event-driven Ansible yields the lines of `ccm watch`."""

from __future__ import annotations

import asyncio
import importlib.util
import json

import pytest

from .layout import CCM, ROOT
from .watching import Watching

SOURCE = ROOT / "extensions/eda/plugins/event_source/watch.py"


@pytest.fixture
def source():
    spec = importlib.util.spec_from_file_location("event_source", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def command(tmp_path):
    """A program that runs our command."""
    path = tmp_path / "ccm"
    path.write_text(f'#!/bin/sh\nexec {" ".join(CCM)} "$@"\n')
    path.chmod(0o755)
    return str(path)


def events_of(source, **args):
    async def collected():
        queue = asyncio.Queue()
        try:
            await source.main(queue, args)
        finally:
            found = [queue.get_nowait() for _event in range(queue.qsize())]
        return found

    return asyncio.run(collected())


@pytest.mark.starts_processes
def test_events_are_yielded(source, command, tmp_path, me):
    Watching(tmp_path, me).write(Watching(tmp_path, me).file("one"))
    args = {"manifest": str(tmp_path / "m.yaml"), "command": command, "noop": True}
    (event,) = events_of(source, **args, arguments=["--exit-converged", "100ms", "--no-state"])
    assert (event["name"], event["changed"], event["noop"]) == (str(tmp_path / "one"), True, True)
    assert json.dumps(event)


def test_without_a_manifest_it_says_what_it_needs(source):
    with pytest.raises(ValueError, match=r"ccm\.core\.watch needs the path of a manifest in 'manifest'"):
        events_of(source)


@pytest.mark.starts_processes
def test_a_command_that_fails_is_an_error(source, command, tmp_path):
    with pytest.raises(RuntimeError, match="ccm watch ended with the exit status 1"):
        events_of(source, manifest=str(tmp_path / "missing.yaml"), command=command)
