# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The service type; its decisions are in cases/decisions.yaml."""

from ccm.resources.service.type import TYPE as SERVICE


def test_the_provider_is_systemd():
    assert SERVICE.provider_names == ("systemd",)
    assert SERVICE.provider("systemd").name == "systemd"
