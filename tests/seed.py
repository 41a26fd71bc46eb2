# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The seed of all that tests choose at random: the same in each `make test`, the date in `make soak`.

`make soak SEED=20261121` repeats the choices of a day.
"""

from __future__ import annotations

import random

from tests.tools.environment import whole_number

SEED = whole_number("CCM_SEED", 20261121)


def chance(*names):
    """Return a generator of random numbers of its own for these names."""
    return random.Random(" ".join(map(str, (SEED, *names))))


def numbers(count):
    """Return the seeds of so many random things."""
    return range(SEED, SEED + count)
