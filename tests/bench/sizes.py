# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much code each module sends and imports, beside its budget: python -m tests.bench.sizes"""

from __future__ import annotations

import pathlib
import shutil
import tempfile

from tests.unit.sizes import IMPORTED, SHIPPED, budget_of, imported_code, shipped_sizes


def imported_sizes():
    """Return the bytes of compiled code that each module with a budget imports where nothing changes."""
    sizes = {}
    for module in IMPORTED:
        if module != "package" or shutil.which("apt-get"):
            with tempfile.TemporaryDirectory() as folder:
                sizes[module] = sum(imported_code(module, pathlib.Path(folder))[1].values())
    return sizes


def main():
    print(f"{'module':15}{'bytes':14}{'size':>10}{'budget':>10}{'ratio':>7}")
    for kind, sizes, budgets in (("sent", shipped_sizes(), SHIPPED), ("imported", imported_sizes(), IMPORTED)):
        for module, size in sizes.items():
            budget = budget_of(module, budgets)
            print(f"{module:15}{kind:14}{size:10}{budget:10}{size / budget:7.2f}")


if __name__ == "__main__":
    main()
