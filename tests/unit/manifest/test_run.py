# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run does not change its manifest, so that the manifest can run again."""

from __future__ import annotations

import copy
import os

import pytest
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.manifest.run import run_manifest
from ccm.model.log import Log

from tests.unit.engine.recorder import Recorder

pytestmark = pytest.mark.starts_processes

MANIFEST = """
ccm:
  resources:
    - file:
        - {target}: {{ensure: present, content: "{{{{ readFile('{source}') }}}}", mode: "0644", {owner}}}
    - exec:
        - echo:
            command: "echo {{{{ lookup('data.word') }}}}"
            cwd: "{{{{ '/' }}}}"
data: {{word: hello}}
"""


def test_a_second_run_uses_the_changed_state(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    owner = f"owner: '{os.geteuid()}', group: '{os.getegid()}'"
    text = MANIFEST.format(source=source, target=target, owner=owner).encode()
    manifest = read_manifest(text, "m.yaml", str(tmp_path), Inputs(facts={}, environ={}))
    declared = [copy.deepcopy(vars(resource.properties)) for resource in manifest.resources]
    for word in ("one", "two"):
        source.write_text(word, encoding="utf-8")
        recorder = Recorder()
        run_manifest(manifest, Session(), Machine(), log=Log(), user_log=Log(), sinks=[recorder])
        events = recorder.events
        assert [event.errors for event in events] == [[], []]
        assert events[0].changed
        assert target.read_text(encoding="utf-8") == word
        assert events[0].as_dict()["properties"]["content"] == word
    assert [vars(resource.properties) for resource in manifest.resources] == declared
