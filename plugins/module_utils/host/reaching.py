# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether something answers at an address."""

from __future__ import annotations

import socket

_KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}
_FAMILIES = {"": socket.AF_UNSPEC, "4": socket.AF_INET, "6": socket.AF_INET6}
# What Python says of addresses that there cannot be: those that do not encode, with a NUL, with a port out of bounds.
_REFUSALS = (OSError, ValueError, TypeError, OverflowError)


def is_reachable(network: str, address: str, seconds: float, local_address: str = "") -> bool:
    """Whether a connection to `HOST:PORT` can be made in time; of UDP, which has none, whether there is a way there.

    `network` is tcp or udp, with 4 or 6 behind it for one family of addresses only. `local_address` is the address to
    come from. With less than no time, and from or to what is no address, nothing can be reached.
    """
    if seconds < 0:
        return False
    kind, family = _KINDS.get(network[:3]), _FAMILIES.get(network[3:])
    host, colon, port = address.rpartition(":")
    if kind is None or family is None or not colon:
        return False
    try:
        targets = socket.getaddrinfo(host.strip("[]") or "localhost", port, family, kind)
    except _REFUSALS:
        return False
    return any(_connects(target, seconds, local_address) for target in targets)


def _connects(target: tuple, seconds: float, local_address: str) -> bool:
    family, kind, protocol, _name, place = target
    try:
        with socket.socket(family, kind, protocol) as connection:
            connection.settimeout(seconds)
            if local_address:
                connection.bind((local_address, 0))
            connection.connect(place)
    except _REFUSALS:
        return False
    return True
