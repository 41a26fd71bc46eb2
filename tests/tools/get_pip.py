# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement for get-pip.py: installs pip from the wheel that lies beside this file.

Takes the arguments of get-pip.py, which ansible-test runs in each virtual environment that it makes.
"""

from __future__ import annotations

import glob
import os
import sys


def main() -> None:
    wheel = glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pip-*.whl"))[0]
    sys.path.insert(0, wheel)
    from pip._internal.cli.main import main as pip

    arguments = [word for word in sys.argv[1:] if word not in ("--no-setuptools", "--no-wheel")]
    sys.exit(pip(["install", "--upgrade", *arguments]))


if __name__ == "__main__":
    main()
