# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks on nodes in locales that are not UTF-8: names are UTF-8 (decisions.md Q92)."""

from __future__ import annotations

import json
import os

import pytest

from tests.locales import OTHER_LOCALES, variables_of

pytestmark = pytest.mark.parametrize("locale", OTHER_LOCALES)
OWN = {"owner": str(os.geteuid()), "group": str(os.getegid()), "mode": "0644"}


@pytest.fixture
def play(ansible, here, tmp_path, locale):
    """Run tasks with the variables of a locale."""
    environment = json.dumps({"UMLAUT": "ü€", **variables_of(locale, tmp_path)})
    keywords = f"environment: {environment}\nmodule_defaults: {json.dumps({'ccm.core.file': OWN})}\n"

    def run(tasks, *options):
        return ansible.play(tasks, *options, vars={"here": str(here)}, keywords=keywords)

    return run


# The first content is larger than what a pipe takes at once.
TASKS = """
- name: file
  ccm.core.file: {name: "{{ here }}/ü€", content: "{{ 'ü€' * 100000 }}"}
- name: source
  ccm.core.file: {name: "{{ here }}/kopie→", source: "quelle€"}
- name: exec
  ccm.core.exec: {name: "touch née", cwd: "{{ here }}", creates: "{{ here }}/née"}
- name: scaffold
  ccm.core.scaffold: {name: "{{ here }}/gerüst", source: "vorlagen€", engine: go}
- name: apply
  ccm.core.apply:
    path: manifest€.yaml
    data: {here: "{{ here }}"}
"""
FILE = {"name": "{{ Data.here }}/{{ Data.wort }}", "content": "{{ Environ.UMLAUT }}", **OWN}
MANIFEST = json.dumps({"data": {"wort": "daten€"}, "ccm": {"resources": [{"file": FILE}]}}, ensure_ascii=False)


def test_names_are_utf8(ansible, play, here):
    ansible.write("files/quelle€", b"\xff")
    ansible.write("templates/vorlagen€/größe", "€")
    ansible.write("manifest€.yaml", MANIFEST)
    for outcome, options in (("changed", ("--check",)), ("changed", ()), ("ok", ())):
        ran = play(TASKS, *options)
        assert set(ran.outcomes.values()) == {outcome}, ran.output
        made = {name.decode() for name in os.listdir(os.fsencode(here))}
        assert made == (set() if "--check" in options else {"ü€", "kopie→", "née", "gerüst", "daten€"})
    assert (here / "gerüst/größe").read_text(encoding="utf-8") == "€"
    assert (here / "daten€").read_text(encoding="utf-8") == "ü€"


def test_failures_and_states_are_returned(play, here):
    (here / "da€").write_text("x")
    ran = play("""
        - name: failed
          ccm.core.file: {name: "{{ here }}/nicht€/ü€", content: x}
          ignore_errors: true
        - name: waited for
          ccm.core.exec: {name: "false", creates: "{{ here }}/da€"}
          async: 30
          poll: 1
        - name: state
          ccm.core.resource_info: {type: file, name: "{{ here }}/da€"}
        """)
    assert ran.outcomes == {"failed": "failed", "waited for": "ok", "state": "ok"}, ran.output
    assert "nicht€" in ran["failed"].msg
    assert ran["state"].result["state"]["size"] == 1
