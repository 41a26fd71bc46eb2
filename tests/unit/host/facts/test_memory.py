# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from ccm.host.facts.memory import meminfo, memory_facts, swap_devices, swap_memory, virtual_memory

MEMINFO = """MemTotal:        1000 kB
MemFree:          400 kB
MemAvailable:     600 kB
Cached:            50 kB
SwapTotal:        200 kB
SwapFree:         150 kB
SReclaimable:       7 kB
Committed_AS:       5 kB
HugePages_Total:    3
Hugepagesize:    2048 kB
Odd: 1: 2
Broken:           x kB
"""


def test_virtual_memory():
    memory = virtual_memory(meminfo(MEMINFO))
    assert memory["total"] == 1000 * 1024
    assert memory["available"] == 600 * 1024
    assert memory["used"] == 400 * 1024
    assert memory["usedPercent"] == 40.0
    assert memory["cached"] == 57 * 1024
    assert memory["committedAS"] == 5 * 1024
    assert (memory["hugePagesTotal"], memory["hugePageSize"]) == (3, 2048 * 1024)
    assert (memory["wired"], memory["laundry"], memory["vmallocChunk"]) == (0, 0, 0)
    assert list(memory) == list(memory.GO_NAMES.values())


OLD = """MemTotal: 10000 kB
MemFree: 400 kB
Cached: 50 kB
Active(file): 100 kB
Inactive(file): 300 kB
SReclaimable: 70 kB
"""
ZONEINFO = "Node 0, zone DMA\n  pages free 3\n        min      1\n        low      7\n        high     9\n"


@pytest.mark.parametrize(
    ("text", "zoneinfo", "want_kib"),
    [
        (OLD, ZONEINFO, (400 - 28) + (400 - 28) + (70 - 28)),
        (OLD, None, 400 + 50 + 70),
        (OLD.replace("Active(file)", "Other"), ZONEINFO, 400 + 50 + 70),
        (OLD, "  low 100000000\n", 0),
    ],
)
def test_available_memory_of_kernels_without_that_value(text, zoneinfo, want_kib):
    assert virtual_memory(meminfo(text), zoneinfo, 4096)["available"] == want_kib * 1024


def test_missing_values_cause_no_division_by_zero():
    memory = virtual_memory({})
    assert set(memory.values()) == {0}
    assert isinstance(memory["usedPercent"], float)


def test_swap():
    swap = swap_memory(meminfo(MEMINFO), "pgpgin 5\npswpin 1\npswpout x\npgfault 9\npgmajfault 2\nalone\nother 3\n")
    assert dict(swap) == {
        "total": 200 * 1024,
        "used": 50 * 1024,
        "free": 150 * 1024,
        "usedPercent": 25.0,
        "sin": 4096,
        "sout": 0,
        "pgIn": 5 * 4096,
        "pgOut": 0,
        "pgFault": 9 * 4096,
        "pgMajFault": 2 * 4096,
    }


HEADER = "Filename\tType\tSize\tUsed\tPriority\n"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (
            HEADER + "/dev/sda2 partition 1000 10 -2\n/swap\\040file file 5 5 -3\n",
            [
                {"name": "/dev/sda2", "usedBytes": 10240, "freeBytes": 990 * 1024},
                {"name": "/swap\\040file", "usedBytes": 5120, "freeBytes": 0},
            ],
        ),
        (HEADER, None),
        ("", None),
        ("Something else entirely\n/dev/sda2 partition 1000 10 -2\n", None),
        (HEADER + "/dev/sda2 partition 1000\n", None),
        (HEADER + "/dev/sda2 partition x 10 -2\n", None),
    ],
)
def test_swap_devices(text, want):
    assert swap_devices(text) == want


def test_missing_files_are_null(monkeypatch, tmp_path):
    monkeypatch.setenv("HOST_PROC", str(tmp_path))
    assert memory_facts() == {"swap": {"devices": None, "info": None}, "virtual": None}
