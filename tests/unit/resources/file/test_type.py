# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The file type: modes; its decisions are in cases/decisions.yaml."""

import pytest
from ccm.model.errors import InvalidResource
from ccm.resources.file.type import directory_mode, normal_mode


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("644", "0644"),
        ("0644", "0644"),
        ("00644", "0644"),
        ("0o644", "0644"),
        ("0O7", None),
        ("000", "0000"),
        ("777", "0777"),
        ("1777", "1777"),
        ("07777", "7777"),
    ],
)
def test_modes_are_normalised_to_four_digits(written, normal):
    if normal is None:
        with pytest.raises(InvalidResource, match="fewer than three digits"):
            normal_mode(written)
    else:
        assert normal_mode(written) == normal


@pytest.mark.parametrize("mode", ["u+x", "64", "0999", "17777", "010000", "", "0o", "-644", "6 44", "٦٤٤"])
def test_invalid_modes_are_refused_with_their_value(mode):
    with pytest.raises(InvalidResource) as caught:
        normal_mode(mode)
    assert f'"{mode}"' in str(caught.value)
    assert caught.value.property == "mode"


@pytest.mark.parametrize(
    ("mode", "entered"), [("0600", "0700"), ("0644", "0755"), ("0640", "0750"), ("0000", "0000"), ("0200", "0300")]
)
def test_directories_get_execute_bits_where_they_have_read_or_write_bits(mode, entered):
    assert directory_mode(mode) == entered
