# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import os

import pytest
from ccm.data import sources
from ccm.data.sources import SourceNotFound, fetch_data, load_data
from ccm.model.errors import DataError, TemplateError
from ccm.testing import RecordedLog

from ..host.test_http import start, stop


@pytest.fixture
def server():
    running = start()
    yield running
    stop(running)


def refused(call, *arguments, **named):
    with pytest.raises(DataError) as caught:
        call(*arguments, **named)
    return str(caught.value)


def test_a_file_is_found_by_its_path_or_below_a_directory(tmp_path, monkeypatch):
    (tmp_path / "d.yaml").write_text("data: {a: 1}")
    monkeypatch.chdir(tmp_path)
    assert load_data("d.yaml", {}).data == {"a": 1}
    monkeypatch.chdir("/")
    assert load_data("d.yaml", {}, directory=str(tmp_path)).data == {"a": 1}
    assert load_data(str(tmp_path / "d.yaml"), {}, directory="/tmp").data == {"a": 1}
    fetched = fetch_data("d.yaml", str(tmp_path))
    assert (fetched.text, fetched.is_json, fetched.name) == ("data: {a: 1}", False, "d.yaml")


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceNotFound) as caught:
        fetch_data("none.yaml", str(tmp_path))
    assert str(caught.value) == f"file not found: {tmp_path}/none.yaml"
    assert refused(fetch_data, ".", str(tmp_path)) == f"read {tmp_path}: is a directory"


@pytest.fixture
def unprivileged_user():
    """An unprivileged user for the time of a test: root can read any file."""
    former = os.geteuid()
    if former == 0:
        os.seteuid(65534)
    yield
    os.seteuid(former)


def test_a_file_without_permission(tmp_path, request):
    (tmp_path / "d.yaml").write_text("data: {}")
    (tmp_path / "d.yaml").chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if "pytest-" in str(folder) and os.geteuid() == 0:
            folder.chmod(0o755)
    request.getfixturevalue("unprivileged_user")
    assert refused(fetch_data, "d.yaml", str(tmp_path)) == f"open {tmp_path}/d.yaml: permission denied"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "source is required"),
        ("ftp://h/x", "unsupported hiera data source: ftp://h/x"),
        ("ftp://ann:s3cret@h/x", "unsupported hiera data source: ftp://REDACTED@h/x"),
        ("file:///x", "unsupported hiera data source: file:///x"),
        ("a:b", "unsupported hiera data source: a:b"),
        ("kv://", "bucket name is required for kv hiera data source"),
        ("kv://bucket", "key is required for kv hiera data source"),
        ("kv://bucket/", "key is required for kv hiera data source"),
        ("kv://bucket/k", "cannot read kv bucket#k: no NATS context is set here"),
    ],
)
def test_invalid_sources(source, message):
    assert refused(fetch_data, source) == message


def test_a_path_with_a_colon_is_a_path(tmp_path):
    (tmp_path / "1:b").write_text("data: {a: 1}")
    assert load_data("1:b", {}, directory=str(tmp_path)).data == {"a": 1}


def test_json_is_recognised_by_its_text(tmp_path):
    (tmp_path / "d.yaml").write_text(' {"data": {"a": 1.0, "b": 1.5, "t": "{{ Facts.x }}"}}')
    data = load_data("d.yaml", {"x": 5}, directory=str(tmp_path)).data
    assert data == {"a": 1, "b": 1.5, "t": 5}
    assert isinstance(data["a"], int)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [("{", "failed to parse JSON: ", 1), ("data:\n  a: 1\n  a: 2\n", "failed to parse YAML: ", 3)],
)
def test_parse_errors_have_a_position(tmp_path, text, message, line):
    (tmp_path / "d").write_text(text)
    with pytest.raises(DataError) as caught:
        load_data("d", {}, directory=str(tmp_path))
    assert str(caught.value).startswith(message)
    assert (caught.value.position.file, caught.value.position.line) == ("d", line)


def test_data_is_validated_with_its_overrides(tmp_path):
    (tmp_path / "d.yaml").write_text("data:\n  # @require\n  user: ''\n")
    assert refused(load_data, "d.yaml", {}, directory=str(tmp_path)) == 'key "user" is required but has no value'
    found = load_data("d.yaml", {}, directory=str(tmp_path), overrides_data={"user": "ann"})
    assert found.data == {"user": "ann"}
    assert [rule.key for rule in found.rules] == ["user"]


def test_failing_expressions_and_unknown_annotations(tmp_path):
    (tmp_path / "d.yaml").write_text("data:\n  # @foo\n  a: '{{ Facts.x }}'\n")
    log = RecordedLog()
    load_data("d.yaml", {"x": 1}, directory=str(tmp_path), log=log)
    assert log.lines == [("WARN", "Unrecognized annotation in hiera data", {"key": "a", "annotation": "@foo"})]
    (tmp_path / "d.yaml").write_text("data:\n  a: '{{ nosuch }}'\n")
    with pytest.raises(TemplateError) as caught:
        load_data("d.yaml", {}, directory=str(tmp_path))
    assert str(caught.value.position) == "d.yaml:2:3"


@pytest.mark.needs("http")
def test_data_from_a_web_server(server):
    server.paths["/d.json"] = b'{"data": {"v": "web"}}'
    server.paths["/d.yaml"] = b"data:\n  v: web\n"
    server.paths["/empty"] = b""
    server.paths["/bad"] = b"{"
    secret = f"http://ann:s3cret@{server.address}"
    expected = f"http://REDACTED@{server.address}"
    assert load_data(secret + "/d.json", {}).data == {"v": "web"}
    assert load_data(secret + "/d.yaml", {}).data == {"v": "web"}
    assert refused(load_data, secret + "/empty", {}) == f"HTTP response from {expected}/empty is empty"
    assert refused(load_data, secret + "/bad", {}).startswith(f"failed to parse JSON from {expected}/bad: ")
    assert refused(load_data, secret + "/none", {}) == (
        f"HTTP request to {expected}/none failed with status 404: 404 File not found"
    )


@pytest.mark.needs("http")
def test_a_web_server_that_does_not_respond(server, monkeypatch):
    server.paths["/big"] = b"x" * 1000
    monkeypatch.setattr(sources, "LIMIT", 100)
    assert "larger than 100 bytes" in refused(fetch_data, server.url("/big"))
    server.shutdown()
    server.server_close()
    expected = f"http://REDACTED@{server.address}/x"
    text = refused(fetch_data, f"http://ann:s3cret@{server.address}/x")
    assert text == f"failed to fetch hiera data from {expected}: HTTP request failed: Connection refused"
