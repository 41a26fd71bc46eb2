# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The families of facts whose names are all known, with the names that the original has for them (decisions.md Q30)."""

from __future__ import annotations

from ..host.facts import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Tuple

    # Keys from the facts on; None is an index.
    Keys = Tuple["str | None", ...]

#: Any index of a list.
ANY = None


def gathered() -> Mapping[Keys, Mapping[str, str]]:
    """Return the families of facts whose names are all known: each name in the original with ours."""
    return {
        ("host", "info"): fields.HostInfo.GO_NAMES,
        ("cpu", "info", ANY): fields.Processor.GO_NAMES,
        ("memory", "virtual"): fields.VirtualMemory.GO_NAMES,
        ("memory", "swap", "info"): fields.SwapMemory.GO_NAMES,
        ("memory", "swap", "devices", ANY): fields.SwapDevice.GO_NAMES,
        ("network", "interfaces", ANY): fields.Interface.GO_NAMES,
        ("network", "interfaces", ANY, "addrs", ANY): fields.InterfaceAddress.GO_NAMES,
        ("partition", "partitions", ANY): fields.Partition.GO_NAMES,
        ("partition", "usage", ANY): fields.Usage.GO_NAMES,
    }


def written(root: str, keys: Keys) -> str:
    """Return keys as they are written below `root`, with `[]` for an index."""
    return root + "".join("[]" if key is ANY else f".{key}" for key in keys)


def name_in_original(keys: Keys, name: str) -> str:
    """Return the name in the original of what we call `name` below `keys`; "" where it has that name, or none."""
    known = gathered().get(keys, {})
    return "" if name in known else next((key for key, our in known.items() if our == name), "")


def about_name(where: str, name: str, original: str) -> str:
    """Return the sentence about a name of ours that is `original` there."""
    return f"{where}.{name} is {where}.{original} to the original, which does not know this name"
