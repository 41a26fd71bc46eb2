# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of manifests with slots, and what is seen of them."""

from __future__ import annotations

import json
import pathlib
import shutil

from ccm.engine.between_runs import StateBetweenRuns
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.log import Log

from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import run_manifest

from .slot_type import SlotProvider

DATA = {"word": "hello", "red": "red", "green": "green", "dash": "-x", "empty": "", "upper": "A", "token": "wrong"}
VOLATILE = ("event_id", "timestamp", "duration", "status")


class Differences(Recorder):
    """Keeps events, and the differences that are shown."""

    shows_differences = True

    def __init__(self):
        super().__init__()
        self.differences = {}

    def decided(self, found):
        """Keep the differences."""
        self.differences[found.resource.properties.name] = found.differences


def run(directory, resources, *, engine=None, found=None, log=None, keeps=False):
    """Run a manifest twice; return what is seen of each run and in the directory.

    With `keeps` there is state between runs, and a third run, in which the manifest declares none of the resources.

    `resources` are pairs of a name and properties, `found` is what is in the slots before, `log` that of the program.
    """
    directory = pathlib.Path(directory)
    state = directory.parent / "state"
    shutil.rmtree(state, ignore_errors=True)
    for path in directory.iterdir():
        path.unlink()
    for name, text in (found or {}).items():
        (directory / name).write_text(text, encoding="utf-8")
    declared = [{"slot": {"name": name, **given}} for name, given in resources]
    SlotProvider.batches.clear()
    seen = []
    other = [{"slot": {"name": str(directory / "none"), "ensure": "absent", "content": "x"}}]
    for each in (declared, declared, *([other] if keeps else [])):
        text = json.dumps({"data": DATA, "ccm": {"resources": each, "engine": engine or {}}}, indent=1)
        manifest = read_manifest(text.encode(), "m.yaml", str(directory), Inputs(facts={}, environ={}))
        sink, quiet = Differences(), Log()
        kept = StateBetweenRuns(str(state), "file:/m.yaml", quiet, writes=True) if keeps else None
        run_manifest(manifest, Session(), Machine(), log=log or quiet, user_log=quiet, sinks=[sink], state=kept)
        events = {event.name: (shown(event), sink.differences.get(event.name)) for event in sink.events}
        seen.append((events, {path.name: path.read_text(encoding="utf-8") for path in sorted(directory.iterdir())}))
    return seen


def shown(event):
    """Return what users see of an event, without times."""
    fields = event.as_dict()
    state = fields["status"]
    fields["found"] = state and {key: state[key] for key in ("ensure", "changed", "stable", "noop", "metadata")}
    fields["cause"] = event.status.cause if event.status else ""
    return {key: value for key, value in fields.items() if key not in VOLATILE}
