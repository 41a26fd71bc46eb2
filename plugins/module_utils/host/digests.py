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
    from typing import Callable, Protocol

    class Digest(Protocol):
        """A digest in progress."""

        def update(self, data: bytes | bytearray | memoryview, /) -> None: ...

        def digest(self) -> bytes: ...

        def hexdigest(self) -> str: ...


_WORTH_OPENSSL = 512 * 1024
_BUILTIN = "_sha2" if sys.version_info >= (3, 12) else "_sha256"


def sha256(data: bytes = b"", *, size: int = 0) -> Digest:
    """Return a SHA-256 in progress that has read `data`, with the methods update and hexdigest of hashlib's.

    `size` is the expected number of bytes, if known; it only decides which implementation is used.
    """
    if size < _WORTH_OPENSSL and len(data) < _WORTH_OPENSSL and "hashlib" not in sys.modules:
        return short_sha256(data)
    import hashlib

    return hashlib.sha256(data)


def _built_in() -> Callable[[bytes], Digest]:
    try:
        found: Callable[[bytes], Digest] = __import__(_BUILTIN).sha256
        return found
    except ImportError:  # some distributors omit it
        import hashlib

        return hashlib.sha256


#: Makes the SHA-256 of short data, without the choice that `sha256` makes.
short_sha256 = _built_in()


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return sha256(data).hexdigest()
