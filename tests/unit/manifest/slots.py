# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of manifests with slots, and what is seen of them."""

from __future__ import annotations

import json
import pathlib

from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.manifest.run import run_manifest
from ccm.model.log import Log

from tests.unit.engine.recorder import Recorder

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


def run(directory, resources, *, engine=None, found=None, log=None):
    """Run a manifest twice; return what is seen of both runs, and what is in the directory.

    `resources` are pairs of a name and properties, `found` what is in the slots before, `log` that of the program.
    """
    for path in pathlib.Path(directory).iterdir():
        path.unlink()
    for name, text in (found or {}).items():
        (pathlib.Path(directory) / name).write_text(text, encoding="utf-8")
    ccm = {"resources": [{"slot": {"name": name, **given}} for name, given in resources]}
    if engine:
        ccm["engine"] = engine
    text = json.dumps({"data": DATA, "ccm": ccm}, indent=1)
    SlotProvider.batches.clear()
    seen = []
    for _run in range(2):
        manifest = read_manifest(text.encode(), "m.yaml", str(directory), Inputs(facts={}, environ={}))
        sink = Differences()
        run_manifest(manifest, Session(), Machine(), log=log or Log(), user_log=Log(), sinks=[sink])
        seen.append({event.name: (shown(event), sink.differences.get(event.name)) for event in sink.events})
    return seen, {path.name: path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(directory).iterdir())}


def shown(event):
    """Return what users see of an event, without times."""
    fields = event.as_dict()
    state = fields["status"]
    fields["found"] = state and {key: state[key] for key in ("ensure", "changed", "stable", "noop", "metadata")}
    return {key: value for key, value in fields.items() if key not in VOLATILE}
