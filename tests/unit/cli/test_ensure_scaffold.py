# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm ensure scaffold`: from flags to properties to files."""

from __future__ import annotations

import json

import pytest


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
