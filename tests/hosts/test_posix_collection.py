# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of keys that ansible.posix.authorized_key leaves on a booted host, beside those of ccm.core."""

from __future__ import annotations

import pathlib

import pytest
import yaml

from tests.integration.conftest import Ansible
from tests.unit.layout import ROOT
from tests.unit.resources.ssh_authorized_key.keys import KEYS, key

from .posix_collection import PINNED, Unavailable, posix_collection

RECORDED = ROOT / "tests/unit/resources/ssh_authorized_key/cases/authorized_key.yaml"
CASES = yaml.safe_load(RECORDED.read_text("utf-8"))["cases"]
FOLDER = "/home/alice/.ssh"


@pytest.fixture(scope="module")
def posix():
    """A directory in which Ansible finds the collection ansible.posix; the tests fail where it cannot be fetched."""
    try:
        return posix_collection()
    except Unavailable as err:
        pytest.fail(str(err), pytrace=False)


def tasks(number, case):
    """Return a task of each collection that manages the key of a case, each in a file of its own."""
    options, ensure = case.get("options", []), case.get("ensure", "present")
    theirs = {
        "user": "alice",
        "path": f"{FOLDER}/theirs{number}",
        "manage_dir": False,
        "key": f"ssh-ed25519 {key(1)} a@b",
        "state": ensure,
        **({"key_options": ",".join(options)} if options else {}),
    }
    ours = {"name": "a@b", "user": "alice", "target": f"{FOLDER}/ours{number}", "key": key(1), "ensure": ensure}
    return [
        {"name": f"theirs {number}", "ansible.posix.authorized_key": theirs},
        {
            "name": f"ours {number}",
            "ccm.core.ssh_authorized_key": {**ours, **({"options": options} if options else {})},
        },
    ]


def test_both_leave_what_is_recorded(bookworm, tmp_path, collections, posix):
    def text(content):
        return content.format(K1=key(1), K2=key(2), R=KEYS["ssh-rsa"])

    bookworm.run(f"useradd --create-home alice; install -d -m 0700 -o alice -g alice {FOLDER}")
    for number, case in enumerate(CASES):
        for whose in ("theirs", "ours"):
            if case["before"] is not None:
                bookworm.write(f"{FOLDER}/{whose}{number}", text(case["before"]))
    bookworm.run(f"chown -R alice:alice {FOLDER}; chmod 0600 {FOLDER}/*")
    play = [task for number, case in enumerate(CASES) for task in tasks(number, case)]
    ansible = Ansible(tmp_path, f"{collections}:{posix}").on(bookworm)
    ran = ansible.play(yaml.safe_dump(play, sort_keys=False))
    assert ran.returncode == 0, ran.output
    for number, case in enumerate(CASES):
        found = {whose: bookworm.read(f"{FOLDER}/{whose}{number}") for whose in ("theirs", "ours")}
        expected = {"theirs": text(case["after"]), "ours": text(case.get("here", case["after"]))}
        assert (case["name"], found) == (case["name"], expected)


def test_a_collection_that_cannot_be_fetched_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    pinned = PINNED.read_text("utf-8").split()[-1]
    with pytest.raises(Unavailable) as caught:
        posix_collection(tmp_path)
    assert str(caught.value).startswith(f"pip cannot download {pinned}, which has the collection ansible.posix: ")
    assert [path.name for path in tmp_path.iterdir()] == [".posix.lock"]


def test_a_collection_is_fetched_once(posix, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert posix_collection() == posix
    assert (pathlib.Path(posix) / "ansible_collections/ansible/posix/plugins/modules/authorized_key.py").is_file()
