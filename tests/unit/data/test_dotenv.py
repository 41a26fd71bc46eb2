# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.data.dotenv import MAX_SIZE, parse_dotenv
from ccm.data.environment import read_environ
from ccm.model.errors import DataError
from ccm.testing import RecordedLog


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("A=1", {"A": "1"}),
        ("A=b c", {"A": "b c"}),
        ("A=b=c", {"A": "b=c"}),
        ('A="b c"', {"A": "b c"}),
        ("A='b c'", {"A": "b c"}),
        ('A="b"  ', {"A": "b"}),
        ('A=""', {"A": ""}),
        ('A="b', {"A": "b"}),
        ('A=b"', {"A": 'b"'}),
        ('A="', {"A": '"'}),
        ("A=\"b'", {"A": "b'"}),
        ("A=b # c", {"A": "b # c"}),
        ("export A=1", {"A": "1"}),
        ("  export  A=1", {"A": "1"}),
        ("A=1\r", {"A": "1"}),
        ("A=$B", {"A": "$B"}),
        ("# A=1", {}),
        ("  #A=1", {}),
        ("A=", {}),
        ("A", {}),
        ("=1", {}),
        ("", {}),
    ],
)
def test_one_line(line, found):
    assert parse_dotenv(line) == found


def test_the_last_of_equal_names_is_used():
    assert parse_dotenv("A=1\nB=2\nA=3\n") == {"A": "3", "B": "2"}


def test_the_file_overrides_the_process(tmp_path, monkeypatch):
    monkeypatch.setenv("CCM_A", "process")
    monkeypatch.setenv("CCM_B", "process")
    (tmp_path / ".env").write_text("CCM_A=file\n")
    log = RecordedLog()
    environ = read_environ(directory=str(tmp_path), log=log)
    assert (environ["CCM_A"], environ["CCM_B"]) == ("file", "process")
    assert log.lines == [
        ("INFO", "Reading environment variables from .env file", {"file": str(tmp_path / ".env")}),
    ]


def test_the_file_is_not_read_without_request(tmp_path, monkeypatch):
    monkeypatch.setenv("CCM_A", "process")
    (tmp_path / ".env").write_text("CCM_A=file\n")
    log = RecordedLog()
    assert read_environ(False, str(tmp_path), log)["CCM_A"] == "process"
    assert log.lines == []


def test_without_a_file_the_process_is_used_without_empty_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("CCM_A", "")
    monkeypatch.setenv("CCM_B", "x\ny")
    environ = read_environ(directory=str(tmp_path))
    assert "CCM_A" not in environ
    assert environ["CCM_B"] == "x\ny"


def test_bytes_that_are_not_utf8_are_kept(tmp_path):
    (tmp_path / ".env").write_bytes(b"CCM_A=\xff\n")
    assert read_environ(directory=str(tmp_path))["CCM_A"].encode("utf-8", "surrogateescape") == b"\xff"


def test_a_huge_file_is_refused(tmp_path):
    with open(tmp_path / ".env", "wb") as file:
        file.truncate(MAX_SIZE + 1)
    with pytest.raises(DataError, match=r"\.env: it is larger than"):
        read_environ(directory=str(tmp_path))


def test_a_file_with_a_read_error_is_named(tmp_path):
    (tmp_path / ".env").symlink_to("/proc/self/mem")
    with pytest.raises(DataError) as caught:
        read_environ(directory=str(tmp_path))
    assert caught.value.message == f"cannot read {tmp_path}/.env: Input/output error"
