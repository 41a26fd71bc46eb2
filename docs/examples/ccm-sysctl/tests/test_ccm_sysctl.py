# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
import pytest
from ccm.testing import check_provider, fake_program
from ccm_sysctl import MOUNTED, SYSCTL

__all__ = ["fake_program"]  # a fixture
# It keeps each parameter in a file: `sysctl -n -- NAME` and `sysctl -w NAME=VALUE ...`.
PROGRAM = """
cd "$(dirname "$0")/.." && [ "$1" = -n ] && exec cat "$3"
shift
for given; do echo "${given#*=}" > "${given%%=*}"; done
"""


def test_parameters(tmp_path, fake_program):
    fake_program("sysctl", PROGRAM)
    for name in ("kernel.printk", "kernel.other"):
        (tmp_path / name).write_text("4\t4\t1\t7\n", encoding="utf-8")
    steps = [{"name": "kernel.printk", "value": value} for value in ("3 4 1 3", "1 1 1 1")]
    batch = [{"name": name, "value": "2 4 1 7"} for name in ("kernel.printk", "kernel.other")]
    check_provider(SYSCTL, [*steps, batch])


def test_a_parameter_that_does_not_exist(fake_program):
    fake_program("sysctl", PROGRAM)
    with pytest.raises(AssertionError, match="there is no parameter"):
        check_provider(SYSCTL, [{"name": "kernel.printk", "value": "1"}])


def test_mount_points(tmp_path):
    check_provider(MOUNTED, [{"name": "/"}])
    with pytest.raises(AssertionError, match="nothing is mounted on"):
        check_provider(MOUNTED, [{"name": str(tmp_path)}])
