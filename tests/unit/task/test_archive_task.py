# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that manage one archive."""

from __future__ import annotations

import os

import pytest
from ccm.resources.archive.type import ARCHIVE
from ccm.task.archive_task import archive_argument_spec, run_archive

from tests.unit.host.test_archives import tar
from tests.unit.host.test_http import server

from .module import ran

__all__ = ["server"]  # a fixture
pytestmark = pytest.mark.needs("http")

OWN = {"owner": str(os.geteuid()), "group": str(os.getegid())}


def task(check=False, **arguments):
    return ran(lambda module: run_archive(module, ARCHIVE), archive_argument_spec(ARCHIVE), arguments, check)


@pytest.fixture
def served(server, tmp_path):
    """The options of an archive that there is, and where its content goes."""
    tar(tmp_path / "served.tar", [("app/run", "x")])
    server.paths["/a.tar"] = (tmp_path / "served.tar").read_bytes()
    (tmp_path / "dl").mkdir()
    return {"name": str(tmp_path / "dl/a.tar"), "ensure": "present", "url": server.url("/a.tar"), **OWN}


def test_the_preview_is_what_happens(served, tmp_path, server):
    out = tmp_path / "out"
    options = {**served, "extract_parent": str(out), "creates": str(out / "app/run"), "cleanup": True}
    preview = task(check=True, **options)
    assert preview["msg"] == "Would have downloaded. Would have extracted. Would have cleaned up"
    assert preview["changed"] is True
    assert server.requests == []
    done = task(**options)
    assert (done["changed"], done["msg"]) == (True, "Downloaded. Extracted. Cleaned up")
    assert (out / "app/run").exists()
    assert task(**options)["msg"] == "Nothing to do"


def test_secrets_are_not_shown(served):
    options = {**served, "username": "ann", "password": "s3cret", "headers": {"X": "t0ken"}}
    done = task(**options)
    assert "s3cret" not in str(done)
    assert "t0ken" not in str(done)
    spec = archive_argument_spec(ARCHIVE)
    assert spec["password"]["no_log"]
    assert spec["headers"]["no_log"]


def test_a_wrong_checksum_is_told(served):
    done = task(**served, checksum="0" * 64)
    assert done["failed"]
    assert "download failed: checksum mismatch, expected" in done["msg"]
    assert not os.path.exists(served["name"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"url": None}, "url cannot be empty"),
        ({"download_timeout": "soon"}, "invalid duration"),
        ({"download_tries": 0}, "download_tries must be from 1 to 100"),
        ({"owner": None}, "owner cannot be empty"),
        ({"url": "ftp://h/a.tar"}, "no suitable provider found: url begins with ftp:"),
    ],
)
def test_what_is_wrong_is_told(served, arguments, expected):
    given = {key: value for key, value in {**served, **arguments}.items() if value is not None}
    done = task(**given)
    assert done["failed"]
    assert expected in done["msg"]
