# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What generated texts are evaluated in."""

from ccm.data.environment import Environment

FACTS = {
    "cores": 8,
    "load": 0.75,
    "hostname": "web1",
    "virtual": True,
    "nothing": None,
    "host": {"info": {"os": "linux", "platformFamily": "debian"}},
    "users": [{"name": "ann", "uid": 1001}, {"name": "bob", "uid": 1002}],
}
DATA = {"port": 8080, "package": "nginx", "list": [3, 1, 2], "words": ["b", "a"], "map": {"a": 1, "b": 2}, "blank": ""}
ENVIRON = {"HOME": "/root", "EMPTY": ""}
DOCUMENT = {"facts": FACTS, "data": DATA, "environ": ENVIRON}


def environment():
    """A fresh environment over the same facts and data."""
    return Environment(FACTS, DATA, ENVIRON, "/nonexistent")
