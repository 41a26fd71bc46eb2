# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mounts that do not allow what a resource would remove or replace (decisions.md Q91)."""

from __future__ import annotations

import os

from ..host.mounts import KnownMounts, MountInTheWay, mount_on, mounts_below
from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection

    from ..host.machine import Machine
    from ..host.mounts import Mount


def require_no_mount_below(path: str) -> None:
    """Raise ResourceFailed when a path that is to be removed is a mount point or has one below it."""
    mounts = mounts_below(path)
    if mounts:
        raise _not_removed(path, mounts[0])


def require_no_mount_on(paths: Collection[str], machine: Machine | None = None) -> None:
    """Raise ResourceFailed when one of the paths that are to be replaced or removed is a mount point itself.

    With `machine`, mounts that the run knows are enough.
    """
    found = machine.known(KnownMounts).on(paths, machine.epoch) if machine else mount_on(paths)
    if found:
        path, mount = found
        raise ResourceFailed(
            f"{path} can be neither replaced nor removed: {mount} is mounted on {mount.point}; "
            "manage what is mounted there, or unmount it first",
            property="name",
            value=path,
        )


def require_in_one_mount(root: str, paths: Collection[str]) -> None:
    """Raise ResourceFailed when one of the paths to be removed below a directory is in a mount other than its own."""
    real = os.path.realpath(root)
    mounts = [mount for mount in mounts_below(real) if mount.point != real]
    for path in paths if mounts else ():
        place = real + path[len(root) :]
        for mount in mounts:
            if place == mount.point or place.startswith(mount.point + "/"):
                raise _not_removed(path, mount)


def require_no_mount_between(root: str, changed: Collection[str], removed: Collection[str]) -> None:
    """Raise ResourceFailed when a mount below a directory has one of the paths to be changed, or is in one of these.

    Paths are relative to the directory; of `removed` ones all that is below is removed.
    """
    real = os.path.realpath(root)
    for mount in mounts_below(real):
        inside = mount.point[len(real.rstrip("/")) + 1 :]
        for path in (*changed, *removed) if inside else ():
            if path == inside or path.startswith(inside + "/"):
                raise ResourceFailed(
                    f"cannot change {root}/{path}: {mount} is mounted on {mount.point}; unmount it first",
                    property="name",
                    value=f"{root}/{path}",
                )
        for path in removed if inside else ():
            if inside.startswith(path + "/"):
                raise _not_removed(f"{root}/{path}", mount)


def _not_removed(path: str, mount: Mount) -> ResourceFailed:
    in_the_way = MountInTheWay(path, f"{mount} is mounted on {mount.point}")
    return ResourceFailed(str(in_the_way), property="name", value=path)
