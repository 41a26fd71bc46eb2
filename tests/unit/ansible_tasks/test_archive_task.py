# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that manage one archive."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest
from ccm.ansible_tasks.archive_task import archive_argument_spec, run_archive
from ccm.host.archives import unpack as unpacking
from ccm.host.hidden_files import HiddenFile
from ccm.resources.archive.http import HttpArchiveProvider
from ccm.resources.archive.type import TYPE as ARCHIVE

from plugins.plugin_utils.secret_options import without_secrets
from tests.unit.host.archives.test_unpack import tar
from tests.unit.host.test_http import authorization, redirect, server
from tests.unit.layout import ROOT

from .module import ran

__all__ = ["server"]  # a fixture
pytestmark = pytest.mark.needs("http")

OWN = {"owner": str(os.geteuid()), "group": str(os.getegid())}


def task(check=False, **arguments):
    return ran(lambda module: run_archive(module, ARCHIVE), archive_argument_spec(ARCHIVE), arguments, check)


@pytest.fixture
def served(server, tmp_path):
    """The options of an existing archive, and the directory for its content."""
    tar(tmp_path / "served.tar", [("app/run", "x")])
    server.paths["/a.tar"] = (tmp_path / "served.tar").read_bytes()
    (tmp_path / "dl").mkdir()
    return {"name": str(tmp_path / "dl/a.tar"), "ensure": "present", "url": server.url("/a.tar"), **OWN}


def test_check_mode_predicts_the_run(served, tmp_path, server):
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


@pytest.mark.parametrize("way", ["exchanged", "rewritten while it is read", "longer", "shorter"])
def test_only_an_archive_with_the_checksum_is_unpacked(served, tmp_path, monkeypatch, way):
    """The owner of the archive or of its directory changes it after its checksum was verified."""
    archive, out, evil = tmp_path / "dl/a.tar", tmp_path / "out", tmp_path / "evil.tar"
    right = (tmp_path / "served.tar").read_bytes()
    archive.write_bytes(right)
    tar(evil, [("app/run", "evil")])
    assert len(evil.read_bytes()) == len(right)
    options = {**served, "extract_parent": str(out), "creates": str(out / "app/run")}
    options["checksum"] = hashlib.sha256(right).hexdigest().upper()

    def replace_and_act(*arguments):
        if way == "exchanged":
            evil.rename(archive)
        elif way in ("longer", "shorter"):
            archive.write_bytes(right + b"x" if way == "longer" else right[:-1])
        act(*arguments)

    def write_other_archive(reader, *arguments):
        copied(reader, *arguments)
        if way == "rewritten while it is read":
            archive.write_bytes(evil.read_bytes())

    act, copied = HttpArchiveProvider.act, unpacking._read_from_copy
    monkeypatch.setattr(HttpArchiveProvider, "act", replace_and_act)
    monkeypatch.setattr(unpacking, "_read_from_copy", write_other_archive)
    done = task(**options)
    if way == "rewritten while it is read":
        assert (out / "app/run").read_text() == "x"
    else:
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        expected = options["checksum"].lower()
        assert f'{archive} has changed since it was checked: checksum "{found}", expected "{expected}"' in str(done)
        assert list(out.iterdir()) == []
        archive.write_bytes(right)
        monkeypatch.undo()
        assert task(**options)["msg"] == "Extracted"


@pytest.mark.parametrize("checksum", [False, True])
def test_an_archive_that_was_unpacked_is_cleaned_up(served, tmp_path, server, checksum):
    options = {**served, "extract_parent": str(tmp_path / "out"), "creates": str(tmp_path / "out/app/run")}
    if checksum:
        options["checksum"] = hashlib.sha256(server.paths["/a.tar"]).hexdigest()
    task(**options)
    asked = len(server.requests)
    assert task(check=True, **options, cleanup=True)["msg"] == "Would have cleaned up"
    assert task(**options, cleanup=True)["msg"] == "Cleaned up"
    assert not os.path.exists(served["name"])
    assert task(**options, cleanup=True)["msg"] == "Nothing to do"
    assert len(server.requests) == asked


@pytest.mark.parametrize("cleanup", [False, True])
def test_a_download_that_changes_while_it_is_unpacked_fails(served, tmp_path, monkeypatch, cleanup):
    def write_while_it_is_read(*arguments, **options):
        entries(*arguments, **options)
        [hidden] = (tmp_path / "dl").glob(".a.tar.ccm-*")
        with open(hidden, "ab") as file:
            file.write(b"more")

    entries = unpacking._Unpacking._read
    monkeypatch.setattr(unpacking._Unpacking, "_read", write_while_it_is_read)
    out = tmp_path / "out"
    options = {**served, "extract_parent": str(out), "creates": str(out / "app/run"), "cleanup": cleanup}
    done = task(**options)
    assert done["failed"]
    assert "was changed by another process meanwhile; run again" in done["msg"]
    assert list(out.iterdir()) == []
    monkeypatch.undo()
    assert task(**options)["changed"]
    assert (out / "app/run").read_text() == "x"


@pytest.mark.parametrize("checksum", [False, True])
def test_only_the_archive_that_was_unpacked_takes_its_place(served, tmp_path, server, monkeypatch, checksum):
    """The owner of the directory puts another file in the place of the hidden one."""

    def replace_and_rename(file, *arguments):
        (tmp_path / "evil").write_bytes(b"evil")
        os.rename(tmp_path / "evil", tmp_path / "dl" / file.name)
        put_in_place(file, *arguments)

    put_in_place = HiddenFile.put_in_place
    monkeypatch.setattr(HiddenFile, "put_in_place", replace_and_rename)
    options = {**served, "extract_parent": str(tmp_path / "out")}
    if checksum:
        options["checksum"] = hashlib.sha256(server.paths["/a.tar"]).hexdigest()
    done = task(**options)
    assert done["failed"]
    assert f"{served['name']} was changed by another process meanwhile; run again" in done["msg"]


def test_secrets_are_hidden(served):
    options = {**served, "username": "ann", "password": "s3cret", "headers": {"X": "t0ken"}}
    done = task(**options)
    assert "s3cret" not in str(done)
    assert "t0ken" not in str(done)
    spec = archive_argument_spec(ARCHIVE)
    assert spec["password"]["no_log"]
    assert spec["headers"]["no_log"]


def test_a_wrong_checksum_is_reported(served):
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
def test_invalid_options_are_reported(served, arguments, expected):
    given = {key: value for key, value in {**served, **arguments}.items() if value is not None}
    done = task(**given)
    assert done["failed"]
    assert expected in done["msg"]


@pytest.mark.parametrize("has_old_file", [False, True])
@pytest.mark.parametrize("checksum", [False, True])
def test_a_failed_extraction_is_repeated(served, tmp_path, server, has_old_file, checksum):
    """A second run fails like the first one; after the obstacle is removed, a run unpacks the archive."""
    out = tmp_path / "out"
    out.write_text("in the way")
    options = {**served, "extract_parent": str(out)}
    if checksum:
        options["checksum"] = hashlib.sha256(server.paths["/a.tar"]).hexdigest()
    if has_old_file and checksum:
        (tmp_path / "dl/a.tar").write_text("an old one")
    for _run in range(2):
        assert task(**options)["failed"]
        assert task(check=True, **options)["msg"] == "Would have downloaded. Would have extracted"
    if has_old_file and checksum:
        assert (tmp_path / "dl/a.tar").read_text() == "an old one"
    out.unlink()
    assert task(**options)["msg"] == "Downloaded. Extracted"
    assert (out / "app/run").exists()
    assert os.stat(served["name"]).st_mode & 0o777 == 0o600
    assert task(**options)["msg"] == "Nothing to do"


REAL_RUN = """
import runpy, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = sys.argv[1].encode()
basic._ANSIBLE_PROFILE = "legacy"
runpy.run_module("ansible_collections.ccm.core.plugins.modules.archive", run_name="__main__")
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize("path", ["/a.tar", "/none.tar"])
def test_ansible_hides_the_credentials_of_the_url(served, server, tmp_path, path):
    collections = tmp_path / "ansible_collections/ccm"
    collections.mkdir(parents=True)
    (collections / "core").symlink_to(ROOT)
    options = {**served, "url": f"http://ann:s3%63ret@{server.address}{path}", "download_tries": 1}
    done = subprocess.run(
        [sys.executable, "-c", REAL_RUN, json.dumps({"ANSIBLE_MODULE_ARGS": without_secrets(ARCHIVE, options)})],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["invocation"]["module_args"]["url"].endswith(server.address + path)
    assert bool(result.get("failed")) == (path != "/a.tar")
    assert "3cret" not in done.stdout + done.stderr
    assert "s3%63" not in done.stdout + done.stderr
    assert "***" not in done.stdout.replace('"_hidden": "***', "")
    assert authorization(server.requests[0]) == "ann:s3cret"


@pytest.mark.parametrize("who", ["owner", "group"])
def test_an_unknown_owner_is_reported_before_the_run(served, who):
    options = {**served, who: "nosuch9"}
    messages = [task(check=check, **options)["msg"] for check in (True, False)]
    assert messages[0] == messages[1] + "; check mode does not know what earlier tasks would change"
    kind = "user" if who == "owner" else "group"
    assert f'download failed: could not lookup {kind} "nosuch9"' in messages[0]
    assert "nosuch9" not in task(**{**options, "ensure": "absent"})["msg"]


def test_only_a_file_can_be_an_archive(served, tmp_path):
    os.mkfifo(served["name"])
    for check in (True, False):
        assert "exists as a named pipe; cannot replace it by an archive" in task(check=check, **served)["msg"]
    os.unlink(served["name"])
    os.mkdir(served["name"])
    for check in (True, False):
        assert "exists as a directory; cannot replace it by an archive" in task(check=check, **served)["msg"]


def test_an_invalid_header_is_reported_at_once_without_its_value(served, server):
    done = task(**served, headers={"X-Token": "s3cret\nY: z"})
    text = (
        'download failed: failed to perform HTTP request: invalid header field value for "X-Token" (property headers)'
    )
    assert done["msg"].endswith(text)
    assert "s3cret" not in str(done)
    assert server.requests == []


def test_names_at_the_beginning_of_messages_keep_their_case(served, server):
    done = task(**{**served, "url": "http://127.0.0.1:1/a.tar"}, download_tries=1)
    assert "failed to perform HTTP request: connection refused" in done["msg"]
    server.paths["/a.tar"] = redirect("ftp://127.0.0.1/a.tar")
    assert "failed to perform HTTP request: URL scheme must be http or https" in task(**served)["msg"]


@pytest.mark.parametrize("option", ["extract_parent", "creates"])
def test_relative_paths_are_refused(served, server, option):
    done = task(**{**served, option: "rel"})
    assert done["failed"] is True
    assert done["msg"].startswith(f"archive#{served['name']}: {option} path must be absolute")
    assert server.requests == []
