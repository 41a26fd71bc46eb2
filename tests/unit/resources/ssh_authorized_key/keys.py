# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of each type, made of numbers: they have the right fields, and no private part."""

from __future__ import annotations

import base64
import struct

FIELDS = {
    "ssh-rsa": (b"\1\0\1", b"\0" + b"\xab" * 256),
    "ssh-ed25519": (b"\xcd" * 32,),
    "ecdsa-sha2-nistp256": (b"nistp256", b"\4" + b"\xef" * 64),
    "ecdsa-sha2-nistp384": (b"nistp384", b"\4" + b"\xef" * 96),
    "ecdsa-sha2-nistp521": (b"nistp521", b"\4" + b"\xef" * 132),
    "sk-ssh-ed25519@openssh.com": (b"\xcd" * 32, b"ssh:"),
    "sk-ecdsa-sha2-nistp256@openssh.com": (b"nistp256", b"\4" + b"\xef" * 64, b"ssh:"),
    "ssh-dss": (b"\1" * 128, b"\2" * 20, b"\3" * 128, b"\4" * 128),
}


def made(type, *fields):
    """Return a key in base64 with these fields."""
    parts = [type.encode(), *fields]
    return base64.b64encode(b"".join(struct.pack(">I", len(part)) + part for part in parts)).decode()


def key(number=0):
    """Return an ed25519 key, another one for each number."""
    return made("ssh-ed25519", number.to_bytes(32, "big"))


KEYS = {type: made(type, *fields) for type, fields in FIELDS.items()}
