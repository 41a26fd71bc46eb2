# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The causes of changes of a service that subscribes to a file."""

from __future__ import annotations

import json
import os

import pytest

from tests.unit.systemctl import stand_in_for_systemctl

pytestmark = pytest.mark.starts_processes


def test_a_service_that_is_restarted_for_another_resource_was_refreshed(ccm, tmp_path, monkeypatch, me):
    monkeypatch.setenv("PATH", f"{stand_in_for_systemctl(tmp_path / 'bin')}:{os.environ['PATH']}")
    owner, group = me
    attributes = {"ensure": "present", "owner": owner, "group": group, "mode": "0644", "content": "{{ Facts.v }}"}
    file = {"file": [{f"{tmp_path}/settings": attributes}]}
    service = {"service": [{"app": {"ensure": "running", "enable": True, "subscribe": [f"file#{tmp_path}/settings"]}}]}
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [file, service]}}))
    words = ("apply", "m.yaml", "--log-format", "json", "--state", f"{tmp_path}/state")
    causes = []
    for number in (1, 2, 2, 3):
        ran = ccm(*words, "--fact", f"v={number}")
        lines = [json.loads(line) for line in ran.out.splitlines()]
        (line,) = [line for line in lines if line.get("message", line.get("msg", "")).startswith("service#app ")]
        causes.append(line["fields"].get("cause"))
    assert causes == ["manifest", "refresh", None, "refresh"]
