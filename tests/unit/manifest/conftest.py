# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of manifests that apply others."""

from __future__ import annotations

import pytest
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.testing import RecordedLog

from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import run_manifest


class Run:
    """One run of a manifest in its own directory."""

    def __init__(self, directory):
        self.directory = directory
        self.session = Session()
        self.recorder = Recorder()
        self.log = RecordedLog()
        self.program_log = RecordedLog()
        self.events = {}

    def has(self, name, resources, **top):
        """Write a manifest: `resources` are lines of its list, `top` further YAML by key."""
        parts = [f"{key}: {value}\n" for key, value in top.items()]
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(parts) + "ccm:\n  resources:\n" + "".join(f"    {line}\n" for line in resources))

    def touches(self, name):
        return f"- exec: [{{'touch {self.directory}/{name}': {{}}}}]"

    def apply(self, name="m.yaml", sinks=(), **modes):
        inputs = Inputs(facts={}, environ={})
        manifest = read_manifest((self.directory / name).read_bytes(), name, str(self.directory), inputs)
        logs = {"log": self.program_log, "user_log": self.log}
        run_manifest(manifest, self.session, Machine(), **logs, sinks=(self.recorder, *sinks), **modes)
        self.events = {f"{event.type}#{event.name}": event for event in self.session.events()}
        return self.events

    def existing_files(self):
        return sorted(path.name for path in self.directory.iterdir() if path.suffix != ".yaml" and path.is_file())


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)
