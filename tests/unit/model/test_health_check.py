# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks whose format does not match the type of the check."""

from __future__ import annotations

import pytest
from ccm.cli.main import main

MANIFEST = "ccm: {{resources: [{{exec: {{name: /bin/true, health_checks: [{check}]}}}}]}}\n"


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("{command: /bin/true, format: goss}", "'format' must be 'nagios' when using 'command'"),
        ("{goss_rules: {file: {/x: {}}}, format: nagios}", "'format' must be 'goss' when using 'goss_check'"),
    ],
)
def test_a_wrong_format_is_refused(check, message, tmp_path, capsys):
    path = tmp_path / "m.yaml"
    path.write_text(MANIFEST.format(check=check), encoding="utf-8")
    main(["apply", "--noop", str(path)])
    assert message in capsys.readouterr().err
