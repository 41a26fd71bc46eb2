# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The languages of templates behind one interface, each imported when a scaffold uses it."""

from __future__ import annotations

from .type import GO, JINJA2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, Protocol

    from ...model.environment import ExpressionEnvironment
    from ...model.values import Value

    class Engine(Protocol):
        """One language in one environment."""

        def render(self, text: str, name: str, data: Value = None) -> str:
            """Return the result of a template that messages call `name`.

            It sees `data`; without it the facts, the data and the environment variables by their names. Raises
            TemplateError.
            """

    #: The functions of scaffolds, `write` and `render`; they raise CCMError and HostError.
    TreeFunctions = Dict[str, Callable[..., Value]]
    EngineMaker = Callable[[TreeFunctions], Engine]


def engine_maker(language: str, environment: ExpressionEnvironment, left: str, right: str) -> EngineMaker:
    """Return the factory of the engine of a language, with `environment`, delimiters and given functions."""

    def make(functions: TreeFunctions) -> Engine:
        if language == JINJA2:
            from .jinja import JinjaEngine

            return JinjaEngine(environment, left, right, functions)
        if language == GO:
            from .go import GoEngine

            return GoEngine(environment, left, right, functions)
        from .jet import JetEngine

        return JetEngine(environment, left, right, functions)

    return make
