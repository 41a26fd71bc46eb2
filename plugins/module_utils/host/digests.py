# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""SHA-256 without `hashlib` when its import takes longer than it saves.

`import hashlib` takes 2.5 to 4 ms because it loads OpenSSL, whose SHA-256 is five times as fast as the one built into
Python: from half a megabyte on the import saves time.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Digest(Protocol):
        """A digest in progress."""

        def update(self, data: bytes | bytearray | memoryview, /) -> None: ...

        def hexdigest(self) -> str: ...


_WORTH_OPENSSL = 512 * 1024
_BUILTIN = "_sha2" if sys.version_info >= (3, 12) else "_sha256"


def sha256(data: bytes = b"", *, size: int = 0) -> Digest:
    """Return a SHA-256 in progress that has read `data`, with the methods update and hexdigest of hashlib's.

    `size` is the expected number of bytes, if known; it only decides which implementation is used.
    """
    if size < _WORTH_OPENSSL and len(data) < _WORTH_OPENSSL and "hashlib" not in sys.modules:
        try:
            found: Digest = __import__(_BUILTIN).sha256(data)
            return found
        except ImportError:  # some distributors omit it
            pass
    import hashlib

    return hashlib.sha256(data)


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return sha256(data).hexdigest()
