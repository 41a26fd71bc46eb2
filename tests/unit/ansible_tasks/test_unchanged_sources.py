# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources that are not sent because the node has their content."""

from __future__ import annotations

import hashlib

import pytest
from ccm.ansible_tasks.apply_options import APPLY_OPTIONS, CHECKSUMS
from ccm.ansible_tasks.unchanged_sources import restore, run_checksums
from ccm.manifest.transport import to_text
from ccm.model.errors import ManifestError

from .module import ran

DIGEST = hashlib.sha256(b"one").hexdigest()


def test_the_checksums_of_files_are_returned(tmp_path):
    (tmp_path / "f").write_text("one")
    paths = [str(tmp_path / name) for name in ("f", "none")] + [str(tmp_path)]
    result = ran(run_checksums, APPLY_OPTIONS, {"manifest": {CHECKSUMS: to_text({"paths": paths})}})
    assert result["changed"] is False
    assert result["checksums"] == {paths[0]: DIGEST, paths[1]: "", paths[2]: ""}


def test_a_source_is_restored_from_the_file_of_the_node(tmp_path):
    (tmp_path / "f").write_text("one")
    (tmp_path / "tree").mkdir()
    restore(str(tmp_path / "tree"), [("files/large", str(tmp_path / "f"), DIGEST)])
    assert (tmp_path / "tree/files/large").read_text() == "one"


@pytest.mark.parametrize("content", [None, "other"])
def test_a_file_that_changed_meanwhile_is_an_error(tmp_path, content):
    if content:
        (tmp_path / "f").write_text(content)
    (tmp_path / "tree").mkdir()
    with pytest.raises(ManifestError, match="was changed by another process while the task ran"):
        restore(str(tmp_path / "tree"), [("large", str(tmp_path / "f"), DIGEST)])
