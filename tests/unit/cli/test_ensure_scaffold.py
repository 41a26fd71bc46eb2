# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm ensure scaffold`: from flags to properties to files."""

from __future__ import annotations

import json
import os

import pytest
from ccm.host import archive_cache

from tests.unit.archive_server import running, tarball


@pytest.fixture
def source(tmp_path):
    """A directory of templates for one test."""
    place = tmp_path / "src"
    place.mkdir()
    return place


@pytest.mark.starts_processes
def test_every_flag_becomes_a_property(ccm, tmp_path, source):
    (source / "a").write_text("<< data.word >>")
    (source / "empty").write_text(" ")
    (tmp_path / "s").mkdir()
    ran = ccm(
        "ensure",
        "--session",
        tmp_path / "s",
        "scaffold",
        tmp_path / "out",
        "src",
        "present",
        "--engine",
        "jet",
        "--left-delimiter",
        "<<",
        "--right-delimiter",
        ">>",
        "--data",
        "word=${ upper('x') }",
        "--skip-empty",
        "--purge",
        "--post",
        "a=chmod 0600 {}",
        "--alias",
        "tree",
    )
    assert (ran.status, ran.err) == (0, "")
    (found,) = (tmp_path / "s").glob("*.event")
    event = json.loads(found.read_text())
    assert event["properties"] == {
        "name": str(tmp_path / "out"),
        "alias": "tree",
        "ensure": "present",
        "source": "src",
        "skip_empty": True,
        "left_delimiter": "<<",
        "right_delimiter": ">>",
        "engine": "jet",
        "data": {"word": "X"},
        "purge": True,
        "post": [{"a": "chmod 0600 {}"}],
    }
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a"]
    assert (tmp_path / "out" / "a").read_text() == "X"
    assert (tmp_path / "out" / "a").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("flag", "files"), [("--skip-empty", []), ("--no-skip-empty", ["empty"])])
def test_empty_files_are_kept_by_default(ccm, tmp_path, source, flag, files):
    (source / "empty").write_text("")
    (source / "full").write_text("x")
    assert ccm("ensure", "scaffold", tmp_path / "out", "src", flag).status == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [*files, "full"]


def test_data_comes_from_the_hierarchy_in_the_directory(ccm, tmp_path, source):
    (tmp_path / ".hiera").write_text("data: {word: hi}")
    (source / "a").write_text("{{ .data.word }}")
    assert ccm("ensure", "scaffold", tmp_path / "out", "src", "--engine", "go").status == 0
    assert (tmp_path / "out" / "a").read_text() == "hi"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/out", "none"], "path 'none' does not exist"),
        (["/out", "file"], "'file' is a file"),
        (
            ["/out", "ftp://u:pw@h/x"],
            "source must be a directory of templates, or begin with http:// or https://: ftp://REDACTED@h/x",
        ),
        (
            ["/out", "https://u:pw@h/x"],
            "scaffold#/out: invalid resource: source filename must end in .zip, .tar.gz, .tgz, or .tar",
        ),
        (
            ["/out", "src", "--checksum", "0" * 64],
            "scaffold#/out: invalid resource: checksum is only for a source that is fetched",
        ),
        (
            ["/out", "https://u:pw@h/x.tgz", "--download-limit", "1 MB"],
            'download_limit "1 MB" is not a size',
        ),
        (["/out"], "scaffold#/out: invalid resource: source cannot be empty"),
        (["out", "src"], "scaffold#out: invalid resource: name must be an absolute path"),
        (["/out", "src", "gone"], 'invalid ensure value: must be one of "present" or "absent"'),
        (["/out", "src", "--engine", "x"], "enum value must be one of go,jet,jinja2, got 'x'"),
        (["/out", "src", "--post", "x"], "x"),
        ([], "required argument 'name' not provided"),
    ],
)
def test_errors_end_the_command_before_rendering(ccm, tmp_path, source, words, message):
    (tmp_path / "file").write_text("")
    ran = ccm("ensure", "scaffold", *words)
    assert ran.status == 1
    assert message in ran.err


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server of an archive of templates, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(archive_cache, "OF_SYSTEM", str(tmp_path / "cache" / "ccm"))
    with running() as made:
        made.credentials = "ann:canary"
        made.data = tarball({"a": "new\n", "b": "b\n"})
        yield made


@pytest.mark.needs("http")
def test_a_source_on_a_server_is_previewed_applied_and_undone(ccm, tmp_path, server):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a").write_text("old\n")
    properties = {
        "ensure": "present",
        "engine": "jet",
        "source": server.url(user="ann:canary@") + "?token=canary2",
        "headers": {"X-Word": "canary3"},
        "meta": {"reverse": True},
    }
    manifest = tmp_path / "m.yaml"
    manifest.write_text(json.dumps({"ccm": {"resources": [{"scaffold": [{str(target): properties}]}]}}))
    (tmp_path / "s").mkdir()
    session = ("--session", tmp_path / "s")
    planned = ccm("plan", manifest)
    assert f"~ scaffold#{target}: Would have changed 2 scaffold files" in planned.out
    shown = ccm("apply", manifest, "--noop", "--diff", "--debug")
    assert f"~ {target}/a\n+ {target}/b\n" in shown.out
    assert ((target / "a").read_text(), server.taken()) == ("old\n", [200, 304])
    applied = ccm("apply", manifest, "--debug", *session)
    again = ccm("apply", manifest, *session)
    assert [sorted(os.listdir(target)), (target / "a").read_text()] == [["a", "b"], "new\n"]
    assert f"scaffold#{target} stable" in again.out
    undone = ccm("undo", manifest)
    assert [sorted(os.listdir(target)), (target / "a").read_text()] == [["a"], "old\n"]
    everything = [ran.out + ran.err for ran in (planned, shown, applied, again, undone)]
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path != manifest]
    everything += [path.read_bytes().decode("utf-8", "replace") for path in kept]
    assert any('"X-Word"' in text for text in everything)
    assert not [text for text in everything if "canary" in text]


@pytest.mark.needs("http")
def test_the_flags_of_a_request(ccm, tmp_path, server, monkeypatch):
    monkeypatch.setenv("HTTP_PASSWORD", "canary")
    words = ("ensure", "scaffold", tmp_path / "out", server.url(), "--username", "ann", "-H", "X-Word:canary")
    ran = ccm(*words, "--download-limit", "9B", "--download-tries", "1")
    assert "the file is larger than 9 bytes, the limit of downloads" in ran.out + ran.err
    made = ccm(*words)
    assert (made.status, (tmp_path / "out/a").read_text()) == (0, "new\n")
    assert server.requests[-1]["X-Word"] == "canary"
    assert "canary" not in ran.out + ran.err + made.out + made.err
