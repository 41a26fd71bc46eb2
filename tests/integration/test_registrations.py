# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup and the inventory plugin ccm.core.registrations."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.patience import LIMIT
from tests.unit.nats_servers import own_nats_server, write_context

from .conftest import BIN

__all__ = ["own_nats_server"]  # fixtures

STREAM = {"name": "REGISTRATION", "subjects": ["choria.ccm.registration.v1.>"], "allow_direct": True}
ENTRY = {"cluster": "prod", "service": "web", "protocol": "http", "priority": 100}
INVENTORY = "plugin: ccm.core.registrations\ncluster: prod\nkeyed_groups: [{key: ccm_annotations.rack, prefix: rack}]\n"


@pytest.fixture
def server(own_nats_server, tmp_path, monkeypatch):
    server = own_nats_server()
    server.connection.api("STREAM.CREATE.REGISTRATION", {**STREAM, "max_msgs_per_subject": 1})
    write_context(tmp_path / "home", url=server.url)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return server


def register(server, address, port, **more):
    entry = {**ENTRY, "address": address, "port": port, **more}
    where = [entry[name] for name in ("cluster", "protocol", "service")] + [address.replace(".", "_").replace(" ", "_")]
    server.connection.publish(f"choria.ccm.registration.v1.{'.'.join(where)}.{port}", json.dumps(entry).encode())
    return entry


def listed(folder, collections, text=INVENTORY, **variables):
    """The output of ansible-inventory --list, and the process."""
    (folder / "x.ccm_registrations.yml").write_text(text)
    done = subprocess.run(
        [str(BIN / "ansible-inventory"), "-i", "x.ccm_registrations.yml", "--list"],
        cwd=folder,
        env={
            **{name: os.environ[name] for name in ("PATH", "HOME")},
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true",
            "ANSIBLE_NOCOLOR": "1",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return (json.loads(done.stdout) if done.returncode == 0 else {}), done


def plain(value):
    """A variable without the marks of texts that are no templates."""
    if isinstance(value, dict):
        marked = list(value) == ["__ansible_unsafe"]
        return value["__ansible_unsafe"] if marked else {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def test_hosts_and_groups(server, tmp_path, collections):
    first = register(server, "192.0.2.1", 80, annotations={"rack": "r1", "x": "{{ 1 + 1 }}"})
    second = register(server, "192.0.2.1", 443, protocol="https", annotations={"rack": "other"})
    register(server, "192.0.2.2", 80, ttl="never")
    register(server, "192.0.2.9", 80, cluster="dev")
    found, done = listed(tmp_path, collections)
    assert done.returncode == 0, done.stderr
    variables = found["_meta"]["hostvars"]
    assert sorted(variables) == ["192.0.2.1", "192.0.2.2"]
    assert variables["192.0.2.1"]["ccm_annotations"]["x"] == {"__ansible_unsafe": "{{ 1 + 1 }}"}
    assert plain(variables["192.0.2.1"]) == {
        "ccm_registrations": [first, second],
        "ccm_annotations": {"rack": "r1", "x": "{{ 1 + 1 }}"},
    }
    assert sorted(found["cluster_prod"]["hosts"]) == ["192.0.2.1", "192.0.2.2"]
    assert found["protocol_https"]["hosts"] == ["192.0.2.1"]
    assert sorted(found["service_web"]["hosts"]) == ["192.0.2.1", "192.0.2.2"]
    assert found["rack_r1"]["hosts"] == ["192.0.2.1"]


def test_the_inventory_is_cached(server, tmp_path, collections):
    register(server, "192.0.2.1", 80)
    cache = {
        "ANSIBLE_INVENTORY_CACHE": "true",
        "ANSIBLE_INVENTORY_CACHE_PLUGIN": "ansible.builtin.jsonfile",
        "ANSIBLE_INVENTORY_CACHE_CONNECTION": str(tmp_path / "cache"),
    }
    assert listed(tmp_path, collections, **cache)[1].returncode == 0
    server.stop()
    assert list(listed(tmp_path, collections, **cache)[0]["_meta"]["hostvars"]) == ["192.0.2.1"]


def test_an_inventory_that_cannot_be_read_is_an_error(server, tmp_path, collections):
    register(server, "not a host", 80)
    _found, done = listed(tmp_path, collections)
    assert done.returncode != 0
    assert 'address "not a host" is not a valid Address address' in done.stderr
    server.stop()
    _found, done = listed(tmp_path, collections)
    assert done.returncode != 0
    assert "could not connect to JetStream: " in done.stderr
    assert "127.0.0.1:" in done.stderr


def test_other_files_are_not_for_this_plugin(server, tmp_path, collections):
    _found, done = listed(tmp_path, collections, "plugin: ccm.core.other\n")
    assert done.returncode != 0


def lookups(*texts):
    return "".join(
        f"- name: {text}\n  ansible.builtin.debug: {{msg: {json.dumps('{{ ' + text + ' }}')}}}\n  ignore_errors: true\n"
        for text in texts
    )


def test_lookups(server, ansible):
    entries = [register(server, "192.0.2.1", 80, annotations={"a": "{{ 1 }}"}), register(server, "192.0.2.2", 81)]
    register(server, "192.0.2.3", 80, service="api")
    web = "query('ccm.core.registrations', cluster='prod', service='web')"
    none = "query('ccm.core.registrations', cluster='dev')"
    terms = "query('ccm.core.registrations', 'prod')"
    other = "query('ccm.core.registrations', registration='OTHER')"
    run = ansible.play(lookups(web, none, terms, other))
    assert run[web].msg == entries
    assert run[none].msg == []
    assert "takes no terms" in run[terms].msg
    assert "stream not found" in run[other].msg
    server.stop()
    assert "could not connect to JetStream: " in ansible.play(lookups(web))[web].msg
