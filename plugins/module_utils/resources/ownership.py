# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The owner of a managed path, from the command line."""

from __future__ import annotations

import os

from ..host.owners import group_name, user_name


def owners_given(given: str) -> tuple[str, str]:
    """Return the user and the group of `user:group`; the user who runs ccm for a missing one."""
    user, _colon, group = given.partition(":")
    return user or user_name(os.geteuid()), group or group_name(os.getegid())
