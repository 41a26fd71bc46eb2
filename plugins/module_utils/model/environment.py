# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract of the environment of expressions, which `data/environment.py` fulfils.

Modules without expressions import only the contract, and do not ship its implementation.
"""

from __future__ import annotations

from .errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Protocol, Sequence

    from .values import Data, Registration, Value

    class NatsValues(Protocol):
        """What expressions use of NATS."""

        def key_value(self, bucket: str, key: str) -> bytes: ...

        def registrations(self, terms: Sequence[str]) -> list[Registration]: ...

    class ExpressionEnvironment(Protocol):
        """The facts, data and environment variables of a run, and what expressions may do with them."""

        directory: str
        tree: str
        only_lookup: bool
        default_on_missing: bool
        nats: Callable[[], NatsValues] | None
        before_waiting: Callable[[], None]
        sent: Callable[..., Value]

        @property
        def facts(self) -> Mapping[str, Value] | None: ...

        @property
        def data(self) -> Mapping[str, Value] | None: ...

        @property
        def environ(self) -> Mapping[str, str] | None: ...

        def variables(self) -> Data: ...

        def fresh(self) -> ExpressionEnvironment: ...

        def with_data(self, data: Mapping[str, Value] | None) -> ExpressionEnvironment: ...

        def evaluate(self, expression: str, as_bool: bool = False) -> Value: ...

        def lookup(self, path: str, default: Value = None) -> Value: ...


def require_environment(environment: ExpressionEnvironment | None) -> ExpressionEnvironment:
    """Return the environment. Raises ResourceFailed where a front end has none."""
    if environment is None:
        raise ResourceFailed("expressions are not supported here")
    return environment
