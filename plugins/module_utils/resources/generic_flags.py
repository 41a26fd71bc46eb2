# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of types of other packages, made from their declarations."""

from __future__ import annotations

from ..model.flags import Argument
from ..model.type_flags import TypeFlags, ensure_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyType
    from ..model.flags import Values
    from ..model.values import Data


class GenericFlags(TypeFlags):
    """Name and `ensure` as arguments, and a flag for each property that a flag can give."""

    def __init__(self, type: AnyType) -> None:
        super().__init__(type)
        self.arguments = (
            Argument("name", f"Name of the {type.name}", required=True),
            ensure_argument(type),
        )
        self.flags = self.own_flags

    def properties(self, values: Values) -> Data:
        """Return the given properties."""
        return {"name": values.name, "ensure": values.ensure, **self.own_properties(values)}
