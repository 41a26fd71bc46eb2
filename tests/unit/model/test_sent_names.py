# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Relative names in a directory that a task sent to the node (Q101)."""

from __future__ import annotations

import pytest
from ccm.data.environment import Environment
from ccm.model.errors import ResourceFailed
from ccm.model.sent_names import require_below, require_in_sent, require_sent

OUTSIDE = r"^{} is outside of the directory that was sent$"


@pytest.mark.parametrize(
    ("name", "directory"),
    [
        ("a", "/sent"),
        ("below/../a", "/sent"),
        ("../a", "/sent/below"),
        ("/etc/passwd", "/sent"),
        ("../../etc/passwd", "/elsewhere"),
        (".", "/sent/"),
    ],
)
def test_names_that_do_not_lead_out(name, directory):
    require_below(name, directory, "/sent/")


@pytest.mark.parametrize(
    ("name", "directory"), [("../a", "/sent"), ("../sent2/a", "/sent"), ("x/../../a", "/sent"), ("../../a", "/sent/x")]
)
def test_names_that_lead_out(name, directory):
    with pytest.raises(ResourceFailed, match=OUTSIDE.format(name)) as refused:
        require_below(name, directory, "/sent")
    assert refused.value.value == name
    assert refused.value.advice == "give path the directory that holds all files"


def test_only_what_was_sent_is_limited():
    require_sent("../a", "/sent", None)
    environment = Environment()
    require_sent("../a", "/sent", environment)
    environment.tree = "/sent"
    require_sent("a", "/sent", environment)
    with pytest.raises(ResourceFailed, match=OUTSIDE.format("../a")):
        require_sent("../a", "/sent", environment)


def test_a_file_that_was_not_sent_is_named(tmp_path):
    (tmp_path / "there").write_text("")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("there", "link", "/no/such/file"):
        require_in_sent(name, str(tmp_path), f"{tmp_path}/")
    require_in_sent("none", "/elsewhere", str(tmp_path))
    with pytest.raises(ResourceFailed, match=r"^none was not sent with the manifest$"):
        require_in_sent("none", str(tmp_path), str(tmp_path))
    environment = Environment()
    require_sent("none", str(tmp_path), environment, is_needed=True)
    environment.tree = str(tmp_path)
    require_sent("none", str(tmp_path), environment)
    with pytest.raises(ResourceFailed, match=r"^none was not sent with the manifest$"):
        require_sent("none", str(tmp_path), environment, is_needed=True)
