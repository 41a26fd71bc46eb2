# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""States as a provider returns them."""


def state_of(cls, name, ensure, metadata=None, **fields):
    """Return a state of the class `cls` with metadata and with values for fields that the class declares."""
    state = cls(name, ensure, {"metadata": metadata} if metadata is not None else {})
    for field, value in fields.items():
        assert field in cls.__annotations__, field
        setattr(state, field, value)
    return state
