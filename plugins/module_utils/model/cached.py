# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties that are computed once; `functools`, which has them too, takes longer to import than it saves."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:
        """Computes a property at its first use, and is an attribute of the object from then on."""

        def __init__(self, function):
            self._function = function
            self.__doc__ = function.__doc__

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            found = instance.__dict__[self._function.__name__] = self._function(instance)
            return found


__all__ = ["cached_property"]
