# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""template.jsonl: texts with expressions in them, and the properties of resources made of such texts."""

from __future__ import annotations

from ccm.data import templates
from ccm.lang import templatescan

from . import resources
from .values import Environments, refusing, typed, wanted

__all__ = ["prepare", "wanted"]


def prepare(world):
    environments = Environments(world)

    def answer(given):
        mode, environment = given["mode"], environments.of(given)
        if mode == "has":
            return templatescan.has_expression(given["template"])
        if mode == "string":
            return typed(refusing(templates.resolve_string, given["template"], environment))
        if mode == "typed":
            return typed(refusing(templates.resolve_typed, given["template"], environment))
        if mode == "match":
            value, matched = refusing(templates.resolve_match, given["template"], environment)
            return {"value": value, "matched": matched}
        if mode == "values":
            return typed(refusing(templates.expand_values, given["value"], environment))
        if mode == "resource":
            return refusing(resources.resolved, given, environment)
        raise ValueError(f"no such mode: {mode}")

    return answer
