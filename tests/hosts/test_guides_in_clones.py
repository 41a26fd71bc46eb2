# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guides for developers: their commands run in a clone, and in the repository of a role (tests/blocks.py).

They are root's, on the machine itself: they install Debian packages, boot hosts, and fetch from pip's index.
"""

from __future__ import annotations

import os
import re

import pytest

from tests.blocks import ALL, PAGES, pages_with
from tests.patience import LIMIT
from tests.readers import Reader, own_clone, reader
from tests.scripts import commands_of

__all__ = ["own_clone", "reader"]  # fixtures

#: In place of the version in the steps of a release.
VERSION = "9.8.7"
#: The pages whose commands come first, where a page needs what they make.
BEFORE = {"test-hosts": ("README", "packages")}
BY_NAME = {page.stem: page for page in PAGES}
HOSTS = "extensions/molecule/hosts/host.py"
ROLE = {
    "tasks/main.yml": """
- name: Greet
  ccm.core.file: {name: /srv/greeting, ensure: present, content: hello, owner: root, group: root, mode: "0644"}
""",
    "molecule/greeting/molecule.yml": "\n",
}


@pytest.mark.timeout(36 * LIMIT)
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.stem, marks=pytest.mark.takes_long(page)) for page in pages_with("sh clone")]
)
def test_commands_in_a_clone(page, own_clone, reader, ran):
    folders = {"sh clone": own_clone, **({"sh tests": own_clone} if ALL else {})}
    name = f"guide{os.getpid()}"
    actions = ("up ", "up --network ", "shell ", "down ")
    changes = {f"{HOSTS} {action}web": f"{HOSTS} {action}{name}" for action in actions}
    changes["hosts/web/leader"] = f"hosts/{name}/leader"
    shown = re.search(r"^make version VERSION=(\S+)$", page.read_text("utf-8"), re.MULTILINE)
    if shown:
        changes[shown[1]] = VERSION
    try:
        for first in BEFORE.get(page.stem, ()):
            reader.run(commands_of(BY_NAME[first], {"sh clone": own_clone})[0])
        script, found = commands_of(page, folders, changes)
        reader.run(script)
    finally:
        reader.run(f"cd {own_clone} && python3 {HOSTS} down {name}")
    ran(*found)


@pytest.mark.timeout(12 * LIMIT)
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem, marks=pytest.mark.takes_long(page)) for page in pages_with("sh repository")],
)
def test_commands_in_the_repository_of_a_role(page, own_clone, tmp_path, ran):
    """With the role of which the page speaks."""
    own = Reader(tmp_path / "home")
    repository = tmp_path / "greetings"
    for path, text in ROLE.items():
        (repository / "roles/greeting" / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / "roles/greeting" / path).write_text(f"---{text}", encoding="utf-8")
    own.run(f"cd {own_clone} && ansible-galaxy collection build --force --output-path {repository}")
    script, found = commands_of(page, {"sh repository": repository})
    own.run(script)
    ran(*found)
