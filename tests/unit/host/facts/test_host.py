# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from ccm.host.facts.host import (
    boot_time,
    host_facts,
    host_id,
    hostname,
    platform_family,
    platform_information,
    virtualization,
)


def machine(files, paths=()):
    """Return `read` and `exists` of a host that has only these files and paths."""
    return files.get, lambda path: path in files or path in paths


@pytest.mark.parametrize(
    ("files", "want"),
    [
        ({}, ("", "", "")),
        ({"/etc/debian_version": "12.11\n"}, ("debian", "debian", "12.11")),
        (
            {"/etc/debian_version": "bookworm/sid\n", "/etc/lsb-release": "DISTRIB_ID=Ubuntu\nDISTRIB_RELEASE=24.04\n"},
            ("ubuntu", "debian", "24.04"),
        ),
        (
            {"/etc/debian_version": "trixie\n", "/etc/lsb-release": 'DISTRIB_ID=LinuxMint\nDISTRIB_RELEASE="22"\n'},
            ("linuxmint", "debian", "22"),
        ),
        ({"/etc/debian_version": "sid\n", "/etc/os-release": "ID=debian\n"}, ("debian", "debian", "")),
        ({"/etc/redhat-release": "Rocky Linux release 9.3 (Blue Onyx)\n"}, ("rocky", "rhel", "9.3")),
        ({"/etc/redhat-release": "Red Hat Enterprise Linux release 8.9 (Ootpa)\n"}, ("redhat", "rhel", "8.9")),
        ({"/etc/redhat-release": "AlmaLinux release 9.4 (Seafoam Ocelot)\n"}, ("almalinux", "rhel", "9.4")),
        ({"/etc/redhat-release": "CentOS Stream release 9\n"}, ("centos", "rhel", "9")),
        ({"/etc/redhat-release": "Fedora release 40 (Forty)\n"}, ("fedora", "fedora", "40")),
        ({"/etc/redhat-release": "Fedora release 41 (Rawhide)\n"}, ("fedora", "fedora", "rawhide")),
        (
            {
                "/etc/oracle-release": "Oracle Linux Server release 8.9\n",
                "/etc/redhat-release": "Red Hat Enterprise Linux release 8.9 (Ootpa)\n",
            },
            ("oracle", "rhel", "8.9"),
        ),
        ({"/etc/system-release": "Amazon Linux release 2 (Karoo)\n"}, ("amazon", "rhel", "2")),
        ({"/etc/os-release": 'ID="amzn"\nVERSION_ID="2023"\n'}, ("amazon", "rhel", "2023")),
        ({"/etc/os-release": 'ID="opensuse-leap"\nVERSION_ID="15.5"\n'}, ("opensuse-leap", "suse", "15.5")),
        (
            {"/etc/SuSE-release": "SUSE Linux Enterprise Server 11 (x86_64)\nVERSION = 11\nPATCHLEVEL = 4\n"},
            ("suse", "suse", "11.4"),
        ),
        ({"/etc/alpine-release": "3.19.1\n", "/etc/os-release": "ID=alpine\n"}, ("alpine", "alpine", "3.19.1")),
        (
            {"/etc/arch-release": "Arch Linux release\n", "/etc/lsb-release": "DISTRIB_RELEASE=rolling\n"},
            ("arch", "arch", "rolling"),
        ),
        ({"/etc/arch-release": "", "/etc/os-release": "ID=arch\n"}, ("arch", "arch", "")),
        ({"/etc/slackware-version": "Slackware 15.0\n"}, ("slackware", "slackware", "15.0")),
        ({"/etc/gentoo-release": "Gentoo Base System release 2.14\n"}, ("gentoo", "gentoo", "2.14")),
        ({"/etc/lsb-release": "DISTRIB_ID=XenServer\nDISTRIB_RELEASE=8\n"}, ("xenserver", "rhel", "8")),
        ({"/etc/lsb-release": "DISTRIB_ID=FooBar\nDISTRIB_RELEASE=8\n"}, ("foobar", "", "8")),
        ({"/etc/os-release": "ID=nixos\nVERSION_ID=24.05\n"}, ("nixos", "", "24.05")),
    ],
)
def test_platform_family_and_version(files, want):
    assert platform_information(*machine(files)) == want


def test_a_raspberry_pi_is_recognised_by_its_configuration_tool():
    files = {"/etc/debian_version": "12.5\n"}
    assert platform_information(*machine(files, ["/usr/bin/raspi-config"])) == ("raspbian", "debian", "12.5")


def test_the_family_of_an_unknown_platform_is_empty():
    assert platform_family("plan9") == ""


@pytest.mark.parametrize(
    ("files", "paths", "want"),
    [
        ({}, [], ("", "")),
        ({"/proc/modules": "kvm_intel 1 0\n"}, [], ("kvm", "host")),
        ({"/proc/modules": "hv_utils 1 0\n"}, [], ("hyperv", "guest")),
        ({"/proc/modules": "vboxguest 1 0\n"}, [], ("vbox", "guest")),
        ({"/proc/cpuinfo": "model name: QEMU Virtual CPU version 2\n"}, [], ("kvm", "guest")),
        ({"/proc/modules": "kvm 1\n", "/proc/bus/pci/devices": "0 virtio-pci\n"}, [], ("kvm", "guest")),
        ({}, ["/proc/xen"], ("xen", "guest")),
        ({"/proc/xen/capabilities": "control_d\n"}, ["/proc/xen"], ("xen", "host")),
        ({}, ["/proc/vz"], ("openvz", "guest")),
        ({}, ["/proc/vz", "/proc/bc/0"], ("openvz", "host")),
        ({"/proc/self/status": "VxID:\t4\n"}, [], ("linux-vserver", "")),
        ({"/proc/1/environ": "a=b\0container=lxc\0"}, [], ("lxc", "guest")),
        ({"/proc/self/cgroup": "1:name=systemd:/docker/abc\n"}, [], ("docker", "guest")),
        ({"/proc/self/cgroup": "0::/\n"}, ["/usr/bin/lxc-version"], ("lxc", "host")),
        ({"/proc/1/environ": "container=lxc\0", "/proc/self/cgroup": "0::/\n"}, [], ("lxc", "guest")),
        ({"/etc/os-release": "ID=coreos\n"}, [], ("rkt", "host")),
        ({"/proc/modules": "kvm 1\n"}, ["/.dockerenv"], ("docker", "guest")),
    ],
)
def test_virtualization(files, paths, want):
    assert virtualization(*machine(files, paths)) == want


@pytest.mark.parametrize(
    ("system", "files", "want"),
    [
        ("kvm", {"/proc/stat": "cpu 1 2\nbtime 1700000000\n", "/proc/uptime": "7 7\n"}, 1700000000),
        ("docker", {"/proc/stat": "btime 1700000000\n", "/proc/uptime": "100.5 20.1\n"}, 1899),
        ("docker", {"/proc/uptime": "broken\n"}, 1970),
        ("lxc", {}, 1970),
        ("", {}, 1970),
    ],
)
def test_boot_time(system, files, want):
    assert boot_time(system, "guest", files.get, now=2000.25, uptime=30) == want


@pytest.mark.parametrize(
    ("files", "want"),
    [
        ({}, ""),
        ({"/sys/class/dmi/id/product_uuid": "ABCD-EF\n", "/etc/machine-id": "0" * 32}, "abcd-ef"),
        (
            {"/sys/class/dmi/id/product_uuid": "\n", "/etc/machine-id": "0123456789abcdef0123456789abcdef\n"},
            "01234567-89ab-cdef-0123-456789abcdef",
        ),
        ({"/etc/machine-id": "short\n", "/proc/sys/kernel/random/boot_id": "AA-bb\n"}, "aa-bb"),
    ],
)
def test_host_id(files, want):
    assert host_id(files.get) == want


def test_a_hostname_that_may_be_truncated_is_read_from_the_kernel():
    files = {"/proc/sys/kernel/hostname": "x" * 80 + "\n"}
    assert hostname("web1", files.get) == "web1"
    assert hostname("x" * 64, files.get) == "x" * 80
    assert hostname("x" * 64, {}.get) == "x" * 64


def test_a_host_without_readable_files_has_all_facts(monkeypatch, tmp_path):
    for tree in ("HOST_PROC", "HOST_SYS", "HOST_ETC", "HOST_ROOT"):
        monkeypatch.setenv(tree, str(tmp_path / "nothing"))
    info = host_facts()["info"]
    assert info["procs"] == 0
    assert info["platform"] == info["platformFamily"] == info["virtualizationSystem"] == info["hostId"] == ""
    assert info["uptime"] > 0
    assert info["bootTime"] > 0
    assert info["kernelVersion"]
