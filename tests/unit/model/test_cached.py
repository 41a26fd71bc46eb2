# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that are computed once for each object."""

from __future__ import annotations

import pytest
from ccm.model.cached import cached_property


class Counting:
    """Counts how often its property is computed."""

    computed = 0

    @cached_property
    def size(self):
        """The size, after so many computations."""
        self.computed += 1
        return self.computed


def test_each_object_computes_it_once():
    first, second = Counting(), Counting()
    assert [first.size, first.size, second.size] == [1, 1, 1]
    assert (first.computed, second.computed) == (1, 1)


def test_it_is_computed_again_when_the_attribute_is_gone_and_may_be_replaced():
    found = Counting()
    assert found.size == 1
    del found.size
    assert found.size == 2
    found.size = 7
    assert (found.size, found.computed) == (7, 2)


def test_the_class_has_the_property_itself():
    assert isinstance(Counting.size, cached_property)
    assert Counting.size.__doc__ == "The size, after so many computations."


def test_a_property_that_fails_is_not_kept():
    class Failing:
        is_ready = False

        @cached_property
        def value(self):
            if not self.is_ready:
                raise ValueError
            return 1

    found = Failing()
    with pytest.raises(ValueError, match=r"^$"):
        found.value  # noqa: B018 - it is computed
    found.is_ready = True
    assert found.value == 1
