# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from ccm.host.facts.cpu import cpu_facts, finish, parse_cpuinfo

X86 = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 85
model name\t: Intel(R) Xeon(R) Gold
stepping\t: 7
microcode\t: 0x5003604
cpu MHz\t\t: 2596.152
cache size\t: 36608 KB
physical id\t: 0
core id\t\t: 3
cpu cores\t: 4
flags\t\t: fpu vme de
bogomips\t: 5192.30

processor\t: 1
stepping\t: unknown
"""
ARM64 = """processor\t: 0
Features\t: fp asimd evtstrm
CPU implementer\t: 0x41
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1

processor\t: 1
CPU implementer\t: 0x41
CPU part\t: 0xfff
"""
ARM6 = "Processor\t: ARMv6-compatible rev 7\nprocessor\t: 0\nCPU implementer\t: 0x42\nCPU part\t: 0xb76\n"
POWER = "processor\t: 0\ncpu\t\t: POWER9 (architected)\nclock\t\t: 2500.000000MHz\nrevision\t: 2.2 (pvr 004e 1202)\n"
S390 = "vendor_id : IBM/S390\nprocessor 0: version = FF\ncpu number : 0\ncpu MHz dynamic : 5200\n\ncpu number : 1\n"
RISCV = """processor: 0
hart: 2
isa: rv64imac_zicsr_zba
uarch: sifive,u74-mc
mvendorid: 0x489
marchid: 0x7
mimpid: 0x42
"""


def test_an_x86_processor():
    first, second = parse_cpuinfo(X86)
    assert dict(first) == {
        "cpu": 0,
        "vendorId": "GenuineIntel",
        "family": "6",
        "model": "85",
        "stepping": 7,
        "physicalId": "0",
        "coreId": "3",
        "cores": 1,
        "modelName": "Intel(R) Xeon(R) Gold",
        "mhz": 2596.152,
        "cacheSize": 36608,
        "flags": ["fpu", "vme", "de"],
        "microcode": "0x5003604",
    }
    assert list(first) == list(second)
    assert (second["cpu"], second["stepping"], second["flags"], second["mhz"]) == (1, 0, None, 0.0)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (
            ARM64,
            {"vendorId": "ARM", "modelName": "Neoverse-N1", "stepping": 1, "flags": ["fp", "asimd", "evtstrm"]},
        ),
        (ARM6, {"vendorId": "Broadcom", "model": "0xb76", "modelName": "ARMv6-compatible rev 7"}),
        (
            POWER,
            {"vendorId": "IBM", "family": "POWER", "model": "POWER9", "mhz": 2500.0, "stepping": 2},
        ),
        (S390, {"cpu": 0, "modelName": "S390", "mhz": 5200.0}),
        (
            RISCV,
            {
                "vendorId": "SiFive",
                "family": "0x7",
                "model": "0x42",
                "modelName": "sifive,u74-mc",
                "physicalId": "2",
                "flags": ["i", "m", "a", "c", "zicsr", "zba"],
            },
        ),
    ],
)  # fmt: skip
def test_other_architectures(text, want):
    processor = parse_cpuinfo(text)[0]
    assert {key: processor[key] for key in want} == want


def test_an_unknown_arm_part():
    assert parse_cpuinfo(ARM64)[1]["modelName"] == "Undefined"


@pytest.mark.parametrize(
    "text", ["", "no colon\n", "flags: a b\n", "processor: x\n", "processor: " + "9" * 6000 + "\n"]
)
def test_no_processors(text):
    assert parse_cpuinfo(text) == []


def test_an_invalid_number_ends_the_list():
    text = "processor: 0\n\nprocessor: 1\ncache size: 4 MB\n\nprocessor: 2\n"
    assert [processor["cpu"] for processor in parse_cpuinfo(text)] == [0]


@pytest.mark.parametrize(
    ("core_id", "frequency", "want"),
    [
        (None, None, ("", 5.0)),
        ("7\n", "3400000\n", ("7", 3400.0)),
        ("", "34000000000\n", ("", 34000.0)),
        (None, "<unknown>\n", ("", 5.0)),
    ],
)
def test_values_from_sysfs(core_id, frequency, want):
    (processor,) = parse_cpuinfo("processor: 0\ncpu MHz: 5\n")
    finish(processor, core_id, frequency)
    assert (processor["coreId"], processor["mhz"]) == want


def test_a_missing_cpuinfo_is_null(monkeypatch, tmp_path):
    monkeypatch.setenv("HOST_PROC", str(tmp_path))
    assert cpu_facts() == {"info": None}
