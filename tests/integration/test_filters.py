# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters ccm.core.expr and ccm.core.gjson, and the lookup ccm.core.hiera."""

from __future__ import annotations

import json

from ansible.parsing.vault import VaultLib, VaultSecret

DATA = {"port": 8080, "servers": [{"name": "a", "role": "web"}, {"name": "b", "role": "db"}]}
HIERA = """
hierarchy: {order: ["env:{{ lookup('facts.env') }}"], merge: deep}
data: {web: {port: 80, name: all}}
overrides: {"env:production": {web: {port: 443}}}
"""
CASES = {
    "expression": ("given | ccm.core.expr('Data.port + 1')", 8081),
    "field": ("given | ccm.core.expr('Facts.host.info.PlatformFamily', facts=node)", "debian"),
    "facts": ("given | ccm.core.expr('Facts.env + Environ.X', facts={'env': 'p'}, environ={'X': 'y'})", "py"),
    "lookup": ("given | ccm.core.expr('lookup(\"data.servers.0.name\")')", "a"),
    "path": ("given | ccm.core.gjson('servers.#(role==\"db\").name')", "b"),
    "list": ("given | ccm.core.gjson('servers.#.name')", ["a", "b"]),
    "default": ("given | ccm.core.gjson('nothing', default=7)", 7),
    "hiera": ("lookup('ccm.core.hiera', 'web.port', file='common.yaml', facts={'env': 'production'})", 443),
    "other": ("lookup('ccm.core.hiera', 'web.port', file='common.yaml')", 80),
    "all": ("lookup('ccm.core.hiera', file='common.yaml')", {"web": {"port": 80, "name": "all"}}),
    "missing": ("lookup('ccm.core.hiera', 'web.x', file='common.yaml', default='none')", "none"),
}
ERRORS = {
    "no expression": ("given | ccm.core.expr('Data.port +')", "expr: expr compile error for 'Data.port +'"),
    "no mapping": ("3 | ccm.core.expr('1')", "expr: the input must be a mapping, not int"),
    "no text": ("given | ccm.core.gjson(3)", "gjson: path must be text, not int"),
    "no file": ("lookup('ccm.core.hiera', 'a', file='missing.yaml')", "hiera: there is no file missing.yaml"),
    "no value": ("given | ccm.core.gjson('nothing')", "gjson: path nothing finds nothing; give a default"),
    "no key": ("lookup('ccm.core.hiera', 'x', file='common.yaml')", "hiera: path x finds nothing in common.yaml; give"),
    "no data": ("lookup('ccm.core.hiera', 'x', file='broken.yaml')", "hiera: "),
    "reading": ("given | ccm.core.expr('readFile(\"/etc/passwd\")')", "expr: "),
}


def test_values_and_errors(ansible):
    ansible.write("files/common.yaml", HIERA)
    ansible.write("files/broken.yaml", "a: [")
    shown = [(name, text) for name, (text, _value) in {**CASES, **ERRORS}.items()]
    tasks = "".join(
        f"- name: {name}\n  ansible.builtin.debug: {{msg: {json.dumps('{{ ' + text + ' }}')}}}\n  ignore_errors: true\n"
        for name, text in shown
    )
    run = ansible.play(tasks, vars={"given": DATA, "node": {"host": {"info": {"platformFamily": "debian"}}}})
    assert {name: run[name].msg for name in CASES} == {name: value for name, (_text, value) in CASES.items()}
    for name, (_text, message) in ERRORS.items():
        assert (run[name].outcome, message in run[name].msg) == ("failed", True), run[name]


def test_a_vaulted_file_is_decrypted(ansible):
    ansible.write("password", "word\n").chmod(0o600)
    vault = VaultLib([("default", VaultSecret(b"word"))])
    ansible.write("files/secret.yaml", vault.encrypt(HIERA))
    tasks = """
    - name: found
      ansible.builtin.debug:
        msg: "{{ lookup('ccm.core.hiera', 'web.port', file='secret.yaml') }}"
    """
    run = ansible.play(tasks, "--vault-password-file", "password")
    assert run["found"].msg == 80
    assert "A vault password or secret must be specified" in ansible.play(tasks)["found"].msg
