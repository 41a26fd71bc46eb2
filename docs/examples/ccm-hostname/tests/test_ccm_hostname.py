# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
import pathlib

import pytest
from ccm.testing import check_provider, decision_rows, fake_program
from ccm_hostname import TYPE, HostnameState

__all__ = ["fake_program"]  # a fixture
HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("row", decision_rows(TYPE, HostnameState, HERE / "decisions.yaml"), ids=str)
def test_decisions(row):
    row.check()


def test_the_provider(tmp_path, fake_program):
    name = tmp_path / "name"
    name.write_text("old.example")
    fake_program("hostname", f'if [ "$1" ]; then echo "$1" > {name}; else cat {name}; fi')
    check_provider(TYPE, [{"name": "web1.example"}, {"name": "web2.example"}])
