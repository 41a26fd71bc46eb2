# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""shellwords.jsonl: a command split into words."""

from __future__ import annotations

from ccm.lang import shellwords

from ..compare import Refused


def prepare(world):
    def answer(given):
        try:
            return shellwords.split(given["command"])
        except shellwords.ShellWordsError as err:
            raise Refused(err) from err

    return answer
