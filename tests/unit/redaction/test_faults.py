# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that may hold a secret."""

from __future__ import annotations

import pytest
from ccm.redaction.faults import holds_secret
from ccm.redaction.names import without_users


@pytest.mark.parametrize("sign", "/?#")
def test_lines_with_passwords_of_urls_are_found(sign):
    line = f"  url: 'https://u:p{sign}w@h/x'"
    assert holds_secret(line)
    assert without_users(line) == "  url: 'https://REDACTED@h/x'"
