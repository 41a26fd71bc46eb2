# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory facts: `memory.virtual` and `memory.swap`, sizes in bytes (behaviour.md 12.1)."""

from __future__ import annotations

import os

from .fields import SwapDevice, SwapMemory, VirtualMemory
from .read import read_text, unsigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fields import Family

_MEMINFO = {
    "MemTotal": "total", "MemFree": "free", "MemAvailable": "available", "Buffers": "buffers", "Cached": "cached",
    "Active": "active", "Inactive": "inactive", "Writeback": "writeBack", "WritebackTmp": "writeBackTmp",
    "Dirty": "dirty", "Shmem": "shared", "Slab": "slab", "SReclaimable": "sreclaimable", "SUnreclaim": "sunreclaim",
    "PageTables": "pageTables", "SwapCached": "swapCached", "CommitLimit": "commitLimit",
    "Committed_AS": "committedAS", "HighTotal": "highTotal", "HighFree": "highFree", "LowTotal": "lowTotal",
    "LowFree": "lowFree", "SwapTotal": "swapTotal", "SwapFree": "swapFree", "Mapped": "mapped",
    "VmallocTotal": "vmallocTotal", "VmallocUsed": "vmallocUsed", "VmallocChunk": "vmallocChunk",
    "HugePages_Total": "hugePagesTotal", "HugePages_Free": "hugePagesFree", "HugePages_Rsvd": "hugePagesRsvd",
    "HugePages_Surp": "hugePagesSurp", "Hugepagesize": "hugePageSize", "AnonHugePages": "anonHugePages",
}  # fmt: skip
_VMSTAT = {
    "pswpin": "sin", "pswpout": "sout", "pgpgin": "pgIn", "pgpgout": "pgOut", "pgfault": "pgFault",
    "pgmajfault": "pgMajFault",
}  # fmt: skip
_COUNTED_PAGE = 4096


def meminfo(text: str) -> dict[str, int]:
    """`/proc/meminfo` as kernel name → bytes (`HugePages_*`: a count of pages). Other lines are left out."""
    found = {}
    for line in text.split("\n"):
        name, colon, rest = line.partition(":")
        value = unsigned(rest.replace(" kB", "").strip())
        if colon and value is not None:
            name = name.strip()
            found[name] = value if name.startswith("HugePages_") else value * 1024
    return found


def virtual_memory(found: dict[str, int], zoneinfo: str | None = None, page_size: int = 4096) -> VirtualMemory:
    """Return `memory.virtual` from the result of `meminfo`; fields that the kernel does not report are 0.

    Kernels before 3.14 report no `MemAvailable`: it is estimated from the low watermarks in `zoneinfo` (the text of
    `/proc/zoneinfo`, None where missing), in pages of `page_size` bytes. `cached` includes reclaimable slabs.
    """
    memory = VirtualMemory(dict.fromkeys(VirtualMemory.GO_NAMES.values(), 0))
    for kernel_name, name in _MEMINFO.items():
        memory[name] = found.get(kernel_name, 0)
    memory["cached"] += memory["sreclaimable"]
    if "MemAvailable" not in found:
        memory["available"] = _estimated_available(found, memory, zoneinfo, page_size)
    memory["used"] = max(memory["total"] - memory["available"], 0)
    memory["usedPercent"] = memory["used"] / memory["total"] * 100.0 if memory["total"] else 0.0
    return memory


def _estimated_available(found: dict[str, int], memory: VirtualMemory, zoneinfo: str | None, page_size: int) -> int:
    simple: int = memory["free"] + memory["cached"]
    if zoneinfo is None or not {"Active(file)", "Inactive(file)", "SReclaimable"} <= found.keys():
        return simple
    low = 0
    for line in zoneinfo.split("\n"):
        words = line.split()
        if len(words) > 1 and words[0] == "low":
            low += unsigned(words[1]) or 0
    low *= page_size
    available: int = memory["free"] - low
    for reclaimable in (found["Active(file)"] + found["Inactive(file)"], memory["sreclaimable"]):
        available += reclaimable - min(reclaimable // 2, low)
    return max(available, 0)


def swap_memory(found: dict[str, int], vmstat: str) -> SwapMemory:
    """Return `memory.swap.info` from the result of `meminfo` and the text of `/proc/vmstat`.

    The counters are pages of 4 KiB given in bytes, also `pgIn` and `pgOut`, as in the original.
    """
    total = found.get("SwapTotal", 0)
    free = found.get("SwapFree", 0)
    used = max(total - free, 0)
    swap = SwapMemory(dict.fromkeys(SwapMemory.GO_NAMES.values(), 0))
    swap.update(total=total, used=used, free=free, usedPercent=used / total * 100.0 if total else 0.0)
    for line in vmstat.split("\n"):
        words = line.split()
        if len(words) > 1 and words[0] in _VMSTAT:
            swap[_VMSTAT[words[0]]] = (unsigned(words[1]) or 0) * _COUNTED_PAGE
    return swap


def swap_devices(text: str) -> list[SwapDevice] | None:
    """`memory.swap.devices` from the text of `/proc/swaps`; None for no devices and for a text of another form."""
    header, *lines = text.split("\n")
    columns = header.split()
    if columns[:1] != ["Filename"] or columns[2:4] != ["Size", "Used"]:
        return None
    devices = []
    for line in lines:
        words = line.split()
        if not words:
            continue
        total, used = (unsigned(words[2]), unsigned(words[3])) if len(words) > 3 else (None, None)
        if total is None or used is None:
            return None
        devices.append(SwapDevice(name=words[0], usedBytes=used * 1024, freeBytes=max(total - used, 0) * 1024))
    return devices or None


def memory_facts() -> Family:
    """Return the family `memory`; a part whose file cannot be read is None, as in the original."""
    text = read_text("/proc/meminfo")
    found = meminfo(text or "")
    vmstat = read_text("/proc/vmstat")
    virtual = None
    if text is not None:
        zoneinfo = None if "MemAvailable" in found else read_text("/proc/zoneinfo")
        virtual = virtual_memory(found, zoneinfo, os.sysconf("SC_PAGE_SIZE"))
    return {
        "swap": {
            "devices": swap_devices(read_text("/proc/swaps") or ""),
            "info": None if vmstat is None else swap_memory(found, vmstat),
        },
        "virtual": virtual,
    }
