# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Extended attributes in tests: their names and values, the attributes of a file, and whether they can be set here."""

from __future__ import annotations

import errno
import os
import struct
import tempfile

ACL = "system.posix_acl_access"
DEFAULT_ACL = "system.posix_acl_default"
LABEL = "security.selinux"
CAPABILITY = "security.capability"
# cap_net_raw, permitted.
CAPABILITIES = struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0)
LABELS = (b"system_u:object_r:shadow_t:s0\0", b"system_u:object_r:tmp_t:s0\0")
OWNER, USER, OWNING_GROUP, MASK, OTHER = 0x01, 0x02, 0x04, 0x10, 0x20


def acl(*, user=6, mask=7, other=0):
    """An access control list with an entry for user 4242."""
    no_id = 0xFFFFFFFF
    entries = [
        (OWNER, 7, no_id),
        (USER, user, 4242),
        (OWNING_GROUP, 4, no_id),
        (MASK, mask, no_id),
        (OTHER, other, no_id),
    ]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def permissions(value):
    """The permissions of a list by tag."""
    return {tag: bits for tag, bits, _owner in struct.iter_unpack("<HHI", value[4:])}


def attributes(path):
    """The extended attributes of a file, without its label: where SELinux is on, each file has one."""
    return {name: os.getxattr(path, name) for name in os.listxattr(path) if name != LABEL}


def refusing(code, *refused):
    """A function in the place of os.setxattr that fails with an error code, for these attributes or for all."""
    real = os.setxattr

    def setxattr(file, name, *arguments):
        if not refused or name in refused:
            raise OSError(code, os.strerror(code))
        real(file, name, *arguments)

    return setxattr


#: What a test may need: each attribute with a value that is set on a temporary file to find out.
_PROBES = {
    "acl": (ACL, acl()),
    "capabilities": (CAPABILITY, CAPABILITIES),
    "label": (LABEL, LABELS[0]),
    "trusted_attributes": ("trusted.k", b"v"),
    "user_attributes": ("user.k", b"v"),
}
NEEDS = tuple(_PROBES)


def missing(need):
    """Return why the attribute cannot be set on temporary files here, else None."""
    name, value = _PROBES[need]
    with tempfile.NamedTemporaryFile() as probe:
        try:
            os.setxattr(probe.name, name, value)
        except OSError as error:
            reason = errno.errorcode.get(error.errno or 0, str(error))
            return f"the attribute {name} cannot be set on temporary files: {reason}"
    return None
