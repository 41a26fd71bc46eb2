# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Host facts: `host.info` (behaviour.md 12.1).

The functions that decide take `read` (absolute path → text, None where missing) and `exists` (absolute path → bool), so
that they work for any machine.
"""

from __future__ import annotations

import os
import sys
import time

from .fields import HostInfo
from .read import exists as path_exists
from .read import first_line, located, read_text, unsigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .fields import Family

    Read = Callable[[str], "str | None"]
    Exists = Callable[[str], bool]

_FAMILIES = {
    "debian": ("debian", "ubuntu", "linuxmint", "raspbian", "Kylin", "cumuluslinux", "uos", "Deepin"),
    "rhel": (
        "oracle", "centos", "redhat", "scientific", "enterpriseenterprise", "amazon", "xenserver", "cloudlinux",
        "ibm_powerkvm", "rocky", "almalinux",
    ),
    "suse": (
        "suse", "opensuse", "opensuse-leap", "opensuse-tumbleweed", "opensuse-tumbleweed-kubic", "sles", "sled",
        "caasp",
    ),
}  # fmt: skip
_OWN_FAMILIES = ("fedora", "gentoo", "slackware", "arch", "exherbo", "alpine", "coreos", "solus", "neokylin", "anolis")
_DEBIAN_LSB = {
    "Ubuntu": "ubuntu", "LinuxMint": "linuxmint", "Kylin": "Kylin", "uos": "uos", "Deepin": "Deepin",
}  # fmt: skip
_LSB_ONLY = {"RedHat": "redhat", "Amazon": "amazon", "ScientificSL": "scientific", "XenServer": "xenserver"}
_TOO_SHORT = 4


def assignments(text: str) -> dict[str, str]:
    """`KEY=value` lines as of os-release and lsb-release, quotes left on; later lines win."""
    found = {}
    for line in text.split("\n"):
        words = line.split("=")
        if len(words) > 1:
            found[words[0]] = words[1]
    return found


def os_release(text: str) -> tuple[str, str]:
    """Return platform and version in `/etc/os-release`; "" for a missing one."""
    found = assignments(text)
    platform = _unquoted(found.get("ID", ""))
    return ("amazon" if platform == "amzn" else platform), _unquoted(found.get("VERSION_ID", ""))


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] == '"' else text


def platform_information(read: Read, exists: Exists) -> tuple[str, str, str]:
    """Platform, its family and its version, each "" where unknown.

    The first release file with more than four characters decides; without one the lsb-release does.
    """
    found = assignments(read("/etc/lsb-release") or "")
    lsb_id = found.get("DISTRIB_ID", "").replace('"', "")
    lsb_version = found.get("DISTRIB_RELEASE", "").replace('"', "")
    platform, version = _LSB_ONLY.get(lsb_id) or lsb_id.lower(), lsb_version
    for path in _RELEASE_FILES:
        text = read(path)
        if text is not None and len(text) > _TOO_SHORT:
            if path == "/etc/debian_version":
                platform, version = _debian(text, lsb_id, lsb_version, exists("/usr/bin/raspi-config"))
            elif path == "/etc/arch-release":
                platform, version = "arch", lsb_version
            else:
                platform, version = _RELEASE_FILES[path](text)
            break
    platform = platform.strip('"')
    return platform, platform_family(platform), version


def platform_family(platform: str) -> str:
    """Return the family of a platform, "" for a platform without a family."""
    if platform in _OWN_FAMILIES:
        return platform
    for family, members in _FAMILIES.items():
        if platform in members:
            return family
    return ""


def _debian(text: str, lsb_id: str, lsb_version: str, raspberry: bool) -> tuple[str, str]:
    if lsb_id in _DEBIAN_LSB:
        return _DEBIAN_LSB[lsb_id], lsb_version
    return ("raspbian" if raspberry else "debian"), first_line(text)


def _joined(text: str) -> str:
    return text.replace("\n", "").lower()


def _redhat_version(text: str) -> str:
    joined = _joined(text)
    return "rawhide" if "rawhide" in joined else _found(r"release (\w[\d.]*)", joined)


def _found(pattern: str, text: str) -> str:
    """Return the text in the group of a pattern, "" where the pattern is not found."""
    import re

    match = re.search(pattern, text, re.ASCII)
    return match.group(1) if match else ""


def _redhat(text: str) -> tuple[str, str]:
    joined = _joined(text)
    return ("redhat" if "red hat" in joined else joined.split(" ")[0]), _redhat_version(text)


def _suse(text: str) -> tuple[str, str]:
    version = ""
    for line in text.split("\n"):
        found = _found(r"VERSION = ([\d.]+)", line)
        patch = "" if found else _found(r"PATCHLEVEL = (\d+)", line)
        if found:
            version = found
        elif patch:
            version += "." + patch
    return ("opensuse" if "opensuse" in _joined(text) else "suse"), version


_RELEASE_FILES: dict[str, Callable[[str], tuple[str, str]]] = {
    "/etc/oracle-release": lambda text: ("oracle", _redhat_version(text)),
    "/etc/enterprise-release": lambda text: ("oracle", _redhat_version(text)),
    "/etc/slackware-version": lambda text: ("slackware", _joined(text).replace("slackware ", "", 1)),
    "/etc/debian_version": os_release,
    "/etc/neokylin-release": _redhat,
    "/etc/redhat-release": _redhat,
    "/etc/system-release": _redhat,
    "/etc/gentoo-release": lambda text: ("gentoo", _redhat_version(text)),
    "/etc/SuSE-release": _suse,
    "/etc/arch-release": os_release,
    "/etc/alpine-release": lambda text: ("alpine", first_line(text)),
    "/etc/os-release": os_release,
}


def virtualization(read: Read, exists: Exists) -> tuple[str, str]:
    """Return system (`kvm`, `docker`, `lxc`, …) and role (`guest`, `host`), each "" where unknown.

    A container counts before the machine below it, and the most certain sign is checked first.
    """
    if exists("/.dockerenv"):
        return "docker", "guest"
    if os_release(read("/etc/os-release") or "")[0] == "coreos":
        return "rkt", "host"
    container = _container(read, exists)
    if container is not None:
        return container
    system, role = _hypervisor(read, exists)
    if "virtio-pci" in (read("/proc/bus/pci/devices") or ""):
        role = "guest"
    if exists("/proc/bc/0"):
        system, role = "openvz", "host"
    elif exists("/proc/vz"):
        system, role = "openvz", "guest"
    status = read("/proc/self/status") or ""
    if "s_context:" in status or "VxID:" in status:
        system = "linux-vserver"
    return system, role


def _hypervisor(read: Read, exists: Exists) -> tuple[str, str]:
    found = ("", "")
    if exists("/proc/xen"):
        found = ("xen", "host" if "control_d" in (read("/proc/xen/capabilities") or "") else "guest")
    modules = read("/proc/modules") or ""
    for module, system, role in (
        ("kvm", "kvm", "host"),
        ("hv_util", "hyperv", "guest"),
        ("vboxdrv", "vbox", "host"),
        ("vboxguest", "vbox", "guest"),
        ("vmware", "vmware", "guest"),
    ):
        if module in modules:
            found = (system, role)
            break
    cpuinfo = read("/proc/cpuinfo") or ""
    for processor in ("QEMU Virtual CPU", "Common KVM processor", "Common 32-bit KVM processor"):
        if processor in cpuinfo:
            found = ("kvm", "guest")
    return found


def _container(read: Read, exists: Exists) -> tuple[str, str] | None:
    found = ("lxc", "guest") if "container=lxc" in (read("/proc/1/environ") or "") else None
    cgroup = read("/proc/self/cgroup")
    if cgroup is not None:
        for word, system in (("lxc", "lxc"), ("docker", "docker"), ("machine-rkt", "rkt")):
            if word in cgroup:
                return system, "guest"
        if exists("/usr/bin/lxc-version"):
            return "lxc", "host"
    return found


def boot_time(system: str, role: str, read: Read, now: float, uptime: int) -> int:
    """Return when the machine booted, in seconds since the epoch.

    For a guest of lxc or docker from `/proc/uptime`, for any other from `/proc/stat`; `now` (seconds since the epoch)
    and `uptime` (seconds) are used if the file has no value.
    """
    if role == "guest" and system in ("lxc", "docker"):
        words = (read("/proc/uptime") or "").split()
        try:
            return int(now - float(words[0])) if words else int(now) - uptime
        except (ValueError, OverflowError):
            return int(now) - uptime
    for line in (read("/proc/stat") or "").split("\n"):
        words = line.split()
        if len(words) == 2 and words[0] == "btime":
            return unsigned(words[1]) or 0
    return int(now) - uptime


def host_id(read: Read) -> str:
    """Return the id of the machine: of its board, else of its installation, else of this boot.

    "" where none can be read.
    """
    board = first_line(read("/sys/class/dmi/id/product_uuid"))
    if board:
        return board.lower()
    machine = first_line(read("/etc/machine-id"))
    if len(machine) == 32:
        return "-".join((machine[:8], machine[8:12], machine[12:16], machine[16:20], machine[20:]))
    return first_line(read("/proc/sys/kernel/random/boot_id")).lower()


def hostname(node: str, read: Read) -> str:
    """Return the name of the host.

    Uname's if it is complete (shorter than its 64 characters), else that in the kernel's file.
    """
    if 0 < len(node) < 64:
        return node
    return first_line(read("/proc/sys/kernel/hostname")) or node


def _uptime() -> int:
    try:
        return -(-time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000_000)
    except OSError:
        return int(time.monotonic())


def _processes() -> int:
    try:
        return sum(name.isdigit() for name in os.listdir(located("/proc")))
    except OSError:
        return 0


def host_facts() -> Family:
    """Return the family `host`. Always complete: an unknown value is "" or 0."""
    uname = os.uname()
    platform, family, version = platform_information(read_text, path_exists)
    system, role = virtualization(read_text, path_exists)
    uptime = _uptime()
    return {
        "info": HostInfo(
            hostname=hostname(uname.nodename, read_text),
            uptime=uptime,
            bootTime=boot_time(system, role, read_text, time.time(), uptime),
            procs=_processes(),
            os=sys.platform,
            platform=platform,
            platformFamily=family,
            platformVersion=version,
            kernelVersion=uname.release,
            kernelArch=uname.machine,
            virtualizationSystem=system,
            virtualizationRole=role,
            hostId=host_id(read_text),
        )
    }
