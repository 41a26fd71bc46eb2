# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decision table of the file type, row by row (behaviour.md 7)."""

import pytest
from ccm.model.errors import InvalidResource, ResourceFailed
from ccm.model.resource import complete
from ccm.resources.file.type import TYPE as FILE
from ccm.resources.file.type import FileState, directory_mode, normal_mode

from .states import seen

SUM = "a" * 64
OTHER = "b" * 64


def wanted(**given):
    values = {"name": "/t", "ensure": "present", "owner": "root", "group": "root", "mode": "0644", **given}
    return FILE.made(complete(FILE, values))


def absent():
    return seen(FileState, "/t", "absent")


def there(
    ensure="present",
    checksum="",
    owner="root",
    group="root",
    mode="0644",
    wanted_checksum="",
    ids=(0, 0, 0, 0),
    symlink=False,
):
    metadata = {"name": "/t", "checksum": checksum, "owner": owner, "group": group, "mode": mode}
    names = ("uid", "gid", "wanted_uid", "wanted_gid")
    owners = dict(zip(names, ids, strict=True))
    return seen(FileState, "/t", ensure, metadata, wanted_checksum=wanted_checksum, symlink=symlink, **owners)


TABLE = [
    # state, wanted, verb, what noop says
    (there(), wanted(), (), ""),
    (there(checksum=SUM, wanted_checksum=SUM), wanted(content="x"), (), ""),
    (absent(), wanted(ensure="absent"), (), ""),
    (there("directory", mode="0755"), wanted(ensure="directory", mode="0644"), (), ""),
    (absent(), wanted(ensure="directory"), ("make_directory",), "Would have created directory"),
    (there(symlink=True), wanted(ensure="directory"), ("make_directory",), "Would have created directory"),
    (there("directory", mode="0700"), wanted(ensure="directory"), ("make_directory",), "Would have created directory"),
    (there(), wanted(ensure="absent"), ("remove",), "Would have removed the file"),
    (there(), wanted(ensure="absent", force=True), ("remove",), "Would have removed the file"),
    (there("directory"), wanted(ensure="absent"), ("remove",), "Would have removed the directory"),
    (
        there("directory"),
        wanted(ensure="absent", force=True),
        ("remove",),
        "Would have recursively removed the directory",
    ),
    (there(mode="0600"), wanted(), ("set_attributes",), "Would have updated attributes"),
    (there(owner="bin", ids=(2, 0, 0, 0)), wanted(), ("set_attributes",), "Would have updated attributes"),
    (there(group="bin", ids=(0, 2, 0, 0)), wanted(), ("set_attributes",), "Would have updated attributes"),
    (absent(), wanted(), ("store",), "Would have created an empty file with requested attributes"),
    (absent(), wanted(content=""), ("store",), "Would have created the file"),
    (absent(), wanted(source="/s"), ("store",), "Would have created the file"),
    (there(checksum=SUM, wanted_checksum=OTHER), wanted(content="x"), ("store",), "Would have created the file"),
    (
        there(checksum=SUM, wanted_checksum=SUM, mode="0600"),
        wanted(source="/s"),
        ("store",),
        "Would have created the file",
    ),
]


@pytest.mark.parametrize(("state", "properties", "verbs", "message"), TABLE)
def test_table(state, properties, verbs, message):
    decision = FILE.decide(state, properties, refresh=False)
    assert (decision.verbs, decision.noop_message, decision.refreshed) == (verbs, message, False)


@pytest.mark.parametrize("given", [{}, {"content": "x"}, {"source": "/s"}])
def test_directory_in_the_place_of_a_file_is_refused(given):
    with pytest.raises(ResourceFailed, match=r"^/t exists as a directory; cannot manage it as a file$"):
        FILE.decide(there("directory"), wanted(**given), refresh=False)


def test_a_file_in_the_place_of_a_directory_is_refused():
    with pytest.raises(ResourceFailed, match=r"^mkdir /t: not a directory$"):
        FILE.decide(there(), wanted(ensure="directory"), refresh=False)


def test_attributes_are_not_set_through_a_link():
    with pytest.raises(ResourceFailed, match=r"^/t is a symlink; refusing to set attributes through it$"):
        FILE.decide(there(mode="0600", symlink=True), wanted(), refresh=False)


SHORTFALLS = [
    (there(), wanted(ensure="absent"), "absent: file still exists (ensure=present)"),
    (absent(), wanted(), "present: ensure mismatch: state=absent requested=present"),
    (
        there(checksum=SUM, wanted_checksum=OTHER),
        wanted(content="x"),
        f"present: content checksum mismatch: state={SUM} requested={OTHER}",
    ),
    (there(owner="bin", ids=(2, 0, 0, 0)), wanted(), "present: owner mismatch: state=bin requested=root"),
    (there(group="bin", ids=(0, 2, 0, 0)), wanted(), "present: group mismatch: state=bin requested=root"),
    (there(mode="0600"), wanted(), "present: mode mismatch: state=0600 requested=0644"),
    (
        there("directory", mode="0644"),
        wanted(ensure="directory"),
        "directory: mode mismatch: state=0644 requested=0755",
    ),
    (there(), wanted(), ""),
]


@pytest.mark.parametrize(("state", "properties", "reason"), SHORTFALLS)
def test_reasons(state, properties, reason):
    assert FILE.shortfall(state, properties) == reason


def test_a_number_and_the_name_of_the_same_user_are_equal():
    assert not FILE.decide(there(owner="root"), wanted(owner="0"), refresh=False).verbs


def test_an_unknown_owner_is_a_difference():
    assert FILE.decide(there(ids=(0, 0, None, 0)), wanted(owner="nobody-knows"), refresh=False).verbs


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("644", "0644"),
        ("0644", "0644"),
        ("00644", "0644"),
        ("0o644", "0644"),
        ("0O7", None),
        ("000", "0000"),
        ("777", "0777"),
    ],
)
def test_modes_become_four_digits(written, normal):
    if normal is None:
        with pytest.raises(InvalidResource, match="fewer than three digits"):
            normal_mode(written)
    else:
        assert normal_mode(written) == normal


@pytest.mark.parametrize("mode", ["u+x", "64", "0999", "1777", "07777", "", "0o", "-644", "6 44", "٦٤٤"])
def test_other_modes_are_refused_by_value(mode):
    with pytest.raises(InvalidResource) as caught:
        normal_mode(mode)
    assert f'"{mode}"' in str(caught.value)
    assert caught.value.property == "mode"


@pytest.mark.parametrize(
    ("mode", "entered"), [("0600", "0700"), ("0644", "0755"), ("0640", "0750"), ("0000", "0000"), ("0200", "0300")]
)
def test_directories_can_be_entered_by_whoever_may_use_them(mode, entered):
    assert directory_mode(mode) == entered
