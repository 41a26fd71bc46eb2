# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks a manifest in a play for text without quotes, which Ansible reads as numbers."""

from __future__ import annotations

from ..model.decode import named_properties
from ..resources.types import resource_type
from .quoting import check_text
from .written import NotQuoted, written_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.resource import ResourceType
    from .ansible_module import Options


def mend_inline_manifest(manifest: Options) -> None:
    """Write modes back in octal, in place. Raises NotQuoted for text that became a boolean or a fraction."""
    for type, name, properties in _declared(manifest):
        for key, value in properties.items():
            prop = named_properties(type).get(key)
            if prop is None or value is None:
                continue
            try:
                if prop.kind == "mode":
                    properties[key] = written_mode(value, prop.name)
                elif prop.kind == "string":
                    check_text(key, value)
            except NotQuoted as error:
                raise NotQuoted(f"{type.name}#{name}: {error}") from None


def _declared(manifest: Options) -> Iterator[tuple[ResourceType, str, Options]]:
    """Yield type, name and properties of all declarations; what has another shape is ignored here."""
    ccm = manifest.get("ccm")
    entries = ccm.get("resources") if isinstance(ccm, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        for type_name, value in entry.items() if isinstance(entry, dict) else ():
            type = resource_type(type_name)
            if type is None:
                continue
            if isinstance(value, dict):
                yield type, str(value.get("name", "")), value
            for item in value if isinstance(value, list) else ():
                for name, properties in item.items() if isinstance(item, dict) else ():
                    if isinstance(properties, dict):
                        yield type, str(name), properties
