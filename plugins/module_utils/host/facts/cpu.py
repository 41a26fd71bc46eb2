# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Processor facts: `cpu.info`, one entry for each hardware thread (behaviour.md 12.1)."""

from __future__ import annotations

from .fields import Processor
from .read import first_line, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .fields import Family

_ARM_MAKERS = {
    0x41: "ARM", 0x42: "Broadcom", 0x43: "Cavium", 0x44: "DEC", 0x46: "Fujitsu", 0x48: "HiSilicon", 0x49: "Infineon",
    0x4D: "Motorola/Freescale", 0x4E: "NVIDIA", 0x50: "APM", 0x51: "Qualcomm", 0x56: "Marvell", 0x61: "Apple",
    0x69: "Intel", 0xC0: "Ampere",
}  # fmt: skip
_RISCV_MAKERS = {0x029: "Microchip", 0x127: "MIPS", 0x31E: "Andes", 0x489: "SiFive", 0x5B7: "T-Head"}
_ARM_PARTS = {
    0x810: "ARM810", 0x920: "ARM920", 0x922: "ARM922", 0x926: "ARM926", 0x940: "ARM940", 0x946: "ARM946",
    0x966: "ARM966", 0xA20: "ARM1020", 0xA22: "ARM1022", 0xA26: "ARM1026", 0xB02: "ARM11 MPCore", 0xB36: "ARM1136",
    0xB56: "ARM1156", 0xB76: "ARM1176", 0xC05: "Cortex-A5", 0xC07: "Cortex-A7", 0xC08: "Cortex-A8",
    0xC09: "Cortex-A9", 0xC0D: "Cortex-A17", 0xC0E: "Cortex-A17", 0xC0F: "Cortex-A15", 0xC14: "Cortex-R4",
    0xC15: "Cortex-R5", 0xC17: "Cortex-R7", 0xC18: "Cortex-R8", 0xC20: "Cortex-M0", 0xC21: "Cortex-M1",
    0xC23: "Cortex-M3", 0xC24: "Cortex-M4", 0xC27: "Cortex-M7", 0xC60: "Cortex-M0+", 0xD01: "Cortex-A32",
    0xD02: "Cortex-A34", 0xD03: "Cortex-A53", 0xD04: "Cortex-A35", 0xD05: "Cortex-A55", 0xD06: "Cortex-A65",
    0xD07: "Cortex-A57", 0xD08: "Cortex-A72", 0xD09: "Cortex-A73", 0xD0A: "Cortex-A75", 0xD0B: "Cortex-A76",
    0xD0C: "Neoverse-N1", 0xD0D: "Cortex-A77", 0xD0E: "Cortex-A76AE", 0xD13: "Cortex-R52", 0xD20: "Cortex-M23",
    0xD21: "Cortex-M33", 0xD40: "Neoverse-V1", 0xD41: "Cortex-A78", 0xD42: "Cortex-A78AE", 0xD43: "Cortex-A65AE",
    0xD44: "Cortex-X1", 0xD46: "Cortex-A510", 0xD47: "Cortex-A710", 0xD48: "Cortex-X2", 0xD49: "Neoverse-N2",
    0xD4A: "Neoverse-E1", 0xD4B: "Cortex-A78C", 0xD4C: "Cortex-X1C", 0xD4D: "Cortex-A715", 0xD4E: "Cortex-X3",
    0xD4F: "Neoverse-V2", 0xD81: "Cortex-A720", 0xD82: "Cortex-X4", 0xD84: "Neoverse-V3", 0xD85: "Cortex-X925",
    0xD87: "Cortex-A725", 0xD8E: "Neoverse-N3",
}  # fmt: skip


def parse_cpuinfo(text: str) -> list[Processor]:
    """Return the processors in the text of `/proc/cpuinfo` of any architecture.

    `mhz` is a float in MHz, `cacheSize` in KiB, `flags` a list of str or None where the kernel names none; ids are str;
    a value that the kernel does not report is "" or 0, `cores` always 1. A number of another form ends the list before
    its processor, as in the original.
    """
    processors: list[Processor] = []
    name = ""
    current = _blank(-1, name)
    try:
        for line in text.split("\n"):
            key, colon, value = line.partition(":")
            key, value = key.strip(), value.strip()
            if not colon:
                continue
            if key == "Processor":
                name = value
            elif key in ("processor", "cpu number"):
                if current["cpu"] >= 0:
                    processors.append(current)
                current = _blank(int(value), name)
            elif key in ("vendorId", "vendor_id") and "S390" in value:
                current["vendorId"] = value
                name = "S390"
            elif key in _SETTERS:
                _SETTERS[key](current, key, value)
    except ValueError:
        return processors
    if current["cpu"] >= 0:
        processors.append(current)
    return processors


def _blank(number: int, name: str) -> Processor:
    return Processor(
        cpu=number, vendorId="", family="", model="", stepping=0, physicalId="", coreId="", cores=1, modelName=name,
        mhz=0.0, cacheSize=0, flags=None, microcode="",
    )  # fmt: skip


def _text(field: str) -> Callable[[Processor, str, str], None]:
    def put(processor: Processor, key: str, value: str) -> None:
        processor[field] = value

    return put


def _hexadecimal(value: str) -> int:
    try:
        return int(value, 16) if value[:2] in ("0x", "0X") else int(value)
    except ValueError:
        return -1


def _arm_maker(processor: Processor, key: str, value: str) -> None:
    maker = _ARM_MAKERS.get(_hexadecimal(value))
    if maker is not None:
        processor["vendorId"] = maker


def _riscv_maker(processor: Processor, key: str, value: str) -> None:
    maker = _RISCV_MAKERS.get(_hexadecimal(value)) if value.startswith("0x") else None
    if maker is not None:
        processor["vendorId"] = maker


def _model(processor: Processor, key: str, value: str) -> None:
    processor["model"] = value
    if processor["vendorId"] == "ARM":
        part = _hexadecimal(value)
        if 0 <= part < 1 << 16:
            processor["modelName"] = _ARM_PARTS.get(part, "Undefined")


def _model_name(processor: Processor, key: str, value: str) -> None:
    processor["modelName"] = value
    if "POWER" in value:
        processor.update(model=value.split(" ")[0], family="POWER", vendorId="IBM")


def _stepping(processor: Processor, key: str, value: str) -> None:
    if key == "revision":
        value = value.split(".")[0]
    if value.lower() != "unknown":
        processor["stepping"] = int(value)


def _clock(processor: Processor, key: str, value: str) -> None:
    mhz = _number(value.replace("MHz", "", 1))
    if mhz is not None:
        processor["mhz"] = mhz


def _cache_size(processor: Processor, key: str, value: str) -> None:
    processor["cacheSize"] = int(value.replace(" KB", "", 1))


def _flags(processor: Processor, key: str, value: str) -> None:
    processor["flags"] = value.replace(",", " ").split()


def _riscv_extensions(processor: Processor, key: str, value: str) -> None:
    """Return the single letters after `rv64i`, then the extensions with long names."""
    if processor["flags"] or not value.startswith("rv64"):
        return
    base, *extensions = value.split("_")
    processor["flags"] = [*base[4:], *extensions] if len(base) > 4 else None


def _number(text: str) -> float | None:
    try:
        return float(text) if text[:1].isdigit() else None
    except ValueError:
        return None


_SETTERS: dict[str, Callable[[Processor, str, str], None]] = {
    "vendorId": _text("vendorId"), "vendor_id": _text("vendorId"), "mvendorid": _riscv_maker,
    "CPU implementer": _arm_maker, "cpu family": _text("family"), "marchid": _text("family"), "model": _model,
    "CPU part": _model, "mimpid": _model, "Model Name": _model_name, "model name": _model_name, "cpu": _model_name,
    "uarch": _model_name, "stepping": _stepping, "revision": _stepping, "CPU revision": _stepping,
    "cpu MHz": _clock, "clock": _clock, "cpu MHz dynamic": _clock, "cache size": _cache_size,
    "physical id": _text("physicalId"), "hart": _text("physicalId"), "core id": _text("coreId"), "flags": _flags,
    "Features": _flags, "isa": _riscv_extensions, "hart isa": _riscv_extensions, "microcode": _text("microcode"),
}  # fmt: skip


def finish(processor: Processor, core_id: str | None, max_frequency: str | None) -> None:
    """Complete a processor from its `topology/core_id` and `cpufreq/cpuinfo_max_freq` (texts, None where missing).

    The highest frequency, reported in kHz, replaces the momentary one of cpuinfo.
    """
    if processor["coreId"] == "":
        processor["coreId"] = first_line(core_id)
    frequency = _number(first_line(max_frequency))
    if frequency is not None:
        mhz = frequency / 1000.0
        processor["mhz"] = mhz if mhz <= 9999 else mhz / 1000.0


def cpu_facts() -> Family:
    """Return the family `cpu`; `info` is None when `/proc/cpuinfo` has no processor."""
    processors = parse_cpuinfo(read_text("/proc/cpuinfo") or "")
    for processor in processors:
        folder = f"/sys/devices/system/cpu/cpu{processor['cpu']}/"
        core_id = None if processor["coreId"] else read_text(folder + "topology/core_id")
        finish(processor, core_id, read_text(folder + "cpufreq/cpuinfo_max_freq"))
    return {"info": processors or None}
