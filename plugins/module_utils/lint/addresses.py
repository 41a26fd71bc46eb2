# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""URLs with schemes that nothing can read."""

from __future__ import annotations

import re

from ..resources.archive.type import TYPE as ARCHIVE
from ..resources.file.type import ABSENT
from ..resources.file.type import TYPE as FILE
from ..resources.scaffold.type import TYPE as SCAFFOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

RULE = "url"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")
# By type the property that may be a URL, the schemes that it may have, and what to do about others.
_PROPERTIES = {
    ARCHIVE: ("url", ("http", "https"), "archives come from http:// and https:// addresses"),
    FILE: ("source", (), "a source is a file beside the manifest: an archive or an exec can download it before"),
    SCAFFOLD: ("source", (), "a source is a directory beside the manifest: an archive can download it before"),
}


def check_address(review: Review, declared: Declared) -> bool:
    """Whether the URL of a resource has a scheme that can be read, or there is none; notes one that has not."""
    property, schemes, advice = _PROPERTIES.get(declared.type, ("", (), ""))
    found = _SCHEME.match(declared.text(property))
    if found is None or found.group(1).lower() in schemes or declared.values.get("ensure") == ABSENT:
        return True
    review.error(
        RULE,
        f"{property} has the unsupported scheme {found.group(1)}://",
        declared.origin.value_position((property,) if property in declared.own else ()),
        resource=declared.reference,
        property=property,
        advice=advice,
    )
    return False
