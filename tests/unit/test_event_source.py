# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source of event-driven Ansible yields the lines of `ccm watch`."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys

import jinja2
import pytest
import yaml

from tests.blocks import blocks
from tests.locales import OTHER_LOCALES, variables_of
from tests.patience import wait_until

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


@pytest.mark.starts_processes
def test_the_rulebook_of_the_guide_shows_drift(source, command, tmp_path, me, ran):
    """Its source has the name of the file, and its condition and its message are true of what the source yields."""
    [block] = [block for block in blocks(ROOT / "docs/watch.md") if block.words == ("yaml", "rulebook")]
    [book] = yaml.safe_load(block.text)
    [(name, args)] = book["sources"][0].items()
    assert name == f"ccm.core.{SOURCE.stem}"
    watching = Watching(tmp_path, me)
    watching.write(watching.file("one"))
    args |= {"manifest": str(tmp_path / "m.yaml"), "command": command}
    (event,) = events_of(source, **args, arguments=["--exit-converged", "100ms", "--no-state"])
    [rule] = book["rules"]
    assert jinja2.Environment().compile_expression(rule["condition"])(event=event) is True
    shown = jinja2.Template(rule["action"]["debug"]["msg"]).render(event=event)
    assert shown == f"file {tmp_path}/one drifted"
    ran(block)


# The event source in a process with a locale, as ansible-rulebook runs it: its path and its arguments as JSON follow.
RUN = """
import asyncio, importlib.util, json, sys
spec = importlib.util.spec_from_file_location("event_source", sys.argv[1])
source = importlib.util.module_from_spec(spec)
spec.loader.exec_module(source)
async def main():
    queue = asyncio.Queue()
    await source.main(queue, json.loads(sys.argv[2]))
    print(json.dumps(queue.get_nowait()))
asyncio.run(main())
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize("locale", OTHER_LOCALES)
def test_names_are_utf8_in_every_locale(command, tmp_path, me, locale):
    (tmp_path / "grün€").mkdir()
    watching = Watching(tmp_path / "grün€", me)
    watching.write(watching.file("one"))
    args = {"manifest": str(tmp_path / "grün€/m.yaml"), "command": command, "noop": True}
    args["arguments"] = ["--exit-converged", "100ms", "--no-state"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, SOURCE, json.dumps(args)],
        env={**os.environ, **variables_of(locale, tmp_path)},
        capture_output=True,
        check=False,
    )
    assert json.loads(done.stdout)["name"] == str(tmp_path / "grün€/one"), done.stderr


def test_without_a_manifest_it_says_what_it_needs(source):
    with pytest.raises(ValueError, match=r"ccm\.core\.watch needs the path of a manifest in 'manifest'"):
        events_of(source)


@pytest.mark.starts_processes
def test_a_command_that_fails_is_an_error(source, command, tmp_path):
    with pytest.raises(RuntimeError, match="ccm watch ended with the exit status 1"):
        events_of(source, manifest=str(tmp_path / "missing.yaml"), command=command)


def program(path, text):
    """A program in place of the command."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.starts_processes
def test_a_long_event_is_named_and_skipped(source, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(source, "_LONGEST_EVENT", 200_000)
    event = '{"type":"file","provider":"posix","name":"/a é\\\\"\\\\u001b[31m\u202e\x7f\x85","content":"%s"}'
    long = event.replace("%s", "%0300000d") + "\\n"
    command = program(tmp_path / "ccm", f"printf '{long}' 1; echo '{{\"type\":\"exec\"}}'; printf '{{\"half'")
    assert events_of(source, manifest="m.yaml", command=command) == [{"type": "exec"}]
    (record,) = caplog.records
    assert record.getMessage().startswith(r'An event of file#"/a é\"\u001b[31m\u202e\x7f\x85" is skipped: it has 3000')
    assert record.getMessage().endswith(" bytes, more than 200000")


@pytest.mark.starts_processes
def test_a_command_that_is_busy_does_not_hold_a_cancelled_source(source, tmp_path, monkeypatch, caplog):
    """The command goes on: what it does may not be ended half-way."""
    monkeypatch.setattr(source, "_GRACE", 0.1)
    busy = f"trap '' TERM; echo '{{}}'; while [ -e {tmp_path}/busy ]; do :; done; touch {tmp_path}/done"
    (tmp_path / "busy").touch()
    command = program(tmp_path / "ccm", busy)

    async def cancelled():
        queue = asyncio.Queue()
        task = asyncio.create_task(source.main(queue, {"manifest": "m.yaml", "command": command}))
        assert await queue.get() == {}
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert not (tmp_path / "done").exists()
    assert caplog.records[0].getMessage().endswith("ends as soon as what it is doing is done")
    (tmp_path / "busy").unlink()
    wait_until((tmp_path / "done").exists)
