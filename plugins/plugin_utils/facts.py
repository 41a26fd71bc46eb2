# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Facts that a play passes to expressions on the controller. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.ansible_tasks.result import plain
from ..module_utils.host.facts import fields

#: The maps with the names of Go's fields too, by their places; `[]` is any entry of a list.
_FIELD_NAMED = {
    ("cpu", "info", "[]"): fields.Processor,
    ("host", "info"): fields.HostInfo,
    ("memory", "swap", "devices", "[]"): fields.SwapDevice,
    ("memory", "swap", "info"): fields.SwapMemory,
    ("memory", "virtual"): fields.VirtualMemory,
    ("network", "interfaces", "[]"): fields.Interface,
    ("network", "interfaces", "[]", "addrs", "[]"): fields.InterfaceAddress,
    ("partition", "partitions", "[]"): fields.Partition,
    ("partition", "usage", "[]"): fields.Usage,
}


def manifest_facts(facts):
    """Return the facts as manifests see them: facts of the system have the names of the original's fields too."""
    return _named(plain(facts or {}), ())


def _named(value, place):
    if isinstance(value, dict):
        return _FIELD_NAMED.get(place, dict)({name: _named(entry, (*place, name)) for name, entry in value.items()})
    return [_named(entry, (*place, "[]")) for entry in value] if isinstance(value, list) else value
