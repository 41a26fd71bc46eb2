# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The texts of files that differences show before and after a change, in the form of Ansible's diffs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import Difference

#: Content with more bytes than this is not shown.
LARGEST_SHOWN = 100_000


def texts_of(before: bytes, after: bytes) -> Difference:
    """Return the texts of both sides, or the reason why one of them is not shown.

    Of a content at least one byte more than is shown is needed.
    """
    shown: Difference = {}
    for side, flag, content in (("before", "dst", before), ("after", "src", after)):
        if len(content) > LARGEST_SHOWN:
            return {f"{flag}_larger": LARGEST_SHOWN}
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return {f"{flag}_binary": 1}
        if "\0" in text:
            return {f"{flag}_binary": 1}
        shown[side] = text
    return shown
