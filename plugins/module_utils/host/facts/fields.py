# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The maps of system facts: JSON names inside, Go field names on request."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Dict, Mapping, Sequence, TypeVar, Union

    #: The kinds of a fact: of this machine, and of YAML and JSON.
    FactValue = Union[None, bool, int, float, str, bytes, Sequence["FactValue"], Mapping[str, "FactValue"]]
    #: A family of facts.
    Family = Dict[str, FactValue]
    Default = TypeVar("Default")

_IRREGULAR = {
    "coreId": "CoreID",
    "cpu": "CPU",
    "hostId": "HostID",
    "mtu": "MTU",
    "os": "OS",
    "physicalId": "PhysicalID",
    "vendorId": "VendorID",
}


def go_names(*json_names: str) -> dict[str, str]:
    """Return the JSON names by Go's names of fields."""
    return {_IRREGULAR.get(name) or name[0].upper() + name[1:]: name for name in json_names}


class FieldNamed(dict):
    """A map under JSON names whose values have the Go field names too (decisions.md Q30).

    `info["PlatformFamily"]`, `info.get("OS")` and `"OS" in info` work; iteration, length, comparison and JSON know the
    JSON names only. A key really in the map wins over a field name. A missing key is a KeyError. `GO_NAMES` maps each
    Go field name of the struct to its JSON name, in the struct's order.
    """

    GO_NAMES: ClassVar[dict[str, str]] = {}
    __slots__ = ()

    def __missing__(self, key: str) -> FactValue:
        if key in self.GO_NAMES:
            name = self.GO_NAMES[key]
            if dict.__contains__(self, name):
                return dict.__getitem__(self, name)
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        if dict.__contains__(self, key):
            return True
        return isinstance(key, str) and dict.__contains__(self, self.GO_NAMES.get(key))

    def get(self, key: str, default: Default | None = None) -> FactValue | Default:
        """Return the value under a JSON name or a Go field name, else `default`."""
        if key in self:
            return self[key]
        return default

    def copy(self) -> FieldNamed:
        """Return a shallow copy that keeps the field names."""
        return type(self)(self)


class HostInfo(FieldNamed):
    """`host.info`."""

    __slots__ = ()
    GO_NAMES = go_names(
        "hostname", "uptime", "bootTime", "procs", "os", "platform", "platformFamily", "platformVersion",
        "kernelVersion", "kernelArch", "virtualizationSystem", "virtualizationRole", "hostId",
    )  # fmt: skip


class Interface(FieldNamed):
    """An entry of `network.interfaces`."""

    __slots__ = ()
    GO_NAMES = go_names("index", "mtu", "name", "hardwareAddr", "flags", "addrs")


class InterfaceAddress(FieldNamed):
    """An entry of `addrs` in an interface."""

    __slots__ = ()
    GO_NAMES = go_names("addr")


class Partition(FieldNamed):
    """An entry of `partition.partitions`."""

    __slots__ = ()
    GO_NAMES = go_names("device", "mountpoint", "fstype", "opts")


class Usage(FieldNamed):
    """An entry of `partition.usage`."""

    __slots__ = ()
    GO_NAMES = go_names(
        "path", "fstype", "total", "free", "used", "usedPercent",
        "inodesTotal", "inodesUsed", "inodesFree", "inodesUsedPercent",
    )  # fmt: skip


class Processor(FieldNamed):
    """An entry of `cpu.info`."""

    __slots__ = ()
    GO_NAMES = go_names(
        "cpu", "vendorId", "family", "model", "stepping", "physicalId", "coreId", "cores", "modelName", "mhz",
        "cacheSize", "flags", "microcode",
    )  # fmt: skip


class VirtualMemory(FieldNamed):
    """`memory.virtual`."""

    __slots__ = ()
    GO_NAMES = go_names(
        "total", "available", "used", "usedPercent", "free", "active", "inactive", "wired", "laundry", "buffers",
        "cached", "writeBack", "dirty", "writeBackTmp", "shared", "slab", "sreclaimable", "sunreclaim", "pageTables",
        "swapCached", "commitLimit", "committedAS", "highTotal", "highFree", "lowTotal", "lowFree", "swapTotal",
        "swapFree", "mapped", "vmallocTotal", "vmallocUsed", "vmallocChunk", "hugePagesTotal", "hugePagesFree",
        "hugePagesRsvd", "hugePagesSurp", "hugePageSize", "anonHugePages",
    )  # fmt: skip


class SwapMemory(FieldNamed):
    """`memory.swap.info`."""

    __slots__ = ()
    GO_NAMES = go_names("total", "used", "free", "usedPercent", "sin", "sout", "pgIn", "pgOut", "pgFault", "pgMajFault")


class SwapDevice(FieldNamed):
    """An entry of `memory.swap.devices`."""

    __slots__ = ()
    GO_NAMES = go_names("name", "usedBytes", "freeBytes")


def without_field_names(value: FactValue) -> FactValue:
    """Return the same facts as plain dicts and lists, where only the JSON names are known. Scalars are shared."""
    if isinstance(value, dict):
        return {key: without_field_names(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_field_names(item) if isinstance(item, (dict, list)) else item for item in value]
    return value
