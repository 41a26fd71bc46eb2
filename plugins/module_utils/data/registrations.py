# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Registered entries as expressions and templates see them (behaviour.md 18)."""

from __future__ import annotations

import json

from ..lang.expr.kinds import STRING, Signature
from ..lang.go.values import StringMap
from ..lang.gotemplate.function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Iterator, Mapping, Sequence

    from ..model.values import Registration, Value


class Entries(list):
    """Entries with the original's names of fields; they have a method in all three languages."""

    GO_TYPE = "model.RegistrationEntries"

    def __init__(self, entries: Sequence[Registration]) -> None:
        super().__init__(_fields(entry) for entry in entries)
        self.entries = entries

    def prometheus(self) -> str:
        """Return a file for `file_sd_configs` of Prometheus."""
        return prometheus(self.entries)

    GO_METHODS: ClassVar[Mapping[str, Any]] = {"PrometheusFileSD": Function(lambda entries: entries.prometheus())}
    #: The same with their signatures, for expressions.
    EXPR_METHODS: ClassVar[Mapping[str, Any]] = {
        "PrometheusFileSD": (lambda entries: entries.prometheus(), Signature([], STRING))
    }


def _fields(entry: Registration) -> dict[str, Value]:
    return {
        "Cluster": entry["cluster"],
        "Service": entry["service"],
        "Protocol": entry["protocol"],
        "Address": entry["address"],
        "Port": entry["port"],
        "Priority": entry["priority"],
        "Annotations": StringMap(entry["annotations"]),
        "TTL": entry["ttl"] or "",
    }


def prometheus(entries: Sequence[Registration]) -> str:
    """Return the entries that Prometheus is to ask as a file for its file_sd_configs (behaviour.md 18)."""
    groups: dict[tuple[str, str, str], tuple[dict[str, str], list[str]]] = {}
    for entry in _scraped(entries):
        key = (entry["cluster"], entry["service"], entry["protocol"])
        if key not in groups:
            groups[key] = (_labels(entry), [])
        address = f"[{entry['address']}]" if ":" in entry["address"] else entry["address"]
        groups[key][1].append(f"{address}:{entry['port']}")
    found = [{"labels": labels, "targets": targets} for labels, targets in groups.values()]
    return json.dumps(found, indent=2, ensure_ascii=False)


def _scraped(entries: Sequence[Registration]) -> Iterator[Registration]:
    for entry in entries:
        wish = entry["annotations"].get("prometheus.io/scrape")
        is_own = "prometheus" in (entry["service"], entry["protocol"])
        if entry["port"] is not None and (wish == "true" or (is_own and wish is None)):
            yield entry


def _labels(entry: Registration) -> dict[str, str]:
    found = {name: value for name, value in entry["annotations"].items() if value and _is_label(name)}
    found.update(cluster=entry["cluster"], service=entry["service"], protocol=entry["protocol"])
    return dict(sorted(found.items()))


def _is_label(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not name.startswith("__")
