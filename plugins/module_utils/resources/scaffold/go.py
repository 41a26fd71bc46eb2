# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Go's template language with Sprig as a language of scaffolds."""

from __future__ import annotations

from ...data.gotemplates import GoTemplates, template_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.environment import ExpressionEnvironment
    from ...model.values import Value
    from .engines import TreeFunctions


class GoEngine:
    """Templates whose dot holds facts, data and environ."""

    def __init__(self, environment: ExpressionEnvironment, left: str, right: str, functions: TreeFunctions) -> None:
        further = {
            "write": template_function(functions["write"], "string", "string"),
            "render": template_function(functions["render"], "string", "any"),
        }
        self._templates = GoTemplates(environment, further, left, right)

    def render(self, text: str, name: str, data: Value = None) -> str:
        """Return the result of a template."""
        return self._templates.render(text, name, data)
