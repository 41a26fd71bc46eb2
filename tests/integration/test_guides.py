# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of the guides that need more than this machine: a NATS server, and a collection with types."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.blocks import PAGES, blocks
from tests.patience import LIMIT
from tests.unit.layout import CCM
from tests.unit.nats_servers import own_nats_server, write_context

from .conftest import ROOT, Ansible
from .test_registrations import listed

__all__ = ["own_nats_server"]  # fixtures

ANSIBLE = next(page for page in PAGES if page.stem == "ansible")
TYPES = next(page for page in PAGES if page.stem == "writing-a-type")
OBJECT = """
ccm:
  resources:
    - exec:
        - /bin/echo ${ Data.word }:
            logoutput: true
            register_when_stable:
              - {cluster: prod, service: web, protocol: http, address: 192.0.2.1, port: 80, priority: 1, ttl: 1m,
                 annotations: {rack: r1}}
"""
SERVERS = '{ccm: {resources: [{exec: {name: "/bin/echo ${ Data.servers[0] }", logoutput: true}}]}}\n'


def ccm(*arguments):
    done = subprocess.run([*CCM, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def nats(own_nats_server, tmp_path, monkeypatch):
    """A server with what the page names: the manifest in SITE/web.tgz, the data in SITE/data, registrations."""
    write_context(tmp_path / "home", url=own_nats_server().url)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NATS_CONTEXT", raising=False)
    (tmp_path / "web").mkdir()
    (tmp_path / "web/manifest.yaml").write_text(OBJECT, encoding="utf-8")
    (tmp_path / "data.yaml").write_text("data: {word: published}\n", encoding="utf-8")
    ccm("registration", "init")
    ccm("publish", "--create", tmp_path / "web", "obj://SITE/web.tgz")
    ccm("publish", "--create", tmp_path / "data.yaml", "kv://SITE/data")


def test_tasks_with_nats(nats, ansible, collections, tmp_path, ran):
    """In the order of the page: a service is registered, then data, a lookup and an inventory have it."""
    found = [block for block in blocks(ANSIBLE) if block.words == ("yaml", "tasks", "nats")]
    ansible.write("site.yaml", SERVERS)
    run = ansible.play("".join(block.text for block in found))
    applied, handed_over, shown = run.tasks
    assert run.returncode == 0, run.output
    assert "published" in applied.result["log"]
    assert [entry["address"] for entry in applied.result["resources"][0]["registrations"]] == ["192.0.2.1"]
    assert "192.0.2.1" in handed_over.result["log"]
    assert shown.msg == ["192.0.2.1"]
    [inventory] = [block for block in blocks(ANSIBLE) if block.name.endswith("ccm_registrations.yml")]
    groups, done = listed(tmp_path, collections, inventory.text)
    assert (groups["service_web"]["hosts"], groups["rack_r1"]["hosts"]) == (["192.0.2.1"], ["192.0.2.1"]), done.stderr
    ran(*found, inventory)


@pytest.mark.parametrize("words", [("yaml", "tasks", "types"), ("yaml", "manifest", "types")], ids=" ".join)
def test_types_of_a_collection(words, tmp_path, ran):
    """The option of the task, and the setting of the manifest."""
    collections = tmp_path / "collections/ansible_collections"
    (collections / "ccm").mkdir(parents=True)
    (collections / "ccm/core").symlink_to(ROOT)
    (collections / "acme").symlink_to(ROOT / "docs/examples/acme-web/ansible_collections/acme")
    [block] = [block for block in blocks(TYPES) if block.words == words]
    [manifest] = [block for block in blocks(TYPES) if block.words == ("yaml", "manifest", "types")]
    task = block.words[1] == "tasks"
    ansible = Ansible(tmp_path, collections.parent)
    ansible.write("site.yaml", manifest.text.replace("  engine: {types: [acme.web]}\n", "") if task else manifest.text)
    run = ansible.play(block.text if task else "- ccm.core.apply: {path: site.yaml}\n", "--check")
    [applied] = run.tasks
    assert run.returncode == 0, run.output
    assert applied.result["resources"][0]["outcome"] == "changed"
    assert "hostname#web1.example" in json.dumps(applied.result["resources"])
    ran(block)
