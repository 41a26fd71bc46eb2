# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""expr.jsonl: an expression evaluated in an environment."""

from __future__ import annotations

from .values import Environments, refusing, typed, wanted

__all__ = ["prepare", "wanted"]


def prepare(world):
    environments = Environments(world)

    def answer(given):
        environment = environments.of(given)
        value = refusing(environment.evaluate, given["expr"], as_bool=given.get("as_bool", False))
        return typed(value, given.get("unordered", False))

    return answer
