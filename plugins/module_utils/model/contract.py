# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The type parameters of types and providers: the properties and the states of a type.

`typing` takes longer to import than a module takes to do its work, so that at run time `Contract[P, S]` is a plain
class.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar
    from typing import Generic as Contract

    from .provider import Provider
    from .resource import Properties, ResourceType
    from .state import State

    P = TypeVar("P", bound=Properties)
    S = TypeVar("S", bound=State)
    #: Any type, and any provider.
    AnyType = ResourceType[Any, Any]
    AnyProvider = Provider[Any, Any]
else:
    P, S = "P", "S"

    class Contract:
        def __class_getitem__(cls, _parameters):
            return cls


__all__ = ["Contract", "P", "S"]
