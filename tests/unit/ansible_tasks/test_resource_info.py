# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The task that returns the state of a resource."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks.resource_info import RESOURCE_OPTIONS, run_resource_info

from .module import ran


def info(**arguments):
    return ran(run_resource_info, RESOURCE_OPTIONS, arguments)


def test_the_state_of_a_file(tmp_path):
    path = tmp_path / "f"
    path.write_text("one")
    path.chmod(0o600)
    result = info(type="file", name=str(path))
    assert (result["changed"], result["ensure"]) == (False, "present")
    assert (result["state"]["mode"], result["state"]["size"]) == ("0600", 3)
    assert info(type="file", path=str(tmp_path))["ensure"] == "directory"
    assert info(type="file", name=str(tmp_path / "none"))["ensure"] == "absent"


def test_the_state_of_users_and_groups():
    assert info(type="user", name="root")["state"]["uid"] == 0
    assert info(type="group", name="root")["state"]["gid"] == 0
    assert info(type="user", name="no-such-user")["ensure"] == "absent"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"type": "exec", "name": "true"},
            'type "exec" has no state that a name alone determines',
        ),
        ({"type": "lamp", "name": "x"}, 'type "lamp" has no state that a name alone determines'),
        ({"type": "file", "name": "relative"}, "file path must be absolute"),
        ({"type": "package", "name": "a;b"}, "a;b"),
        ({"type": "service", "name": "a;b"}, "a;b"),
        ({"type": "user", "name": "a;b"}, "a;b"),
        ({"type": "file", "name": "/x", "provider": "other"}, "other"),
    ],
)
def test_what_is_wrong_is_told(arguments, expected):
    result = info(**arguments)
    assert result["failed"] is True
    assert expected in result["msg"]
