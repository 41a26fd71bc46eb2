# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of resources that are resolved just before the resource is managed (behaviour.md 3)."""

from __future__ import annotations

from ..model.environment import require_environment
from ..model.errors import CCMError
from .around import Around
from .templating import resolve_late, resolve_outputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Resource
    from ..model.values import Data
    from .around import GoResolve
    from .context import Context


class LateExpressions(Around):
    """Resolves the late expressions of resources; with `strict` patterns of texts in lists are checked."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict

    def resolve(self, resource: Resource, context: Context, go: GoResolve) -> Resource:
        """Return the resource with its late expressions resolved. Raises as `resolve_late` does."""
        if context.environment is None:
            return go(resource, context)
        try:
            return resolve_late(resource, context.environment, strict=self._strict)
        except CCMError as error:
            raise resource.placed(error) from None

    def outputs(self, declared: Data, context: Context) -> tuple[Data | None, bool]:
        """Return what a manifest passes on, and whether that is sensitive. Raises CCMError."""
        try:
            return resolve_outputs(declared, require_environment(context.environment)), False
        except CCMError as error:
            error.property = error.property or "outputs"
            raise
