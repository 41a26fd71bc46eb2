# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Partition facts: mounted file systems on real devices and how full they are (behaviour.md 12.1)."""

from __future__ import annotations

import os

from .fields import Partition, Usage
from .read import located, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fields import Family

# The names that stat(1) gives to the file systems' magic numbers, by the kernel's name: the magic number itself cannot
# be read without a C library call. The kernel's names that are missing here have no name there either.
_MAGIC_NAMES = {
    "adfs": "adfs", "affs": "affs", "bcachefs": "bcachefs", "befs": "befs", "bfs": "bfs", "btrfs": "btrfs",
    "cramfs": "cramfs", "efs": "efs", "ext": "ext", "ext2": "ext2/ext3", "ext3": "ext2/ext3", "ext4": "ext2/ext3",
    "f2fs": "f2fs", "fuseblk": "fuseblk", "gfs": "gfs/gfs2", "gfs2": "gfs/gfs2", "hfs": "hfs", "hfsplus": "hfsplus",
    "hpfs": "hpfs", "iso9660": "isofs", "jffs2": "jffs2", "jfs": "jfs", "minix": "minix", "msdos": "msdos",
    "nilfs2": "nilfs", "ntfs": "ntfs", "ocfs2": "ocfs2", "qnx4": "qnx4", "qnx6": "qnx6", "reiserfs": "reiserfs",
    "romfs": "romfs", "squashfs": "squashfs", "udf": "udf", "ufs": "ufs", "vfat": "msdos", "vxfs": "vxfs",
    "xfs": "xfs", "zfs": "zfs",
}  # fmt: skip


def device_filesystems(text: str) -> frozenset[str]:
    """Return the names in `/proc/filesystems` that need devices.

    Zfs counts although it is registered without one.
    """
    names = set()
    for line in text.split("\n"):
        if not line.startswith("nodev") or line == "nodev\tzfs":
            names.add(line.split("\t")[-1].strip())
    return frozenset(names - {""})


def parse_mountinfo(text: str, filesystems: frozenset[str]) -> list[tuple[Partition, str]]:
    """Return the partitions in a `mountinfo`, each with its device number `major:minor`.

    Kept are mounts of `filesystems` which are not bind mounts of a folder (a btrfs subvolume is no such folder). A
    device that is mounted again has the name of its first mount. Lines of another form are left out.
    """
    found = []
    devices: dict[str, str] = {}
    for line in text.split("\n"):
        mount, separator, rest = line.partition(" - ")
        head, tail = mount.split(), rest.split()
        if not separator or len(head) < 5 or len(tail) < 2 or tail[0] not in filesystems:
            continue
        number, root, mountpoint = head[2:5]
        options = head[5].split(",") if len(head) > 5 else []
        super_options = tail[2].split(",") if len(tail) > 2 else []
        source = tail[1]
        device = source if source.startswith("/") or root == "/" else root
        device = devices.setdefault(number, device)
        if source.startswith("/") and root != "/" and _subvolume(super_options) != root:
            continue
        opts = _effective_options(options, super_options)
        found.append((Partition(device=device, mountpoint=unescaped(mountpoint), fstype=tail[0], opts=opts), number))
    return found


def parse_mounts(text: str, filesystems: frozenset[str]) -> list[tuple[Partition, str]]:
    """Return the partitions in a `mounts` (kernels without `mountinfo`), as `parse_mountinfo`.

    Device numbers are "".
    """
    found = []
    for line in text.split("\n"):
        words = line.split()
        if len(words) < 4 or words[0] == "none" or words[2] not in filesystems:
            continue
        device, mountpoint, fstype, options = words[:4]
        found.append(
            (Partition(device=device, mountpoint=unescaped(mountpoint), fstype=fstype, opts=options.split(",")), "")
        )
    return found


def _subvolume(super_options: list[str]) -> str | None:
    for option in super_options:
        if option.startswith("subvol="):
            return option[len("subvol=") :]
    return None


def _effective_options(options: list[str], super_options: list[str]) -> list[str]:
    """Return the mount's options with `ro` where the mount or its file system is read-only."""
    if "ro" in options or "ro" in super_options:
        mode = "ro"
    elif "rw" in options and "rw" in super_options:
        mode = "rw"
    else:
        return options
    others = [option for option in options if option not in ("ro", "rw")]
    modes = [position for position, option in enumerate(options) if option in ("ro", "rw")]
    others.insert(modes[0] if modes else 0, mode)
    return others


def unescaped(path: str) -> str:
    """Return a path of mountinfo with the kernel's octal escapes (`\\040` for a blank) undone."""
    head, *pieces = path.split("\\")
    text = head
    for piece in pieces:
        digits = piece[:3]
        if len(digits) == 3 and all(digit in "01234567" for digit in digits):
            text += chr(int(digits, 8)) + piece[3:]
        else:
            text += "\\" + piece
    return text


def usage(path: str, fstype: str, stat: os.statvfs_result) -> Usage:
    """Return an entry of `partition.usage`: sizes in bytes, percentages of what ordinary users can have (as df)."""
    block = stat.f_frsize
    free = stat.f_bavail * block
    used = max(stat.f_blocks - stat.f_bfree, 0) * block
    inodes, inodes_free = stat.f_files, stat.f_ffree
    inodes_used = max(inodes - inodes_free, 0)
    return Usage(
        path=path,
        fstype=_MAGIC_NAMES.get(fstype, ""),
        total=stat.f_blocks * block,
        free=free,
        used=used,
        usedPercent=used / (used + free) * 100.0 if used + free else 0.0,
        inodesTotal=inodes,
        inodesUsed=inodes_used,
        inodesFree=inodes_free,
        inodesUsedPercent=inodes_used / inodes * 100.0 if inodes else 0.0,
    )


def _mounted(filesystems: frozenset[str]) -> list[tuple[Partition, str]]:
    for process in ("1", "self"):
        for name, parse in (("mountinfo", parse_mountinfo), ("mounts", parse_mounts)):
            text = read_text(f"/proc/{process}/{name}", "surrogateescape")
            if text is not None:
                return parse(text, filesystems)
    return []


def _real_device(device: str, number: str) -> str:
    """Return the device node behind a device-mapper link, or behind `/dev/root`."""
    if device.startswith("/dev/mapper/"):
        link = located(device)
        return os.path.realpath(link) if os.path.exists(link) else device
    if device == "/dev/root":
        try:
            return "/dev/" + os.path.basename(os.readlink(located("/sys/dev/block/" + number)))
        except OSError:
            return device
    return device


def _printable(path: str) -> str:
    """Return a path whose bytes are no UTF-8 with replacement characters, so that it can be printed."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def partition_facts() -> Family:
    """Return the family `partition`.

    Both lists are empty where nothing is known; `usage` is None where no mount can be read.
    """
    filesystems = read_text("/proc/filesystems")
    mounted = _mounted(device_filesystems(filesystems)) if filesystems is not None else []
    usages = []
    for partition, number in mounted:
        mountpoint = partition["mountpoint"]
        partition["mountpoint"] = _printable(mountpoint)
        partition["device"] = _printable(_real_device(partition["device"], number))
        try:
            usages.append(usage(partition["mountpoint"], partition["fstype"], os.statvfs(mountpoint)))
        except (OSError, ValueError):
            continue
    return {
        "partitions": [partition for partition, _number in mounted],
        "usage": usages or (None if mounted else []),
    }
