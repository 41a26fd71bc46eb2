# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A directory from the controller, unpacked on the node for the time of the task."""

from __future__ import annotations

import io
from binascii import a2b_base64

from ..host.scratch import make_temporary_directory
from ..host.trees import remove_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def unpacked_tree(inside: str | None, staged: str | None, prefix: str = "ccm-apply-") -> str:
    """Return a new private directory with the tree from the arguments (as base64) or from a file.

    Without either it is empty; its name begins with `prefix`. Raises HostError.
    """
    directory = make_temporary_directory(prefix)
    try:
        if staged:
            with open(staged, "rb") as stream:
                _unpack(stream, directory)
        elif inside:
            _unpack(io.BytesIO(a2b_base64(inside)), directory)
    except BaseException:
        remove_tree(directory)
        raise
    return directory


def _unpack(stream: BinaryIO, directory: str) -> None:
    from ..host.tarballs import unpack

    unpack(stream, directory)
