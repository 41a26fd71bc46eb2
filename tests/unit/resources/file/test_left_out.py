# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and directories without owner, group or mode: they keep them, and new ones do not have the umask (Q120)."""

from __future__ import annotations

import os
import stat

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host.machine import Machine
from ccm.model.errors import InvalidResource
from ccm.model.resource import Resource, complete
from ccm.resources.file.type import TYPE

OTHER = 4242
RUNS = (os.geteuid(), os.getegid())


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=["umask 0", "umask 22", "umask 77"])
def umask(request):
    former = os.umask(request.param)
    yield
    os.umask(former)


def managed(path, *, noop=False, **values):
    """Run the resource once; return its event."""
    properties = TYPE.made(complete(TYPE, {"name": str(path), **values}))
    TYPE.validate(properties)
    return run_transaction(Resource(TYPE, properties), Context(noop=noop))


def found(path):
    seen = os.lstat(path)
    return seen.st_uid, seen.st_gid, f"{stat.S_IMODE(seen.st_mode):04o}"


def is_stable(path, **values):
    event = managed(path, **values)
    return (event.errors, event.changed, event.status.stable) == ((), False, True)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(
    ("values", "mode"),
    [
        ({}, "0644"),
        ({"content": "x"}, "0644"),
        ({"ensure": "directory"}, "0755"),
        ({"owner": str(RUNS[0])}, "0644"),
        ({"group": str(RUNS[1]), "ensure": "directory"}, "0755"),
        ({"mode": "0600", "content": "x"}, "0600"),
    ],
)
def test_what_is_new_does_not_depend_on_the_umask(tmp_path, values, mode):
    path = tmp_path / "new"
    assert managed(path, noop=True, **values).changed
    assert not path.exists()
    assert managed(path, **values).errors == ()
    assert found(path) == (*RUNS, mode)
    assert is_stable(path, **values)


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o1777, 0o4711])
@pytest.mark.parametrize("ensure", ["present", "directory"])
def test_what_is_there_stays(tmp_path, ensure, mode):
    path = tmp_path / "there"
    path.mkdir() if ensure == "directory" else path.write_text("old", encoding="utf-8")
    path.chmod(mode)
    before = found(path)
    assert is_stable(path, ensure=ensure)
    if ensure == "present":
        assert managed(path, content="new").errors == ()
        assert path.read_text(encoding="utf-8") == "new"
    assert found(path) == before


@pytest.mark.needs("root")
def test_owner_and_group_stay_when_content_is_replaced(tmp_path):
    path = tmp_path / "there"
    for given, expected in (
        ({}, (OTHER, OTHER, "0640")),
        ({"owner": "1"}, (1, OTHER, "0640")),
        ({"group": "1"}, (OTHER, 1, "0640")),
        ({"mode": "0600"}, (OTHER, OTHER, "0600")),
    ):
        for content in ({}, {"content": "new"}):
            path.write_text("old", encoding="utf-8")
            os.chown(path, OTHER, OTHER)
            path.chmod(0o640)
            assert managed(path, **given, **content).errors == ()
            assert found(path) == expected
            assert is_stable(path, **given, **content)


@pytest.mark.needs("root")
@pytest.mark.parametrize("given", [{"owner": "0"}, {"group": "0"}, {"owner": "0", "content": "new"}])
def test_a_program_of_a_user_that_is_given_to_root_loses_its_set_id_bits(tmp_path, given):
    path = tmp_path / "program"
    path.write_text("old", encoding="utf-8")
    os.chown(path, OTHER, OTHER)
    path.chmod(0o6755)
    assert managed(path, **given).errors == ()
    assert found(path)[2] == "0755"
    assert is_stable(path, **given)


@pytest.mark.needs("root")
def test_a_link_that_is_replaced_leaves_its_attributes_to_the_file(tmp_path):
    target, path = tmp_path / "target", tmp_path / "path"
    target.write_text("secret", encoding="utf-8")
    os.chown(target, OTHER, OTHER)
    target.chmod(0o600)
    path.symlink_to(target)
    assert managed(path, content="new").errors == ()
    assert found(path) == (OTHER, OTHER, "0600")
    path.unlink()
    path.symlink_to("nowhere")
    assert managed(path, content="new").errors == ()
    assert found(path) == (*RUNS, "0644")


@pytest.mark.needs("root")
def test_an_owner_that_cannot_be_kept_is_an_error(tmp_path, as_unprivileged_user):
    tmp_path.chmod(0o777)
    path = tmp_path / "of-root"
    path.write_text("old", encoding="utf-8")
    as_unprivileged_user()
    (error,) = managed(path, content="new").errors
    assert "operation not permitted" in error
    assert path.read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir(tmp_path)) == ["of-root"]


def test_a_diff_names_what_a_new_file_gets(ccm, tmp_path):
    path = tmp_path / "new"
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [{{file: {{name: {path}}}}}]}}", encoding="utf-8")
    shown = ccm("plan", "m.yaml").out
    owners = Machine().owners
    for line in (f"owner: {owners.user_name(RUNS[0])}", f"group: {owners.group_name(RUNS[1])}", "mode: 0644"):
        assert line in shown, shown
    path.touch()
    path.chmod(0o600)
    assert "mode" not in ccm("plan", "m.yaml").out


@pytest.mark.parametrize("name", ["owner", "group", "mode"])
def test_an_empty_text_is_refused(tmp_path, name):
    with pytest.raises(InvalidResource, match=f"{name} cannot be empty"):
        managed(tmp_path / "x", **{name: ""})
