# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes of twelve bits that a resource sets, keeps and shows."""

from __future__ import annotations

import itertools
import os
import stat

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.model.resource import Resource, complete
from ccm.resources.file.type import TYPE


def managed(path, *, log=None, noop=False, **values):
    """Run the resource once; return its event."""
    properties = TYPE.made(complete(TYPE, {"name": str(path), "owner": "0", "group": "0", **values}))
    TYPE.validate(properties)
    context = Context(user_log=log, noop=noop) if log else Context(noop=noop)
    return run_transaction(Resource(TYPE, properties), context)


def mode_of(path):
    return f"{stat.S_IMODE(os.lstat(path).st_mode):04o}"


@pytest.mark.needs("root")
@pytest.mark.parametrize("changes_owner", [False, True])
@pytest.mark.parametrize("ensure", ["present", "directory"])
def test_every_combination_of_special_bits_is_stable_in_the_second_run(tmp_path, ensure, changes_owner):
    path = tmp_path / "it"
    for former, wanted in itertools.product(range(8), range(8)):
        if ensure == "directory":
            path.mkdir()
        else:
            path.touch()
        os.chown(path, 4242 if changes_owner else 0, 0)
        path.chmod(former << 9 | 0o755)
        expected = f"{wanted or former}755" if ensure == "directory" else f"{wanted}755"
        first = managed(path, ensure=ensure, mode=f"{wanted}755")
        where = (former, wanted)
        assert (where, first.errors, first.changed) == (where, [], changes_owner or expected != f"{former}755")
        assert (where, mode_of(path), first.status.metadata["mode"]) == (where, expected, expected)
        assert os.lstat(path).st_uid == 0
        second = managed(path, ensure=ensure, mode=f"{wanted}755")
        assert (where, second.errors, second.changed, second.status.stable) == (where, [], False, True)
        path.rmdir() if ensure == "directory" else path.unlink()


@pytest.mark.needs("root")
def test_a_program_that_must_not_be_setuid_is_shown_and_repaired(tmp_path):
    path = tmp_path / "it"
    path.touch()
    path.chmod(0o4755)
    preview = managed(path, ensure="present", mode="0755", noop=True)
    assert (preview.noop_message, preview.status.metadata["mode"]) == ("Would have updated attributes", "4755")
    assert mode_of(path) == "4755"
    done = managed(path, ensure="present", mode="0755")
    assert (done.errors, done.status.metadata["mode"], mode_of(path)) == ([], "0755", "0755")


@pytest.mark.needs("root")
def test_a_new_directory_keeps_the_group_of_the_one_above(tmp_path):
    tmp_path.chmod(0o2755)
    for mode, expected in (("0755", "2755"), ("1755", "1755")):
        assert managed(tmp_path / mode, ensure="directory", mode=mode).errors == []
        assert mode_of(tmp_path / mode) == expected
