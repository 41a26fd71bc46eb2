# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""URLs with schemes that cannot be read."""

from __future__ import annotations

import re

from ..resources.descriptions import description

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

RULE = "url"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def check_address(review: Review, declared: Declared) -> bool:
    """Return whether the URL of a resource has a readable scheme, or there is no URL; note an unreadable one."""
    for property, (schemes, advice) in description(declared.type.name).addresses.items():
        found = _SCHEME.match(declared.text(property))
        if found is None or found.group(1).lower() in schemes or declared.values.get("ensure") == "absent":
            continue
        review.error(
            RULE,
            f"{property} has the unsupported scheme {found.group(1)}://",
            declared.origin.value_position((property,) if property in declared.own else ()),
            resource=declared.reference,
            property=property,
            advice=advice,
        )
        return False
    return True
