# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The task that resolves hierarchical data."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks.hiera_info import DOCUMENT, DOCUMENT_OPTION, HIERA_OPTIONS, run_hiera_info
from ccm.manifest.reader import parse_manifest
from ccm.manifest.transport import pack, to_text

from .module import ran

TEXT = b"""\
hierarchy:
  order: ["role:{{ lookup('facts.role') }}"]
data:
  # @require
  port: 80
overrides:
  role:web: {port: 8080}
"""


def resolved(text, **facts):
    packed = to_text(pack(parse_manifest(text, "data.yaml")))
    options = {"path": "data.yaml", DOCUMENT: packed, "facts": facts}
    return ran(run_hiera_info, {**HIERA_OPTIONS, **DOCUMENT_OPTION}, options)


@pytest.mark.parametrize(("role", "port"), [("web", 8080), ("db", 80)])
def test_facts_choose_the_overrides(role, port):
    assert resolved(TEXT, role=role)["data"] == {"port": port}


def test_data_is_validated_by_its_annotations():
    result = resolved(TEXT.replace(b"port: 80\n", b'port: ""\n'), role="db")
    assert result["failed"] is True
    assert "port" in result["msg"]


def test_a_file_on_the_node(tmp_path):
    (tmp_path / "data.yaml").write_bytes(TEXT)
    spec = {**HIERA_OPTIONS, **DOCUMENT_OPTION}
    options = {"path": str(tmp_path / "data.yaml"), "remote_src": True, "facts": {"role": "web"}}
    assert ran(run_hiera_info, spec, options)["data"] == {"port": 8080}
    missing = ran(run_hiera_info, spec, {**options, "path": str(tmp_path / "none.yaml")})
    assert missing["failed"] is True
    assert "none.yaml" in missing["msg"]
