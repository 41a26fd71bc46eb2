# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""gotmpl.jsonl: a Go template rendered as a scaffold would, or a tree of them."""

from __future__ import annotations

from ccm.data.gotemplates import GoTemplates, template_function

from ..compare import Refused, text
from . import scaffolds
from .values import Environments, refusing


def nowhere(*given):
    """A replacement for write() and render(), which only scaffolds have."""
    return ""


FUNCTIONS = {
    "write": template_function(nowhere, "string", "string"),
    "render": template_function(nowhere, "string", "any"),
}


def render(given, environment):
    """A text under the name that the recordings have."""
    left, right = given.get("left_delimiter", ""), given.get("right_delimiter", "")
    if bool(left) != bool(right):
        raise Refused("both left_delimiter and right_delimiter must be set")
    templates = GoTemplates(environment, FUNCTIONS, left, right)
    rendered = refusing(templates.render, given["template"], "string")
    if given.get("skip_empty") and not rendered.strip():
        raise Refused("skipped rendering")
    return text(rendered)


def prepare(world):
    environments = Environments(world)

    def answer(given):
        if given.get("mode") == "tree":
            return scaffolds.tree(given, environments.of(given), "go", world)
        return render(given, environments.of(given))

    return answer
