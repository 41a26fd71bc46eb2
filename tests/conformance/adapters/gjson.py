# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""gjson.jsonl: the function lookup() over facts, data and environ."""

from __future__ import annotations

from .values import Environments, refusing, typed, wanted

__all__ = ["prepare", "wanted"]


def prepare(world):
    environments = Environments(world)

    def answer(given):
        return typed(refusing(environments.of(given).lookup, given["path"], given.get("default")))

    return answer
