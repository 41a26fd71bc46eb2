# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of Ansible Vault on the controller: sources, templates, trees, manifests and data."""

from __future__ import annotations

from ansible.parsing.vault import VaultLib, VaultSecret

from .test_file import OWN

MANIFEST = """
ccm:
  resources:
    - file:
        - "{{{{ Data.place }}}}":
            {{ensure: present, source: secret, owner: {owner}, group: {group}, mode: "0600"}}
"""
TASKS = """
- name: source
  ccm.core.file: {{name: {here}/source, source: secret, mode: "0600", {own}}}
- name: ciphertext
  ccm.core.file: {{name: {here}/ciphertext, source: secret, decrypt: false, mode: "0600", {own}}}
- name: template
  ccm.core.file: {{name: {here}/template, template: page.j2, mode: "0600", {own}}}
- name: directory
  ccm.core.apply: {{path: site, data: {{place: {here}/sent}}}}
- name: manifest
  ccm.core.apply: {{path: site/manifest.yaml, data: {{place: {here}/missing}}}}
  ignore_errors: true
- name: tree
  ccm.core.scaffold: {{name: {here}/tree, source: tree}}
- name: validate
  ccm.core.file: {{name: {here}/x, source: secret, mode: "0600", {own}, validate: "sh -c 'cat %s; exit 1'"}}
  ignore_errors: true
- name: expression
  ccm.core.apply: {{path: wrong.yaml, events: true}}
  ignore_errors: true
- name: data
  ccm.core.hiera_info: {{path: data.yaml}}
  register: read
- name: registered
  ansible.builtin.assert: {{that: read.data.k is match("hidden"), quiet: true}}
"""


def test_vaulted_files_arrive_decrypted(ansible, here):
    def write(path, content):
        return ansible.write(path, VaultLib([("default", VaultSecret(b"word"))]).encrypt(content))

    owner, group = (part.partition(": ")[2] for part in OWN.split(", "))
    ansible.write("password", "word\n").chmod(0o600)
    ciphertext = write("files/secret", "a secret\n").read_bytes()
    write("templates/page.j2", "of a template: {{ word }}\n")
    write("files/site/manifest.yaml", MANIFEST.format(owner=owner, group=group))
    write("files/site/secret", "sent\n")
    write("templates/tree/file", "rendered\n")
    write("files/wrong.yaml", "ccm: {resources: [{exec: [{'{{ Data.nosuch + a secret }}': {}}]}]}")
    write("files/data.yaml", "data: {k: hidden-in-data}\n")
    run = ansible.play(
        TASKS.format(here=here, own=OWN), "--diff", "-v", "--vault-password-file", "password", vars={"word": "hello"}
    )
    found = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
    assert found == {
        "source": b"a secret\n",
        "ciphertext": ciphertext,
        "template": b"of a template: hello\n",
        "sent": b"sent\n",
    }
    assert (here / "tree/file").read_bytes() == b"rendered\n"
    assert run["registered"].outcome == "ok"
    assert "manifest.yaml:5:11: the reason is hidden because the task read a file of Ansible Vault" in run.output
    assert "wrong.yaml:1:" in run.output
    for secret in ("a secret", "of a template", "rendered", "hidden-in-data"):
        assert secret not in run.output
    assert list((ansible.folder / "controller").iterdir()) == []
    again = ansible.play(TASKS.format(here=here, own=OWN), "--vault-password-file", "password", vars={"word": "hello"})
    assert set(again.outcomes.values()) == {"ok", "failed"}
    assert (
        "A vault password or secret must be specified to decrypt"
        in ansible.play(TASKS.format(here=here, own=OWN))["source"].msg
    )
