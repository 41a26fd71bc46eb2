# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refresh of the package index, and its log messages."""

from __future__ import annotations

import pytest
from ccm.host.machine import Machine
from ccm.host.results import Result
from ccm.resources.package import index
from ccm.testing import RecordedLog

HOUR = 3600 * 10**9


@pytest.fixture
def lists(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "APT_LISTS", str(tmp_path))
    return tmp_path


def refreshed(refresh, noop=False, answer=None, machine=None):
    """The commands that ran, and the messages of the log."""
    log, ran = RecordedLog(), []

    def run(argv):
        ran.append(argv)
        return answer or Result(0, b"", b"")

    refresh(HOUR, machine or Machine(), log, run, noop=noop)
    return ran, [f"{level} {message}" for level, message, _fields in log.lines]


def test_a_missing_index_is_refreshed_and_a_new_index_is_not(lists):
    assert refreshed(index.refresh_apt) == ([["apt-get", "update", "-q"]], [])
    (lists / "h_Packages").touch()
    assert refreshed(index.refresh_apt) == ([], [])


@pytest.mark.parametrize("refresh", [index.refresh_apt, index.refresh_dnf])
def test_an_index_is_refreshed_once_in_a_run(lists, refresh):
    machine = Machine()
    assert [len(refreshed(refresh, noop, machine=machine)[0]) for noop in (True, False, False)] == [0, 1, 0]


def test_noop_only_reports_the_refresh(lists):
    assert refreshed(index.refresh_apt, noop=True) == (
        [],
        ["INFO Would have refreshed the package index where it is too old"],
    )


def test_a_failed_refresh_is_a_warning(lists):
    _ran, lines = refreshed(index.refresh_apt, answer=Result(100, b"", b"E: no network\n"))
    assert lines == ["WARN The package index could not be refreshed: E: no network"]


def test_dnf_checks_the_age_of_its_index_itself():
    (argv,), _lines = refreshed(index.refresh_dnf)
    assert argv[:3] == ["dnf", "-q", "makecache"]
    assert "--setopt=metadata_expire=3600" in argv
