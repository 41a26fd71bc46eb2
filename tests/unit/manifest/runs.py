# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of a few resources, and their runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager

import pytest
from ccm.engine.context import Context
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest import run as runs_of_manifests
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError
from ccm.model.log import Log
from ccm.testing import RecordedLog

from tests.patience import PATIENCE, wait_until
from tests.unit.engine.recorder import Recorder
from tests.unit.layout import PACKAGE
from tests.unit.processes import is_asleep


def loaded(resources, directory="/", *, engine="", parallel=None, more=""):
    """Return the manifest of `resources`, lines of YAML; the first of them is line 3."""
    text = "ccm:\n  resources:\n" + textwrap.indent(textwrap.dedent(resources).strip("\n"), "    ") + "\n"
    text += f"  engine: {engine}\n" if engine else ""
    text += more
    return read_manifest(text.encode(), "m.yaml", str(directory), Inputs(facts={}, environ={}, parallel=parallel))


def run_manifest(manifest, session, machine, *, sinks=(), state=None, **modes):
    """Run a manifest in a context of its own."""
    context = Context(session, machine=machine, child_sinks=sinks, **modes)
    runs_of_manifests.run_manifest(manifest, context, state)


def ran(manifest, **modes):
    """Return the events of a run by name, in their order, and its log."""
    recorder, log = Recorder(), RecordedLog()
    run_manifest(manifest, Session(), Machine(), log=Log(), user_log=log, sinks=[recorder], **modes)
    events = {event.name: event for event in recorder.events}
    assert len(events) == len(recorder.events)
    return events, [message for _level, message, _fields in log.lines]


GRAPH = "{order: graph}"


def until(condition):
    """Return a part of a shell command that waits until a test is true."""
    return f"until test {condition}; do sleep 0.01; done"


def counting(tmp_path, needed):
    """A command that fails until it has run `needed` times."""
    return f"sh -c 'echo x >> {tmp_path}/tries; test $(wc -l < {tmp_path}/tries) -ge {needed}'"


@contextmanager
def applying(tmp_path, resources, *options, parallel, before=None, stderr=subprocess.STDOUT):
    """Yield a process of `ccm apply` that manages resources, in graph order with `parallel` above 0.

    `before` is called in it first.
    """
    listed, _newline, more = resources.strip().partition("\npost_message")
    engine = f"{{order: graph, parallel: {parallel}}}" if parallel else "{}"
    text = f"ccm:\n  engine: {engine}\n  resources:\n" + textwrap.indent(listed, "    ")
    (tmp_path / "m.yaml").write_text(f"{text}\n  post_message{more}\n" if more else f"{text}\n")
    if not (tmp_path / "ccm").exists():
        (tmp_path / "ccm").symlink_to(PACKAGE)
    program = "import sys; from ccm.cli.main import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", program, "apply", "m.yaml", *options],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        preexec_fn=before,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupted(tmp_path, resources, signals, *options, begun, before=None, said=True, parallel=2):
    """Interrupt `ccm apply` so often, the first time when it has `begun`; its exit status and output.

    `before` is called in its process first. What is `said` at one interruption is waited for before the next one.
    Commands that wait for the file `go` end then.
    """
    with applying(tmp_path, resources, *options, parallel=parallel, before=before) as process:
        output = process.stdout.readline()
        assert "Executing manifest" in output
        wait_until(begun)
        for count in range(signals):
            if said:
                wait_until(lambda: is_asleep(process.pid))
            process.send_signal(signal.SIGINT)
            while said and count < len(SAID) and SAID[count] not in output:
                output += process.stdout.readline() or pytest.fail(output)
        (tmp_path / "go").touch()
        # Not by communicate, which does not know of lines that were read before they were asked for.
        output += process.stdout.read()
        return process.wait(PATIENCE), output


#: What is printed at each Ctrl-C.
SAID = ("waiting for what runs", "ending commands", "killing commands")


def refused(resources, engine=""):
    """Return the error for a manifest that is refused before anything runs; it has a place."""
    with pytest.raises(CCMError) as found:
        loaded(resources, engine=engine)
    assert found.value.position
    return found.value
