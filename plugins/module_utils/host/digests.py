# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""SHA-256 without paying for `hashlib` where it is not worth it.

`import hashlib` takes 2.5 to 4 ms because it loads OpenSSL, whose SHA-256 is five times as fast as the one built into
Python: half a megabyte is where the import has paid for itself.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_WORTH_OPENSSL = 512 * 1024

_builtin: Callable[..., Any] | None = None


def sha256(data: bytes = b"", *, size: int = 0) -> Any:
    """A SHA-256 in progress that has taken in `data`, with the methods of hashlib's: update, digest, hexdigest.

    `size` is how many bytes are expected, as far as that is known; it only decides which implementation is used.
    """
    if size >= _WORTH_OPENSSL or len(data) >= _WORTH_OPENSSL or "hashlib" in sys.modules:
        import hashlib

        return hashlib.sha256(data)
    return (_builtin or _load())(data)


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data` in hexadecimal."""
    digest: str = sha256(data).hexdigest()
    return digest


def _load() -> Callable[..., Any]:
    global _builtin
    for name in ("_sha2", "_sha256"):  # Python 3.12 and later, earlier ones; some distributors leave both out
        try:
            _builtin = __import__(name).sha256
        except ImportError:
            continue
        break
    else:
        import hashlib

        _builtin = hashlib.sha256
    found: Callable[..., Any] = _builtin
    return found
