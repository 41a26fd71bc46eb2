# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`python -m ccm.cli`: the command where nothing is installed."""

from __future__ import annotations

from .main import main

if __name__ == "__main__":
    raise SystemExit(main())
