# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of kernel parameters, processes, services, packages and mounts."""

from __future__ import annotations

from ....host.errors import HostError
from ....host.init_system import is_enabled, is_running, runlevels
from ....host.installed import versions
from ....host.kernel_parameters import kernel_parameter
from ....host.mounts import mount_at, usage
from ..kind import Kind
from ..values import NoStrings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....host.mounts import Mount as Mounted
    from ..kind import Snapshot
    from ..rule import Rule


def _examine_kernel_param(rule: Rule, snapshot: Snapshot) -> None:
    rule.must("value", lambda: kernel_parameter(rule.subject))


KERNEL_PARAM = Kind("KernelParam", {"value": "matcher"}, _examine_kernel_param, subject="name", required=("value",))


def _examine_process(rule: Rule, snapshot: Snapshot) -> None:
    rule.must("running", lambda: rule.subject in snapshot.processes())


PROCESS = Kind("Process", {"running": "matcher"}, _examine_process, subject="comm", required=("running",))


def _examine_service(rule: Rule, snapshot: Snapshot) -> None:
    name = rule.subject
    rule.may("enabled", lambda: is_enabled(snapshot.machine, name))
    rule.may("running", lambda: is_running(snapshot.machine, name))
    rule.may("runlevels", lambda: tuple(runlevels(name) or ()) or NoStrings())


SERVICE = Kind(
    "Service", {"enabled": "matcher", "running": "matcher", "runlevels": "matcher"}, _examine_service, subject="name"
)


def _examine_package(rule: Rule, snapshot: Snapshot) -> None:
    found = () if rule.skipping else tuple(versions(snapshot.machine, rule.subject))
    rule.gate("installed", lambda: bool(found))
    rule.may("versions", lambda: found, "version")


PACKAGE = Kind(
    "Package",
    {"installed": "matcher", "versions": "matcher"},
    _examine_package,
    subject="name",
    required=("installed",),
)


class _Mount:
    """The mount at a mount point, read once."""

    def __init__(self, point: str) -> None:
        self._point = point
        self._found: Mounted | None = None
        self._usage = 0

    def _mounted(self) -> Mounted:
        if self._found is None:
            found = mount_at(self._point)
            if found is None:
                raise HostError("Mountpoint not found")
            self._usage = usage(self._point)
            self._found = found
        return self._found

    def exists(self) -> bool:
        """Return whether something is mounted there; none is an error, as in the original."""
        return self._mounted() is not None

    def opts(self) -> tuple[str, ...]:
        """Return the options of the mount, each once."""
        return tuple(dict.fromkeys(_split(self._mounted().options)))

    def vfs_opts(self) -> tuple[str, ...]:
        """Return the options of the file system."""
        return tuple(_split(self._mounted().filesystem_options))

    def source(self) -> str:
        """Return the mounted device or file system."""
        return self._mounted().source

    def filesystem(self) -> str:
        """Return the kind of file system."""
        return self._mounted().filesystem

    def usage(self) -> int:
        """Return how much of it is used, in percent."""
        self._mounted()
        return self._usage


def _split(options: str) -> list[str]:
    """Return the options between commas; commas within quotes do not count."""
    parts = options.split('"')
    marked = [part.replace(",", "\0") if at % 2 == 0 else part for at, part in enumerate(parts)]
    return [option for option in '"'.join(marked).split("\0") if option]


def _examine_mount(rule: Rule, snapshot: Snapshot) -> None:
    mount = _Mount(rule.subject)
    rule.gate("exists", mount.exists)
    rule.may("opts", mount.opts)
    rule.may("vfs-opts", mount.vfs_opts)
    rule.may("source", mount.source)
    rule.may("filesystem", mount.filesystem)
    rule.may("usage", mount.usage)


MOUNT = Kind(
    "Mount",
    {
        "exists": "matcher",
        "opts": "matcher",
        "vfs-opts": "matcher",
        "source": "matcher",
        "filesystem": "matcher",
        "usage": "matcher",
        "timeout": "integer",
    },
    _examine_mount,
    required=("exists",),
    subject="mountpoint",
)
