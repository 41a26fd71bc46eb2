# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os

import pytest
from ccm.host.facts.partition import (
    device_filesystems,
    parse_mountinfo,
    parse_mounts,
    partition_facts,
    unescaped,
    usage,
)

FILESYSTEMS = device_filesystems("nodev\tsysfs\nnodev\ttmpfs\n\text4\n\txfs\n\tbtrfs\n\tvfat\nnodev\tzfs\n")


def mounted(*lines):
    return [dict(partition) for partition, _number in parse_mountinfo("\n".join(lines), FILESYSTEMS)]


def test_physical_file_systems():
    assert sorted(FILESYSTEMS) == ["btrfs", "ext4", "vfat", "xfs", "zfs"]


def test_a_plain_mount():
    assert mounted("36 35 98:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=continue") == [
        {"device": "/dev/vda", "mountpoint": "/", "fstype": "ext4", "opts": ["rw", "relatime"]}
    ]


@pytest.mark.parametrize(
    "line",
    [
        "41 35 0:5 / /proc rw - proc proc rw",
        "42 35 0:6 / /tmp rw - tmpfs tmpfs rw",
        "37 35 98:0 /var/x /bind rw - ext4 /dev/sda1 rw",
        "40 35 0:44 /@home/sub /sub rw - btrfs /dev/sdb rw,subvol=/@home",
        "no separator at all",
        "36 35 98:0 / - ext4 /dev/vda rw",
        "36 35 98:0 / / rw - ext4",
        "",
    ],
)
def test_mounts_that_are_not_a_partition(line):
    assert mounted(line) == []


def test_subvolumes_are_partitions_of_one_device():
    found = mounted(
        "38 35 0:44 /@ / rw - btrfs /dev/sdb rw,subvol=/@",
        "39 35 0:44 /@home /home rw - btrfs /dev/sdc rw,subvolid=2,subvol=/@home",
    )
    assert [(entry["device"], entry["mountpoint"]) for entry in found] == [("/dev/sdb", "/"), ("/dev/sdb", "/home")]


def test_a_source_that_is_not_a_path():
    assert mounted("42 35 0:50 / /tank rw - zfs tank/data rw")[0]["device"] == "tank/data"


@pytest.mark.parametrize(
    ("options", "superblock", "want"),
    [
        ("rw,nosuid", "rw", ["rw", "nosuid"]),
        ("rw,nosuid", "ro", ["ro", "nosuid"]),
        ("nosuid,ro", "rw", ["nosuid", "ro"]),
        ("nosuid", "ro", ["ro", "nosuid"]),
        ("nosuid", "rw", ["nosuid"]),
    ],
)
def test_read_only_by_mount_or_by_file_system(options, superblock, want):
    assert mounted(f"1 2 8:1 / /a {options} - xfs /dev/sda {superblock}")[0]["opts"] == want


def test_old_kernels_have_only_mounts():
    text = "/dev/sda1 / ext4 rw,relatime 0 0\nnone /x ext4 rw 0 0\nproc /proc proc rw 0 0\nshort\n"
    assert [dict(partition) for partition, _number in parse_mounts(text, FILESYSTEMS)] == [
        {"device": "/dev/sda1", "mountpoint": "/", "fstype": "ext4", "opts": ["rw", "relatime"]}
    ]


@pytest.mark.parametrize(
    ("path", "want"),
    [("/a", "/a"), (r"/a\040b\134c", "/a b\\c"), (r"/tail\04", r"/tail\04"), (r"/x\999", r"/x\999"), ("/\\", "/\\")],
)
def test_escapes(path, want):
    assert unescaped(path) == want


def statvfs(**values):
    names = ("bsize", "frsize", "blocks", "bfree", "bavail", "files", "ffree", "favail", "flag", "namemax")
    return os.statvfs_result([values.get(name, 0) for name in names])


def test_usage_is_calculated_without_reserved_blocks():
    stat = statvfs(bsize=4096, frsize=4096, blocks=100, bfree=40, bavail=20, files=10, ffree=4)
    assert dict(usage("/data", "ext4", stat)) == {
        "path": "/data",
        "fstype": "ext2/ext3",
        "total": 409600,
        "free": 81920,
        "used": 245760,
        "usedPercent": 75.0,
        "inodesTotal": 10,
        "inodesUsed": 6,
        "inodesFree": 4,
        "inodesUsedPercent": 60.0,
    }


def test_an_empty_file_system_of_unknown_type():
    found = usage("/x", "newfs", statvfs())
    assert (found["fstype"], found["usedPercent"], found["inodesUsedPercent"]) == ("", 0.0, 0.0)


@pytest.fixture
def trees(monkeypatch, tmp_path):
    """Empty trees in place of the trees of this host; a function that writes a file into them."""
    for tree in ("proc", "sys", "dev"):
        (tmp_path / tree).mkdir()
        monkeypatch.setenv("HOST_" + tree.upper(), str(tmp_path / tree))

    def write(path, content):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)

    write.path = tmp_path
    return write


def test_missing_files(trees):
    assert partition_facts() == {"partitions": [], "usage": []}


def test_devices_behind_names_and_mounts_that_vanished(trees):
    trees("proc/filesystems", b"\text4\n")
    trees(
        "proc/self/mountinfo",
        b"1 0 8:1 / /gone/a rw - ext4 /dev/root rw\n"
        b"2 0 8:2 / /gone/\xff rw - ext4 /dev/mapper/vg-x rw\n"
        b"3 0 8:3 / /gone/c rw - ext4 /dev/mapper/vg-missing rw\n",
    )
    trees("dev/dm-0", b"")
    trees("dev/mapper/other", b"")
    (trees.path / "dev/mapper/vg-x").symlink_to("../dm-0")
    (trees.path / "sys/dev/block").mkdir(parents=True)
    (trees.path / "sys/dev/block/8:1").symlink_to("../../devices/pci/sda1")
    facts = partition_facts()
    assert [entry["device"] for entry in facts["partitions"]] == [
        "/dev/sda1",
        os.path.realpath(str(trees.path / "dev/dm-0")),
        "/dev/mapper/vg-missing",
    ]
    assert facts["partitions"][1]["mountpoint"] == "/gone/\ufffd"
    assert facts["usage"] is None


def test_the_mounts_of_the_first_process_come_first(trees):
    trees("proc/filesystems", b"\text4\n")
    trees("proc/1/mounts", b"/dev/one / ext4 rw 0 0\n")
    trees("proc/self/mountinfo", b"1 0 8:1 / / rw - ext4 /dev/self rw\n")
    facts = partition_facts()
    assert facts["partitions"][0]["device"] == "/dev/one"
    assert [entry["path"] for entry in facts["usage"]] == ["/"]
    assert facts["usage"][0]["total"] > 0
