# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Private directories below the system's temporary directory."""

from __future__ import annotations

import os

from .errors import SystemCallError


def temporary_root() -> str:
    """Return the directory for temporary files: TMPDIR, else /tmp."""
    return os.environ.get("TMPDIR") or "/tmp"


def make_temporary_directory(prefix: str) -> str:
    """Return a new directory, private to this user, named `prefix` and digits. Raises SystemCallError."""
    while True:
        path = os.path.join(temporary_root(), prefix + str(int.from_bytes(os.urandom(5), "big")))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise SystemCallError("mkdir", path, error) from None
        return path
